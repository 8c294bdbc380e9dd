import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../log.ts';
import type { ReadOnlyStore, Store } from '../../store/store.ts';
import type { MoveSource, MoveTarget, StoreFiles } from '../../store/store-files.ts';

/** All that a command gets of the process: nothing below main reads the process itself. */
export interface Terminal {
  config: Config;
  log: Log;
  /** Milliseconds since 1970, as far as the clock can be trusted. */
  now: () => number;
  clock: Clock;
  /** @throws StoreError `missing` where there is none */
  openStore: () => Promise<Store>;
  /** The same for commands that may start a new installation. */
  openOrMakeStore: () => Promise<Store>;
  /** The same for the one server that may run on the data folder. @throws StoreError where there is one already */
  openServerStore: () => Promise<Store>;
  /** Opens the existing database without changing any file. */
  observeStore: () => Promise<ReadOnlyStore>;
  /** Whether a server runs on the data folder. */
  isServed: () => Promise<boolean>;
  /** Copies the store, or replaces it by a copy. */
  openFiles: () => Promise<StoreFiles>;
  /** All of a PostgreSQL, or (null) of the data folder, to be moved to the other engine. */
  openMoveSource: (url: string | null) => Promise<MoveSource>;
  /** An empty one that it is moved to. */
  openMoveTarget: (url: string | null) => Promise<MoveTarget>;
  /** Standard output. */
  print: (text: string) => void;
  /** Standard error, for messages while a command runs. */
  note: (text: string) => void;
  /** The same as it is, with what moves the cursor; never for a text from outside. */
  draw: (text: string) => void;
  /** Standard error is a terminal on which lines can be overwritten. */
  isWatched: boolean;
  /** Standard input as bytes. */
  input: Readable;
  /** Standard output as bytes. */
  output: Writable;
  /** Text that a person types without seeing it. @throws UsageError where nobody can be asked */
  askSecret: (question: string) => Promise<string>;
  /** All of standard input. @throws UsageError where a person would have to type it */
  readInput: () => Promise<string>;
  /** Resolves when the process is asked to end. */
  untilStopped: () => Promise<void>;
}

export interface Command {
  help: string;
  /** `args`: the arguments after the command's name. @throws UsageError */
  run(args: string[], terminal: Terminal): Promise<void>;
}

/** The command line cannot be understood; the message says what to write instead. Ends with exit code 2. */
export class UsageError extends Error {}

/** The request is not possible, or its target does not exist. Ends with exit code 1. */
export class CommandError extends Error {}
