import { parentPort } from 'node:worker_threads';
import { giveBackWhenIdle } from '../../../process/idle-memory.ts';
import { StoreError } from '../../store.ts';
import { isDamage, withTrouble } from '../trouble.ts';
import type { Offer, Opening, ThreadReply, ThreadRequest } from './open-thread.ts';
import { operationsOf, readerOperations, type ThreadStore, threadStores } from './thread-store.ts';

const port = parentPort;
if (!port) throw new Error('This file runs only as a worker thread.');

type Operation = (...args: unknown[]) => unknown;

/** None before it is opened, and after it was closed. */
let opened:
  | { store: ThreadStore; parts: Record<string, Record<string, Operation>>; file: string }
  | undefined;

async function open({ role, file, opener }: Opening): Promise<Offer> {
  const store = await openStore(role, file, opener);
  const parts = store.parts as Record<string, Record<string, Operation>>;
  opened = { store, parts, file };
  return { operations: operationsOf(parts), readerOperations, notices: store.notices };
}

async function openStore(
  role: Opening['role'],
  file: string,
  opener: Opening['opener'],
): Promise<ThreadStore> {
  try {
    return await threadStores[role](file, opener, (notice) => port?.postMessage({ notice }));
  } catch (error) {
    throw isDamage(error) ? withTrouble(error, file) : error;
  }
}

function close(): void {
  opened?.store.close();
  opened = undefined;
}

function run({ operation, args }: ThreadRequest): unknown {
  if (operation === 'open') return open(args[0] as Opening);
  if (operation === 'close') return close();
  const { part, name } = operation;
  const found = opened?.parts[part]?.[name];
  if (!opened || !found) throw new Error(`This thread of the store has no operation ${part}.${name}.`);
  return runChecked(opened, () => found(...args));
}

/** What was done is good only if the files were the right ones before it and still are. */
async function runChecked(
  { store, file }: { store: ThreadStore; file: string },
  operation: () => unknown,
): Promise<unknown> {
  try {
    store.check();
    const result = await operation();
    store.check();
    return result;
  } catch (error) {
    store.recover(error);
    throw withTrouble(error, file);
  }
}

function systemOf({ code, errno, syscall }: NodeJS.ErrnoException) {
  return syscall === undefined ? undefined : { code, errno, syscall };
}

function failure(id: number, error: unknown): ThreadReply {
  const known = error instanceof Error ? error : new Error(String(error));
  const { code, fault } = error instanceof StoreError ? error : {};
  return { id, error: { message: known.message, code, fault, stack: known.stack, system: systemOf(known) } };
}

giveBackWhenIdle(() => opened?.store.shrink());

port.on('message', async (request: ThreadRequest) => {
  const { id } = request;
  try {
    port.postMessage({ id, result: await run(request) } satisfies ThreadReply);
  } catch (error) {
    port.postMessage(failure(id, error));
  }
});
