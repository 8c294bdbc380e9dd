import { parentPort, workerData } from 'node:worker_threads';
import { StoreError } from '../../store.ts';
import { type Engine, openObserver, openReader, openWriter } from './engine.ts';

/** What the store asks of a thread, and what it answers. */
export interface Request {
  id: number;
  method: string;
  args: unknown[];
}

export type Reply =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; code: string | undefined; stack: string | undefined } };

export interface WorkerData {
  role: 'writer' | 'reader' | 'observer';
  file: string;
}

const { role, file } = workerData as WorkerData;
const port = parentPort;
if (!port) throw new Error('This file runs only as a worker thread.');

function failure(id: number, error: unknown): Reply {
  const known = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof StoreError ? error.code : undefined;
  return { id, error: { message: known.message, code, stack: known.stack } };
}

const open = { writer: openWriter, reader: openReader, observer: openObserver };
let engine: Engine;

port.on('message', async ({ id, method, args }: Request) => {
  try {
    // Opened by the first call, so that a failure has a caller to go to.
    engine ??= open[role](file);
    const operation = engine.operations[method];
    if (!operation) throw new Error(`The store's ${role} has no operation ${method}.`);
    const result = await operation(...args);
    port.postMessage({ id, result } satisfies Reply);
  } catch (error) {
    port.postMessage(failure(id, error));
  }
});
