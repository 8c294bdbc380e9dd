import type { Day } from './calendar.ts';
import type { Traits } from './traits.ts';

export type CountedKind = 'human' | 'ai';

/** An AI client, and how well it is founded that it is that client. */
export interface SeenClient {
  name: string;
  proof: 'verified' | 'claimed' | 'inferred';
}

/** A hit that passed every step. */
export interface View {
  projectId: string;
  day: Day;
  /** 64 bits, signed. The same person on another day is another number. */
  visitor: bigint;
  kind: CountedKind;
  path: string;
  /** Where the visit came from; null inside the site. */
  source: string | null;
  traits: Traits;
  /** ISO 3166-1 alpha-2; null where the operator gave no database. */
  country: string | null;
  /** Null for people. */
  client: SeenClient | null;
}
