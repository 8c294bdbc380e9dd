import type { Day } from '../counting/calendar.ts';
import { type Outcome, outcomes } from './import-result.ts';

interface Settled {
  readonly kind: 'settled';
  readonly outcome: Outcome;
}

/** What became of a line. `unopened`: this day has to be opened first, and then the line is judged again. */
export type Judgement =
  | Settled
  | { readonly kind: 'noRequest' }
  | { readonly kind: 'unopened'; readonly day: Day };

/** Made once, as there are millions of lines. */
export const settled = Object.fromEntries(
  outcomes.map((outcome) => [outcome, { kind: 'settled', outcome } satisfies Settled]),
) as Readonly<Record<Outcome, Settled>>;

export const noRequest: Judgement = { kind: 'noRequest' };
