/** What a node fetched of a list of published addresses. */
export interface SharedCopy {
  feed: string;
  /** When it was known to be what the operator publishes, in milliseconds since 1970. */
  asOf: number;
  /** As identity writes and reads it. */
  text: string;
}

/** Lists of published addresses that one node fetches for all. */
export interface RangeStore {
  readCopies(): Promise<SharedCopy[]>;
  /** Nothing replaces what is newer. */
  keepCopy(copy: SharedCopy): Promise<void>;
  /** Lets one node fetch for `refreshMs` at most; false: another one is about it. */
  claimRefresh(node: string): Promise<boolean>;
  /** The node is done. */
  endRefresh(node: string): Promise<void>;
}

/** Longer than all of it takes where every operator is slow. */
export const refreshMs = 20 * 60_000;
