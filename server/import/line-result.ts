import type { Day } from '../counting/calendar.ts';
import { logReasons } from '../counting/drop-rules.ts';
import { type LineOutcome, outcomes, staysOpen } from './import-result.ts';

export interface Settled {
  readonly kind: 'settled';
  readonly outcome: LineOutcome;
  /** A later import may count the line. */
  readonly isOpen: boolean;
  /** It is no request for a page, so that it says nothing about whose site the log is of. */
  readonly isOther: boolean;
}

/** The result for a line. `unopened`: this day has to be opened first, and then the line is classified again. */
export type LineResult =
  | Settled
  | { readonly kind: 'noRequest' }
  | { readonly kind: 'unopened'; readonly day: Day };

/** Made once, as there are millions of lines. */
export const settled = Object.fromEntries(
  outcomes.map((outcome) => [
    outcome,
    {
      ...{ kind: 'settled', outcome },
      ...{ isOpen: staysOpen(outcome), isOther: (logReasons as readonly string[]).includes(outcome) },
    } satisfies Settled,
  ]),
) as Readonly<Record<LineOutcome, Settled>>;

export const noRequest: LineResult = { kind: 'noRequest' };
