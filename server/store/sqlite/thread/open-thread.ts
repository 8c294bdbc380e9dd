import type { Worker } from 'node:worker_threads';
import { isForbidden, systemTrouble } from '../../../files/file-trouble.ts';
import { CallTimes, type StoreActivity } from '../../../metrics/meter.ts';
import { startThread } from '../../../process/thread.ts';
import { Listeners } from '../../changes.ts';
import { isTrouble, StoreError, type StoreFault, storeErrorCodes } from '../../store.ts';
import type { Opener } from '../opening.ts';
import type { Calls, PartsOf, Role } from './thread-store.ts';

/** What a thread can be asked for, and how it is ended. */
export interface OpenThread<R extends Role> {
  calls: Calls<PartsOf<R>>;
  activity(): StoreActivity[];
  close(): Promise<void>;
}

export interface StartedThread<R extends Role> extends OpenThread<R> {
  onNotice: Thread['onNotice'];
  /** What the operator should know of the opening. */
  notices: string[];
  readerOperations: Operations;
}

export interface ThreadOptions {
  opener?: Opener;
  onTrouble?: OnTrouble;
}

/** Starts a thread and opens the database there. @throws StoreError */
export async function openThread<R extends Role>(
  role: R,
  file: string,
  options: ThreadOptions = {},
): Promise<StartedThread<R>> {
  const { thread, operations, ...offer } = await start(role, file, options);
  return { ...offer, ...asked<R>(thread, operations), onNotice: thread.onNotice };
}

interface LaterOptions {
  /** What it will offer. */
  operations: Operations;
  /** Asked before and after opening: the files may have been replaced since the store was opened. @throws StoreError */
  check(): Promise<unknown>;
  onTrouble?: OnTrouble;
}

/** The same with the first call, as a thread at rest takes 11 MB. */
export function openThreadLater<R extends Role>(
  role: R,
  file: string,
  { operations, check, onTrouble }: LaterOptions,
): OpenThread<R> {
  const begin = async () => {
    await check();
    const { thread } = await start(role, file, { onTrouble });
    await check().catch(async (error: unknown) => {
      await thread.close();
      throw error;
    });
    return thread;
  };
  return asked(lateThread(begin), operations);
}

async function start(role: Role, file: string, { opener = 'command', onTrouble }: ThreadOptions) {
  const thread = new Thread(role, onTrouble);
  const offer = (await thread
    .call('open', [{ role, file, opener } satisfies Opening])
    .catch(async (error: Error) => {
      await thread.close();
      throw error instanceof StoreError ? error : cannotOpen(file, error);
    })) as Offer;
  return { thread, ...offer };
}

function cannotOpen(file: string, cause: Error): StoreError {
  const why = isForbidden(cause)
    ? 'this user may not write to it. Run it as the user whose file it is'
    : systemTrouble(cause);
  return new StoreError('unusable', `The database ${file} cannot be opened: ${why}.`, { cause });
}

type Asked = Pick<Thread, 'call' | 'activity' | 'close'>;

function asked<R extends Role>(thread: Asked, operations: Operations): OpenThread<R> {
  const parts = Object.entries(operations).map(([part, names]) => {
    const calls = names.map((name) => {
      const operation = { part, name };
      return [name, (...args: unknown[]) => thread.call(operation, args)];
    });
    return [part, Object.fromEntries(calls)];
  });
  return {
    calls: Object.fromEntries(parts),
    activity: () => thread.activity(),
    close: () => thread.close(),
  };
}

/** A thread that is started by the first call; where that fails, the next one tries again. */
function lateThread(begin: () => Promise<Thread>): Asked {
  let starting: Promise<Thread> | undefined;
  let running: Thread | undefined;
  let isClosed = false;
  const start = async () => {
    try {
      running = await begin();
      return running;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  };
  return {
    async call(...request) {
      if (isClosed) throw new StoreError('closed', 'The store is closed.');
      starting ??= start();
      return (await starting).call(...request);
    },
    activity: () => running?.activity() ?? [],
    async close() {
      isClosed = true;
      const thread = await starting?.catch(() => undefined);
      await thread?.close();
    },
  };
}

interface Call {
  operation: ThreadRequest['operation'];
  startedAt: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

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
  /** Calls back with each notice of a commit. Returns a function that ends it. */
  readonly onNotice = this.#notices.add;

  constructor(role: Role, onTrouble: OnTrouble) {
    this.#times = new CallTimes(role);
    this.#onTrouble = onTrouble;
    this.#worker = startThread('worker.js', new URL('./worker.ts', import.meta.url), {}, { name: role });
    this.#worker.on('message', (message: ThreadReply | ThreadNotice | object) => {
      // Under `node --watch` a thread also says what it loads.
      if ('id' in message) this.#settle(message);
      else if ('notice' in message) this.#notices.notify(message.notice);
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
  const known = storeErrorCodes.find((one) => one === code);
  if (known) return new StoreError(known, message, { fault });
  const error = Object.assign(new Error(message), system);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** What a thread opens. */
export interface Opening {
  role: Role;
  file: string;
  opener: Opener;
}

/** What the store asks of a thread: to open a database (`Opening`), to close it, or an operation of one of its parts. */
export interface ThreadRequest {
  id: number;
  operation: 'open' | 'close' | { part: string; name: string };
  args: unknown[];
}

export type ThreadReply =
  | { id: number; result: unknown }
  | {
      id: number;
      error: {
        message: string;
        code: string | undefined;
        fault: StoreFault | undefined;
        stack: string | undefined;
        /** Of an error of the system. */
        system: { code: string | undefined; errno: number | undefined; syscall: string } | undefined;
      };
    };

/** A notice of a commit. */
export interface ThreadNotice {
  notice: string;
}

/** The names of operations, by part. */
export type Operations = Record<string, string[]>;

/** Answer of `open`. */
export interface Offer {
  operations: Operations;
  /** What a thread of the other role will offer. */
  readerOperations: Operations;
  notices: string[];
}
