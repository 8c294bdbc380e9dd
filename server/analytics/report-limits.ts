import type { ReportQuery } from '../../shared/reports/analytics.ts';
import { overloaded } from '../errors.ts';

/** Who asks for reports: the project's owner, or anyone with the link to its shared page. */
export type Audience = 'project' | 'page_link';

export type ReportLimits = Record<Audience, Record<ReportQuery['format'], ConcurrencyLimit>>;

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
    json: new ConcurrencyLimit({ max: 2 * maxEach, maxEach }),
    csv: new ConcurrencyLimit(files),
  };
}

interface Bounds {
  /** Of all together. */
  max: number;
  /** Of one project. */
  maxEach: number;
}

/** Runs a bounded number of tasks at once, and fewer of each project; further ones get an error that asks to retry. */
export class ConcurrencyLimit {
  readonly #bounds: Bounds;
  readonly #running = new Map<string, number>();
  #all = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @throws ApiError `overloaded` */
  async run<T>(projectId: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(projectId) ?? 0;
    if (running >= this.#bounds.maxEach || this.#all >= this.#bounds.max) {
      throw overloaded('Too many reports are being computed; retry in a moment.');
    }
    this.#count(projectId, 1);
    try {
      return await task();
    } finally {
      this.#count(projectId, -1);
    }
  }

  #count(projectId: string, step: 1 | -1): void {
    const running = (this.#running.get(projectId) ?? 0) + step;
    if (running === 0) this.#running.delete(projectId);
    else this.#running.set(projectId, running);
    this.#all += step;
  }
}
