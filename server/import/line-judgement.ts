import type { Day } from '../counting/calendar.ts';
import { type LineOutcome, outcomes } from './import-result.ts';

interface Settled {
  readonly kind: 'settled';
  readonly outcome: LineOutcome;
}

/** What became of a line. `unopened`: this day has to be opened first, and then the line is judged again. */
export type LineJudgement =
  | Settled
  | { readonly kind: 'noRequest' }
  | { readonly kind: 'unopened'; readonly day: Day };

/** Made once, as there are millions of lines. */
export const settled = Object.fromEntries(
  outcomes.map((outcome) => [outcome, { kind: 'settled', outcome } satisfies Settled]),
) as Readonly<Record<LineOutcome, Settled>>;

export const noRequest: LineJudgement = { kind: 'noRequest' };
