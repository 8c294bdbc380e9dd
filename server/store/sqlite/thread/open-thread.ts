import { isForbidden, systemTrouble } from '../../../files/file-trouble.ts';
import { type StoreActivity, StoreError } from '../../store.ts';
import type { Opener } from '../opening.ts';
import type { Offer, Opening, Operations } from './message.ts';
import type { Calls } from './methods.ts';
import { type OnTrouble, Thread } from './thread.ts';
import type { PartsOf, Role } from './thread-store.ts';

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
  return asked(new LateThread(begin), operations);
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
class LateThread implements Asked {
  readonly #begin: () => Promise<Thread>;
  #starting: Promise<Thread> | undefined;
  #running: Thread | undefined;
  #isClosed = false;

  constructor(begin: () => Promise<Thread>) {
    this.#begin = begin;
  }

  async call(...request: Parameters<Thread['call']>): Promise<unknown> {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
    this.#starting ??= this.#start();
    return (await this.#starting).call(...request);
  }

  activity(): StoreActivity[] {
    return this.#running?.activity() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = await this.#starting?.catch(() => undefined);
    await thread?.close();
  }

  async #start(): Promise<Thread> {
    try {
      this.#running = await this.#begin();
      return this.#running;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }
}
