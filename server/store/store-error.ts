export type StoreFault = 'full' | 'read_only';

/**
 * `missing`: there is none; `newer`: written by a newer version; `foreign`: written by something else; `damaged`: not as it
 * was written, which waiting does not change; `unusable`: cannot be opened; `in_use`: somebody else has it; `unfinished`: what
 * was begun has to be ended first; `closed`: the store has ended; `unavailable`: the machine does not let it work, nothing was
 * done, and it may work again.
 */
export const storeErrorCodes = [
  'missing',
  'newer',
  'foreign',
  'damaged',
  'unusable',
  'in_use',
  'unfinished',
  'closed',
  'unavailable',
] as const;

/** Ends messages about it: each server has this page. */
export const aboutDamage = 'see /help/operations.html#if-the-file-is-damaged on any Headcount server.';

export class StoreError extends Error {
  readonly code: (typeof storeErrorCodes)[number];
  /** Why it is `unavailable`, where that is no secret. */
  readonly fault: StoreFault | undefined;

  constructor(
    code: StoreError['code'],
    message: string,
    { fault, ...options }: ErrorOptions & { fault?: StoreFault | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.fault = fault;
    // The message is enough: the stack of a full disk helps nobody.
    if (code === 'unavailable' || code === 'damaged') this.stack = message;
  }
}

/** Before it is said that something is not there. @throws StoreError `damaged` where one of the tables has lost rows */
export function requireComplete(incomplete: ReadonlySet<string>, ...tables: string[]): void {
  const [lost] = tables.filter((table) => incomplete.has(table));
  if (lost !== undefined) throw new StoreError('damaged', `Rows of the table ${lost} cannot be read.`);
}

/** Whether the machine or its disk is to blame. */
export function isTrouble({ code }: StoreError): boolean {
  return code === 'unavailable' || code === 'damaged';
}

/** As `ThrottledLogger` takes it. */
export function describeTroubles(times: number): string {
  return times === 1 ? 'The store failed:' : `The store failed ${times} times:`;
}
