import type { ReportQuery } from '../../shared/reports/analytics.ts';
import { ConcurrencyLimit } from '../http/concurrency-limit.ts';

/** Who asks for reports: the project's owner, or whoever has a link to its shared page. */
export type Audience = 'project' | 'page_link';

export type ReportLimits = Record<Audience, Record<ReportQuery['format'], ConcurrencyLimit>>;

/** Files take longer, and each holds up to 50,000 rows while it is read. */
const files = { max: 12, maxEach: 4 };

/**
 * Reports that run or wait at once; one takes some 20 ms of a thread of its own, which all share. No project takes all
 * there is, and whoever has a link does not hold up the owner.
 */
export function createReportLimits(): ReportLimits {
  return { project: limitsOf(200), page_link: limitsOf(20) };
}

function limitsOf(maxEach: number): ReportLimits[Audience] {
  return {
    json: new ConcurrencyLimit({ max: 2 * maxEach, maxEach }),
    csv: new ConcurrencyLimit(files),
  };
}
