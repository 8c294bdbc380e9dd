import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../process/thread.ts';
import { CallTimes } from '../../call-times.ts';
import { Listeners } from '../../listeners.ts';
import { isTrouble, type StoreActivity, StoreError } from '../../store.ts';
import type { ThreadNotice, ThreadReply, ThreadRequest } from './message.ts';
import type { Role } from './thread-store.ts';

interface Call {
  operation: ThreadRequest['operation'];
  startedAt: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const storeErrorCodes = new Set<string>([
  'missing',
  'newer',
  'foreign',
  'damaged',
  'unusable',
  'in_use',
  'closed',
  'unavailable',
] satisfies StoreError['code'][]);

/** Called for each operation that the machine or a damaged file did not let work. */
export type OnTrouble = ((error: StoreError) => void) | undefined;

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
  readonly #onTrouble: OnTrouble;
  readonly #times: CallTimes;
  readonly #notices = new Listeners<string>();
  /** Calls back with each notice of what was committed. Answers how to end it. */
  readonly onNotice = this.#notices.add;

  constructor(role: Role, onTrouble: OnTrouble) {
    this.#times = new CallTimes(role);
    this.#onTrouble = onTrouble;
    this.#worker = startThread('worker.js', new URL('./worker.ts', import.meta.url), {}, { name: role });
    this.#worker.on('message', (message: ThreadReply | ThreadNotice | object) => {
      // Under `node --watch` a thread also says what it loads.
      if ('id' in message) this.#settle(message);
      else if ('notice' in message) this.#notices.tell(message.notice);
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new StoreError('closed', 'The store is closed.')));
    // A thread at rest keeps no process alive; one that owes an answer does.
    this.#worker.unref();
  }

  call(operation: ThreadRequest['operation'], args: unknown[] = []): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#freeIds.pop() ?? this.#calls.length;
    return new Promise((resolve, reject) => {
      if (this.#underWay++ === 0) this.#worker.ref();
      this.#calls[id] = { operation, startedAt: performance.now(), resolve, reject };
      this.#worker.postMessage({ id, operation, args } satisfies ThreadRequest);
    });
  }

  activity(): StoreActivity[] {
    return this.#times.activity();
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    await this.call('close').catch(() => undefined);
    await this.#worker.terminate();
  }

  #settle(reply: ThreadReply): void {
    const call = this.#calls[reply.id];
    this.#calls[reply.id] = undefined;
    this.#freeIds.push(reply.id);
    if (--this.#underWay === 0) this.#worker.unref();
    if (call && typeof call.operation !== 'string') this.#times.note(call.operation.part, call.startedAt);
    if ('result' in reply) {
      call?.resolve(reply.result);
      return;
    }
    const error = toError(reply.error);
    if (error instanceof StoreError && isTrouble(error)) this.#onTrouble?.(error);
    call?.reject(error);
  }

  #end(error: unknown): void {
    this.#ended ??= error instanceof Error ? error : new Error(String(error));
    for (const call of this.#calls) call?.reject(this.#ended);
    this.#calls.length = 0;
  }
}

type Failure = Extract<ThreadReply, { error: unknown }>['error'];

function toError({ message, code, fault, stack, system }: Failure): Error {
  if (code !== undefined && storeErrorCodes.has(code)) {
    return new StoreError(code as StoreError['code'], message, { fault });
  }
  const error = Object.assign(new Error(message), system);
  if (stack !== undefined) error.stack = stack;
  return error;
}
