import type { Sql } from '../../database/sql.ts';
import type { ReportTables } from './count-tables.ts';
import { combinedReports } from './reports/combined.ts';
import { counterReports } from './reports/counters.ts';
import { countReports } from './reports/counts.ts';
import { goalReports } from './reports/goals.ts';
import { liveReports } from './reports/live.ts';
import { readReports } from './reports/reads.ts';
import { sectionReports } from './reports/sections.ts';
import { seriesReports } from './reports/series.ts';
import { visitReports } from './reports/visit-pages.ts';

export type AnalyticsStore = ReturnType<typeof analytics>;

/** Reports, each of one moment. */
export function analytics(sql: Sql, tables: ReportTables) {
  return {
    ...combinedReports(sql, tables),
    ...countReports(sql, tables),
    ...goalReports(sql, tables),
    ...liveReports(sql, tables),
    ...readReports(sql, tables),
    ...sectionReports(sql, tables),
    ...seriesReports(sql, tables),
    ...counterReports(sql, tables),
    ...visitReports(sql, tables),
  };
}
