import type { Sum } from '../../../../counting/sum.ts';
import type { FlatVisits } from '../../../counts/analytics-rows.ts';
import type { MeasuredDay } from './visit-views.ts';

export type VisitSums = Omit<FlatVisits, 'path'>;

/** Pages on which visits of open days began, or ended. Forgotten ones have no name, and are left out. */
export function openPages(days: readonly MeasuredDay[], of: 'entry' | 'exit'): FlatVisits[] {
  const pages = new Map<number, FlatVisits | null>();
  for (const { sums, nameOf } of days) {
    const pageAt = (number: number) => {
      const known = pages.get(number);
      if (known !== undefined) return known;
      const path = nameOf(number);
      const page = path === undefined ? null : { path, ...noSums };
      pages.set(number, page);
      return page;
    };
    const { [of]: ends, singlePage } = sums();
    for (const [number, sum] of ends) addVisits(pageAt(number), sum);
    for (const [number, sum] of singlePage) addSingle(pageAt(number), sum);
  }
  return [...pages.values()].filter((page) => page !== null);
}

/** Adds visits of open days: of pages, and of all days in place of the pages where there are any. */
export function addOpen(
  totals: VisitSums,
  pages: readonly FlatVisits[],
  days?: readonly MeasuredDay[],
): void {
  for (const page of pages) {
    addSingles(totals, page);
    if (!days) addEnds(totals, page);
  }
  for (const { all } of days ?? []) addVisits(totals, all);
}

export function addPage(to: VisitSums, page: VisitSums): void {
  addEnds(to, page);
  addSingles(to, page);
}

function addEnds(to: VisitSums, { human, ai, total }: VisitSums): void {
  to.human += human;
  to.ai += ai;
  to.total += total;
}

function addSingles(to: VisitSums, { singleHuman, singleAi, singleTotal }: VisitSums): void {
  to.singleHuman += singleHuman;
  to.singleAi += singleAi;
  to.singleTotal += singleTotal;
}

type Visitors = Pick<Sum, 'humanVisitors' | 'aiVisitors' | 'visitors'>;

const noSums: VisitSums = { human: 0, ai: 0, total: 0, singleHuman: 0, singleAi: 0, singleTotal: 0 };

function addVisits(to: VisitSums | null, { humanVisitors, aiVisitors, visitors }: Visitors): void {
  if (!to) return;
  to.human += humanVisitors;
  to.ai += aiVisitors;
  to.total += visitors;
}

function addSingle(to: VisitSums | null, { humanVisitors, aiVisitors, visitors }: Visitors): void {
  if (!to) return;
  to.singleHuman += humanVisitors;
  to.singleAi += aiVisitors;
  to.singleTotal += visitors;
}
