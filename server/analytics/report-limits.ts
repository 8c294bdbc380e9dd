import type { ReportQuery } from '../../shared/analytics.ts';
import { ConcurrencyLimit } from '../http/concurrency-limit.ts';

/** Who asks for reports: the project's owner, or whoever has a link to its shared page. */
export type Audience = 'project' | 'page_link';

export type ReportLimits = Record<Audience, Record<ReportQuery['format'], ConcurrencyLimit>>;

/** Files take longer. */
const maxFiles = 4;

/** Reports that run or wait at once; one takes some 20 ms of a thread of its own, which all share. */
export function createReportLimits(): ReportLimits {
  return {
    project: limitsOf(200),
    // Whoever has the link shall not hold up the owner.
    page_link: limitsOf(20),
  };
}

function limitsOf(maxReports: number): ReportLimits[Audience] {
  return { json: new ConcurrencyLimit(maxReports), csv: new ConcurrencyLimit(maxFiles) };
}
