import type { Day } from '../../counting/calendar.ts';
import type { ConversionsBy } from '../../counting/goal/goal.ts';
import type { RangeQuery } from './range-query.ts';

export interface GoalsQuery extends RangeQuery {
  search?: string | undefined;
}

/** People once a day, and those of them who reached a goal. */
export interface PeopleAndConversions {
  people: number;
  conversions: number;
}

/** The same of days for which that is known. */
export interface ConversionTotals extends PeopleAndConversions {
  /** How many days with views of people it is known for. */
  measured: number;
  /** The days with views of people for which it is not known, oldest first. */
  unmeasured: Day[];
}

export interface GoalRow extends ConversionTotals {
  goal: string;
}

/** A step of a funnel that is set: those who made it and all before it count as conversions. */
export interface FunnelRow extends ConversionTotals {
  funnel: string;
  /** From 1. */
  step: number;
  goal: string;
  /** Those who made the first step. */
  began: number;
}

/** Who reached one goal, by what the visit began with. */
export interface ConversionQuery extends GoalsQuery {
  goal: string;
  /** A channel is a group of sources, and a section one of pages. */
  by: ConversionsBy | 'channel' | 'section';
}

/** At least so many. */
export interface ConversionRow extends PeopleAndConversions {
  name: string;
  /** Of a section; null: it has none. */
  path?: string | null;
  /** Missing: it is exact. */
  bounds?: Record<keyof PeopleAndConversions, { from: number; to: number }>;
}

export interface ConversionReport {
  /** Whatever was searched for; people who had no view on the day have no row. */
  totals: ConversionTotals;
  /** By conversions descending, then people descending, then name ascending by code point. */
  rows: ConversionRow[];
  hasMore: boolean;
}
