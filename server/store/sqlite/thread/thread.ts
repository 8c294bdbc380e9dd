import { Worker } from 'node:worker_threads';
import { StoreError } from '../../store.ts';
import type { Reply, Request, WorkerData } from './worker.ts';

interface Call {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const storeErrorCodes = new Set<string>(['newer', 'unusable', 'closed'] satisfies StoreError['code'][]);

/** A worker thread that answers calls in the order they were made. */
export class Thread {
  readonly #worker: Worker;
  /**
   * By the number of the call, which is used again. Not a Map: V8 links its outgrown tables to the new ones, and calls
   * that come and go keep such a chain, with all that waited on it, alive until the old generation is collected.
   */
  readonly #calls: (Call | undefined)[] = [];
  readonly #freeIds: number[] = [];
  #underWay = 0;
  #ended: Error | undefined;

  constructor(data: WorkerData) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: data,
      name: data.role,
      // What a batch leaves behind is small and dies at once.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new StoreError('closed', 'The store is closed.')));
    // A thread at rest keeps no process alive; one that owes an answer does.
    this.#worker.unref();
  }

  call<T>(method: string, ...args: unknown[]): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#freeIds.pop() ?? this.#calls.length;
    return new Promise<T>((resolve, reject) => {
      if (this.#underWay++ === 0) this.#worker.ref();
      this.#calls[id] = { resolve: resolve as Call['resolve'], reject };
      this.#worker.postMessage({ id, method, args } satisfies Request);
    });
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    await this.call('close').catch(() => undefined);
    await this.#worker.terminate();
  }

  #settle(reply: Reply): void {
    const call = this.#calls[reply.id];
    this.#calls[reply.id] = undefined;
    this.#freeIds.push(reply.id);
    if (--this.#underWay === 0) this.#worker.unref();
    if ('result' in reply) call?.resolve(reply.result);
    else call?.reject(toError(reply.error));
  }

  #end(error: unknown): void {
    this.#ended ??= error instanceof Error ? error : new Error(String(error));
    for (const call of this.#calls) call?.reject(this.#ended);
    this.#calls.length = 0;
  }
}

function toError({ message, code, stack }: Extract<Reply, { error: unknown }>['error']): Error {
  const error =
    code !== undefined && storeErrorCodes.has(code)
      ? new StoreError(code as StoreError['code'], message)
      : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
