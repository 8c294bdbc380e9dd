import type { StoreFault } from '../../store.ts';
import type { Opener } from '../opening.ts';
import type { Role } from './thread-store.ts';

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

/** What was committed tells of. */
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
