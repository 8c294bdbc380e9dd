import type { ReportQuery } from '../../shared/reports/analytics.ts';
import { overloaded } from '../errors.ts';

/** Who asks for reports: the project's owner, or anyone with the link to its shared page. */
export type Audience = 'project' | 'page_link';

export type ReportLimits = Record<
  Audience,
  Record<ReportQuery['format'], ReturnType<typeof concurrencyLimit>>
>;

/** Files take longer, and each has up to 50,000 rows in memory. */
const files = { max: 12, maxEach: 4 };

/**
 * Reports that run or wait at once; one takes some 20 ms of a thread of its own, which all share. No project takes all
 * there is, and visitors of the shared page do not hold up the owner.
 */
export function createReportLimits(): ReportLimits {
  return { project: limitsOf(200), page_link: limitsOf(20) };
}

function limitsOf(maxEach: number): ReportLimits[Audience] {
  return {
    json: concurrencyLimit({ max: 2 * maxEach, maxEach }),
    csv: concurrencyLimit(files),
  };
}

interface Bounds {
  /** Of all together. */
  max: number;
  /** Of one project. */
  maxEach: number;
}

/** Runs a bounded number of tasks at once, and fewer of each project; further ones get an error that asks to retry. */
function concurrencyLimit({ max, maxEach }: Bounds) {
  const running = new Map<string, number>();
  let all = 0;
  const count = (projectId: string, step: 1 | -1) => {
    const now = (running.get(projectId) ?? 0) + step;
    if (now === 0) running.delete(projectId);
    else running.set(projectId, now);
    all += step;
  };
  return {
    /** @throws ApiError `overloaded` */
    async run<T>(projectId: string, task: () => Promise<T>): Promise<T> {
      if ((running.get(projectId) ?? 0) >= maxEach || all >= max)
        throw overloaded('Too many reports are being computed; retry in a moment.');
      count(projectId, 1);
      try {
        return await task();
      } finally {
        count(projectId, -1);
      }
    },
  };
}
