import { useCallback, useState } from 'preact/hooks';
import { RequestError } from './client.ts';

/** Something that a press of a button does. */
export interface Action<Arguments extends unknown[]> {
  isBusy: boolean;
  failure: RequestError | undefined;
  /** Answers whether it was done. */
  run(...args: Arguments): Promise<boolean>;
  clear(): void;
}

/** Not run again before it has ended. */
export function useAction<Arguments extends unknown[]>(
  task: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [state, setState] = useState<{ isBusy: boolean; failure?: RequestError }>({ isBusy: false });
  const run = async (...args: Arguments) => {
    if (state.isBusy) return false;
    setState({ isBusy: true });
    try {
      await task(...args);
      setState({ isBusy: false });
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setState({ isBusy: false, failure: error });
      return false;
    }
  };
  const clear = useCallback(() => setState({ isBusy: false }), []);
  return { isBusy: state.isBusy, failure: state.failure, run, clear };
}
