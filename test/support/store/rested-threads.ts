import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { Worker } from 'node:worker_threads';

/** What runs in each thread of a store. */
const script = new URL('../../../server/store/sqlite/thread/worker.ts', import.meta.url).href;

const atRest: StoreThread[] = [];

/** A thread that rests when its store has closed its database, until another store takes it. */
class StoreThread extends Worker {
  #owed = 0;

  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    this.#listen();
  }

  #listen(): void {
    this.on('message', (message: object) => {
      // What is no answer was not asked for, such as a notice of what was committed.
      if ('id' in message) this.#owed -= 1;
    });
  }

  override postMessage(...args: Parameters<Worker['postMessage']>): void {
    this.#owed += 1;
    super.postMessage(...args);
  }

  /** Ends one that still owes an answer, which the next store would take for its own. */
  override async terminate(): Promise<number> {
    if (this.#owed !== 0) return super.terminate();
    this.emit('exit', 0);
    for (const event of ['message', 'error', 'exit']) this.removeAllListeners(event);
    this.#listen();
    // To listen anew keeps the process alive.
    this.unref();
    atRest.push(this);
    return 0;
  }
}

/** Each file of tests runs what sets it up anew, in one process. */
const isSetUp = Symbol.for('headcount: threads of stores rest');

/**
 * To start a thread is most of what it takes to open a store, as it loads all that a store is made of. Tests open thousands
 * of stores one after the other, where a server opens one.
 */
if (!(isSetUp in workerThreads)) {
  workerThreads.Worker = new Proxy(Worker, {
    construct: (usual, [from, options]) =>
      String(from) === script ? (atRest.pop() ?? new StoreThread(from, options)) : new usual(from, options),
  });
  Object.assign(workerThreads, { [isSetUp]: true });
  syncBuiltinESMExports();
}
