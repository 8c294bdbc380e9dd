import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/** What a command is handed: nothing below main reads the process itself. */
export interface Terminal {
  config: Config;
  log: Log;
  now: () => number;
  openStore: () => Promise<Store>;
  /** Standard output. */
  print: (text: string) => void;
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
