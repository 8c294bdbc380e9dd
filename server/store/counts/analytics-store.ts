import type { Count, DayCount, Measure } from '../../../shared/reports/analytics.ts';
import type { Counter } from '../../../shared/reports/counters.ts';
import type { Dimension } from '../../../shared/reports/dimensions.ts';
import type { Condition, Filter } from '../../../shared/reports/pairs.ts';
import type { Day } from '../../counting/calendar.ts';
import type { ConversionsBy } from '../../counting/goal/goal.ts';
import type { CappedViews } from '../../counting/names/name-cap.ts';
import type { SeenClient } from '../../counting/view.ts';
import type { What } from '../../counting/what.ts';
import type { Dropped } from './counting-store.ts';

export interface RangeQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
  limit: number;
  offset: number;
}

/** A range of rows that have a name. */
export interface NamedQuery extends RangeQuery {
  /** Only what has all of this; sums of it have to be kept (server/counting/selection.ts). None given: everything. */
  filter?: Filter | undefined;
  /** Only rows of pages that meet this, where these are not one; reports that add up pages take it. */
  pages?: Condition | undefined;
  /** Only names that contain this, whatever the case, percent escapes read; none given: all. */
  search?: string | undefined;
}

/** Which events there were; or with which properties, of one of them. */
export interface EventQuery extends Omit<NamedQuery, 'filter'> {
  event?: string | undefined;
  order?: CountOrder | undefined;
}

/** Visitors by whom something happened, each once a day, and how often it did. */
export interface EventRow extends Count {
  name: string;
  humanEvents: number;
  aiEvents: number;
  events: number;
}

export interface EventReport {
  /** Visitors of the whole range: of the site, or those by whom the event happened. */
  totals: Count;
  rows: EventRow[];
  hasMore: boolean;
}

/** `aiShare`: (ai + 1) / (human + 1), as the one reader of a page that nobody else reads means little. */
export type CountOrder = 'total' | 'human' | 'ai' | 'aiShare';

/** Which rows are read of all that there are. */
export interface RowChoice {
  /** Only rows of these names. */
  names?: readonly string[] | undefined;
  /** Only rows that AI clients have nothing of, or more than people: this much at least, on the larger side. */
  unevenFrom?: number | undefined;
}

export interface CountQuery extends NamedQuery, RowChoice {
  dimension: Dimension | 'path';
  measure: Measure;
  /** Descending; `total` where none is given. */
  order?: CountOrder | undefined;
}

export interface CountReport {
  /** Of the whole range and the filter, whatever was searched for. */
  totals: Count;
  /** By the order asked for, then total descending, then name ascending by code point. */
  rows: (Count & { name: string })[];
  hasMore: boolean;
}

/** Days from the first, inclusive, to the last, exclusive. */
export interface DaysQuery {
  projectId: string;
  from: Day;
  to: Day;
}

export interface FilteredDaysQuery extends DaysQuery {
  /** As in `NamedQuery`. */
  filter: Filter;
}

/** Some names of a kind, day by day. */
export interface NamedDaysQuery {
  projectId: string;
  /** First day, inclusive, and last day, exclusive. */
  from: Day;
  to: Day;
  of: 'client' | 'source' | 'path';
  names: readonly string[];
}

/** What one name has on a day. */
export interface NamedDay extends DayCounts {
  name: string;
}

/**
 * Hits that were not counted. A database that an older version wrote may hold reasons that are no longer given; the type
 * leaves them out, so that the compiler finds all users of a renamed reason.
 */
export type DroppedRow = Dropped;

/** Views that were counted under `(other)`, by what they name and whose part of a day's new names was used up. */
export interface CappedRow extends Omit<CappedViews, 'what' | 'client'> {
  names: What;
  /** Null: people, or an AI client without a name. */
  client: string | null;
}

/** Those of one day. */
export interface CappedDay extends CappedRow {
  projectId: string;
  day: Day;
}

/** Asks for one sort of sums that are no views. */
export interface CounterQuery extends NamedQuery {
  counter: Counter;
  /** Only those whose group is this, or begins with this and a tab; none given: all. */
  group?: string | undefined;
  /** Only these; none given: all. */
  names?: readonly string[] | undefined;
}

/** First day, inclusive, and last day, exclusive. */
export interface CounterDaysQuery extends Pick<RangeQuery, 'projectId' | 'from' | 'to'> {
  counter: Counter;
  /** Only these; none given: all. */
  names?: readonly string[] | undefined;
}

export interface CounterRow {
  group: string;
  /** `otherName` where a day took in no more names. */
  name: string;
  hits: number;
  amount: number;
}

export interface DayCounts extends DayCount {
  day: Day;
}

/** An hour that has a count. */
export interface HourRow extends DayCounts {
  /** From `00` to `23`. */
  hour: string;
}

/** Of some days. */
export interface HoursReport {
  /** Days after this one are open, and have all their hours; null: none is sealed. */
  sealedThrough: Day | null;
  /** By day and hour. A visitor counts in the hour of its first view. */
  rows: HourRow[];
  /** Days with views whose hours are gone, or not there for all of them. */
  without: Set<Day>;
}

/** People on a page that their visit began with. */
export interface LandingRow {
  source: string;
  path: string;
  visitors: number;
  views: number;
  bounds?: Record<'visitors' | 'views', { from: number; to: number }> | undefined;
}

/** On which pages visits began, or ended. */
export interface VisitPagesQuery extends NamedQuery {
  of: 'entry' | 'exit';
  /** Descending; `total` where none is given. */
  order?: CountOrder | undefined;
}

/** Visits, each a visitor's day, and those of them that were of one page alone. */
export interface VisitCounts extends Count {
  singlePage: Count;
}

export interface VisitPagesReport {
  /** Of the whole range, whatever was searched for. */
  totals: VisitCounts;
  /** By the order asked for, then total descending, then path ascending by code point. */
  rows: (VisitCounts & { path: string })[];
  hasMore: boolean;
  /** Days with views whose visits were not measured, oldest first; no other report lists them. */
  unmeasured: Day[];
}

/** What an AI client did: visitors once a day, and views. */
export interface ClientCounts {
  visitors: number;
  views: number;
}

export interface ClientRow extends ClientCounts {
  name: string;
  proof: SeenClient['proof'] | null;
}

/** Which pages an AI client read. */
export interface ClientPathsQuery extends NamedQuery {
  /** With the views of people; `none`: only pages without one. Left out: they are not read. */
  people?: 'any' | 'none' | undefined;
}

export interface ClientPathRow extends ClientCounts {
  path: string;
  humanViews?: number;
  bounds?: Record<'visitors' | 'views', { from: number; to: number }>;
}

/** When an AI client read pages. */
export interface ReadsQuery {
  projectId: string;
  /** Null: any AI client. */
  client: string | null;
  /** `since`: see `ReadDays`. */
  pages: { path: string; since: Day | null }[];
}

/** Which paths an AI client read from a day on. */
export interface ReadPathsQuery {
  projectId: string;
  /** Null: any AI client. */
  client: string | null;
  from: Day;
}

/** A project's days with a count, oldest first, and the days of each data source with the kind of its hits. */
export interface Glance {
  days: DayCounts[];
  dataSources: DataSourceDays[];
}

export type DataSourceDays = Pick<CounterRow, 'group' | 'name'> & { days: Day[] };

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
