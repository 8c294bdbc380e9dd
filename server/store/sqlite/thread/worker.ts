import { parentPort, workerData } from 'node:worker_threads';
import { giveBackWhenIdle } from '../../../idle-memory.ts';
import { StoreError } from '../../store.ts';
import { withTrouble } from '../trouble.ts';
import { type Engine, engines, readerOperations } from './engine.ts';
import type { Offer, Reply, Request, WorkerData } from './message.ts';

const { role, file, purpose } = workerData as WorkerData;
const port = parentPort;
if (!port) throw new Error('This file runs only as a worker thread.');

type Operation = (...args: unknown[]) => unknown;

let engine: Engine;
let parts: Record<string, Record<string, Operation>>;

function open(): Offer {
  engine = engines[role](file, purpose);
  parts = engine.parts as typeof parts;
  const names = Object.entries(parts).map(([part, operations]) => [part, Object.keys(operations)]);
  return { operations: Object.fromEntries(names), readerOperations, notices: engine.notices };
}

function run({ operation, args }: Request): unknown {
  if (operation === 'open') return open();
  if (operation === 'close') return engine.close();
  const { part, name } = operation;
  const found = parts[part]?.[name];
  if (!found) throw new Error(`The store's ${role} has no operation ${part}.${name}.`);
  return runChecked(() => found(...args));
}

/** What was done is good only if the files were the right ones before it and still are. */
async function runChecked(operation: () => unknown): Promise<unknown> {
  try {
    engine.check();
    const result = await operation();
    engine.check();
    return result;
  } catch (error) {
    engine.recover(error);
    throw withTrouble(error, file);
  }
}

function failure(id: number, error: unknown): Reply {
  const known = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof StoreError ? error.code : undefined;
  return { id, error: { message: known.message, code, stack: known.stack } };
}

giveBackWhenIdle(() => engine.shrink());

port.on('message', async (request: Request) => {
  const { id } = request;
  try {
    port.postMessage({ id, result: await run(request) } satisfies Reply);
  } catch (error) {
    port.postMessage(failure(id, error));
  }
});
