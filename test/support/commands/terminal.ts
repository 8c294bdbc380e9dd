import { PassThrough, Readable } from 'node:stream';
import type { Terminal } from '../../../server/commands/terminal/command.ts';
import type { Headcount } from '../headcount.ts';
import { openChosenFiles } from '../store/chosen-engine.ts';

/** For a command that is run in this process, on the store of a running server, which it leaves open. */
export function terminalOf({ context }: Headcount, given: Partial<Terminal>): Terminal {
  const { config, log, store, clock } = context;
  const open = async () => ({ ...store, close: async () => undefined });
  return {
    config,
    log,
    clock,
    now: clock.now,
    openStore: open,
    openOrMakeStore: open,
    openServerStore: open,
    observeStore: open,
    isServed: async () => true,
    openFiles: () => openChosenFiles(config),
    openMoveSource: () => Promise.reject(new Error('It is not asked for.')),
    openMoveTarget: () => Promise.reject(new Error('It is not asked for.')),
    print: () => undefined,
    draw: () => undefined,
    note: () => undefined,
    isWatched: false,
    input: Readable.from([]),
    output: new PassThrough(),
    askSecret: async () => '',
    readInput: async () => '',
    untilStopped: () => new Promise<void>(() => undefined),
    ...given,
  };
}
