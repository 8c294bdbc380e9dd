import type { Dimension } from '../../shared/reports/dimensions.ts';
import type { Day } from './calendar.ts';
import type { CounterSet } from './counter.ts';

export type CountedKind = 'human' | 'ai';

/** An AI client, and how well that is proved. */
export interface SeenClient {
  name: string;
  proof: 'verified' | 'claimed' | 'inferred';
}

export interface CountedEvent {
  name: string;
  /** Each with its value, by `joinProperty`. */
  properties: readonly string[];
}

/** A hit that counts. */
export interface View extends Record<Dimension, string | null> {
  projectId: string;
  day: Day;
  /** 64 bits, signed. The same person on another day is another number. */
  visitor: bigint;
  /** 32 bits, signed: the visitor's network on this day. */
  network: number;
  kind: CountedKind;
  path: string;
  /** Of the day in the project's time zone, from `00` to `23`. */
  hour: string | null;
  /** When it was, by `momentOf`. */
  moment: number;
  /** Null for people. */
  client: SeenClient | null;
  /** What it adds to besides, with how many bytes were sent. */
  counters?: CounterSet;
  bytes?: number;
  /** Its project has goals, so that the source of its visit is kept. */
  hasGoals?: boolean;
  /** The hit is an event on the page then, and counts only as that. */
  event?: CountedEvent;
}
