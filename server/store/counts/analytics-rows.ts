import type { Count } from '../../../shared/reports/analytics.ts';
import type { Day } from '../../counting/calendar.ts';
import type { NameCap } from '../../counting/names/name-cap.ts';
import { type KindBit, kindBits } from '../../counting/sum.ts';
import { nameOf, splitClient } from '../../counting/what.ts';
import type {
  CappedRow,
  ClientCounts,
  ClientRow,
  DayCounts,
  HoursReport,
  VisitCounts,
  VisitPagesReport,
} from './analytics-store.ts';

/** Sums of a day, as engines keep them. */
export interface KeptDay {
  day: Day;
  human_visitors: number;
  ai_visitors: number;
  visitors: number;
  human_views: number;
  ai_views: number;
}

export function toDayCounts(kept: KeptDay): DayCounts {
  return {
    day: kept.day,
    visitors: { human: kept.human_visitors, ai: kept.ai_visitors, total: kept.visitors },
    views: { human: kept.human_views, ai: kept.ai_views, total: kept.human_views + kept.ai_views },
  };
}

/** An hour of a day, or the whole day: then it is null. */
export type KeptHour = KeptDay & { hour: string | null };

/** Hours tell of a day only where they add up to it. @param kept by day and hour */
export function toHoursReport(sealedThrough: Day | null, kept: readonly KeptHour[]): HoursReport {
  const missing = new Map<Day, { human: number; ai: number }>();
  for (const { day, hour, human_views, ai_views } of kept) {
    const { human, ai } = missing.get(day) ?? { human: 0, ai: 0 };
    const sign = hour === null ? 1 : -1;
    missing.set(day, { human: human + sign * human_views, ai: ai + sign * ai_views });
  }
  const without = new Set<Day>();
  for (const [day, { human, ai }] of missing) if (human !== 0 || ai !== 0) without.add(day);
  const rows = kept.flatMap(({ hour, ...day }) =>
    hour === null || without.has(day.day) ? [] : [{ hour, ...toDayCounts(day) }],
  );
  return { sealedThrough, rows, without };
}

/** Of names with their proofs or, where they are of one path, without. */
export function toClientRow({ name, visitors, views }: ClientCounts & { name: string }): ClientRow {
  const { name: client, proof = null } = splitClient(name);
  return { name: client, proof, visitors, views };
}

/** Views under `(other)`, as engines keep them. */
export interface KeptCapped {
  what: number;
  cap: NameCap;
  kind: KindBit;
  client: string;
  views: number;
}

export function toCappedRow({ what, cap, kind, client, views }: KeptCapped): CappedRow {
  return {
    names: nameOf(what),
    cap,
    kind: kind === kindBits.human ? 'human' : 'ai',
    client: client === '' ? null : client,
    views,
  };
}

/** A row of a visit report as SQL has it. */
export interface FlatVisits extends Count {
  path: string;
  singleHuman: number;
  singleAi: number;
  singleTotal: number;
}

export function toVisitCounts({ human, ai, total, ...single }: Omit<FlatVisits, 'path'>): VisitCounts {
  const { singleHuman, singleAi, singleTotal } = single;
  return { human, ai, total, singlePage: { human: singleHuman, ai: singleAi, total: singleTotal } };
}

export const noVisits: VisitPagesReport = {
  totals: toVisitCounts({ human: 0, ai: 0, total: 0, singleHuman: 0, singleAi: 0, singleTotal: 0 }),
  rows: [],
  hasMore: false,
  unmeasured: [],
};
