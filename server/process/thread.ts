import { isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { readShipped } from '../files/shipped.ts';

/**
 * Starts a thread.
 *
 * @param part what `binary/bundle.ts` calls the script in the one file
 * @param script where it is otherwise; the build looks for `new URL('./….ts', import.meta.url)`
 * @param data becomes its `workerData`
 */
export function startThread(
  part: string,
  script: URL,
  data: object,
  options: Omit<WorkerOptions, 'workerData'>,
): Worker {
  const workerData = { ...data, part };
  return isSea()
    ? new Worker(String(readShipped('binary/loader.cjs')), { ...options, workerData, eval: true })
    : new Worker(script, { ...options, workerData });
}
