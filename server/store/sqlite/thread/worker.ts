import { parentPort, workerData } from 'node:worker_threads';
import { giveBackWhenIdle } from '../../../idle-memory.ts';
import { StoreError } from '../../store.ts';
import { withTrouble } from '../trouble.ts';
import type { Offer, ThreadReply, ThreadRequest, WorkerData } from './message.ts';
import { readerOperations, type ThreadStore, threadStores } from './thread-store.ts';

const { role, file, opener } = workerData as WorkerData;
const port = parentPort;
if (!port) throw new Error('This file runs only as a worker thread.');

type Operation = (...args: unknown[]) => unknown;

let store: ThreadStore;
let parts: Record<string, Record<string, Operation>>;

function open(): Offer {
  store = threadStores[role](file, opener);
  parts = store.parts as typeof parts;
  const names = Object.entries(parts).map(([part, operations]) => [part, Object.keys(operations)]);
  return { operations: Object.fromEntries(names), readerOperations, notices: store.notices };
}

function run({ operation, args }: ThreadRequest): unknown {
  if (operation === 'open') return open();
  if (operation === 'close') return store.close();
  const { part, name } = operation;
  const found = parts[part]?.[name];
  if (!found) throw new Error(`The store's ${role} has no operation ${part}.${name}.`);
  return runChecked(() => found(...args));
}

/** What was done is good only if the files were the right ones before it and still are. */
async function runChecked(operation: () => unknown): Promise<unknown> {
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

function failure(id: number, error: unknown): ThreadReply {
  const known = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof StoreError ? error.code : undefined;
  return { id, error: { message: known.message, code, stack: known.stack } };
}

giveBackWhenIdle(() => store.shrink());

port.on('message', async (request: ThreadRequest) => {
  const { id } = request;
  try {
    port.postMessage({ id, result: await run(request) } satisfies ThreadReply);
  } catch (error) {
    port.postMessage(failure(id, error));
  }
});
