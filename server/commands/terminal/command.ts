import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../log.ts';
import type { MoveSource, MoveTarget } from '../../store/moved-tables.ts';
import type { ReadOnlyStore, Store } from '../../store/store.ts';
import type { StoreFiles } from '../../store/store-files.ts';

/** What a command is handed: nothing below main reads the process itself. */
export interface Terminal {
  config: Config;
  log: Log;
  /** Milliseconds since 1970, as far as the clock can be believed. */
  now: () => number;
  clock: Clock;
  /** @throws StoreError `missing` where there is none */
  openStore: () => Promise<Store>;
  /** The same for what a new installation begins with. */
  openOrMakeStore: () => Promise<Store>;
  /** The same for the one server that may run on the data folder. @throws StoreError where there is one already */
  openServerStore: () => Promise<Store>;
  /** Opens what is there without changing any file. */
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
  /** Standard error, for what is said while a command is at work. */
  note: (text: string) => void;
  /** The same as it is, with what moves the cursor; never for a text from outside. */
  draw: (text: string) => void;
  /** A person is looking at what is noted, on a screen where lines can be drawn over. */
  isWatched: boolean;
  /** Standard input as bytes. */
  input: Readable;
  /** Standard output as bytes. */
  output: Writable;
  /** What a person types without seeing it. @throws UsageError where nobody can be asked */
  askSecret: (question: string) => Promise<string>;
  /** All of standard input. @throws UsageError where a person would have to type it */
  readInput: () => Promise<string>;
  /** Resolves when the process is asked to end. */
  untilStopped: () => Promise<void>;
}

export interface Command {
  help: string;
  /** `args`: what follows the command's name. @throws UsageError */
  run(args: string[], terminal: Terminal): Promise<void>;
}

/** The command line cannot be understood; the message says what to write instead. Ends with exit code 2. */
export class UsageError extends Error {}

/** What was asked for does not exist or is not possible. Ends with exit code 1. */
export class CommandError extends Error {}
