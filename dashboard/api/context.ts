import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from './client.ts';

export interface ApiState {
  api: ApiClient;
  /** Counts up each minute while the page is visible, and when the server is back: what is shown is read again. */
  tick: number;
  refresh(): void;
  /** Counts up with each change that was made here. */
  changes: number;
}

export const ApiContext = createContext<ApiState | null>(null);

export function useApi(): ApiState {
  return useContext(ApiContext) as ApiState;
}
