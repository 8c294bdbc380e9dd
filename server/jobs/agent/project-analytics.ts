import { readMeasured } from '../../analytics/measured.ts';
import { parseRange } from '../../analytics/range.ts';
import { ApiError } from '../../errors.ts';
import { factsOf } from '../../identity/client-facts.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { RangeQuery } from '../../store/counts/range-query.ts';
import type { Store } from '../../store/store.ts';
import type { AnalyticsQuery, ProjectAnalytics } from './tools/analytics.ts';
import { ToolError } from './tools/tool-error.ts';

/** What an agent may ask about the site it works on, answered from the same counts as the reports. */
export function projectAnalytics(store: Store, { id, settings }: LiveProject): ProjectAnalytics {
  const toRange = ({ limit, ...dates }: AnalyticsQuery): RangeQuery => {
    try {
      return { projectId: id, ...parseRange(dates, settings.timeZone), limit, offset: 0 };
    } catch (error) {
      throw error instanceof ApiError ? new ToolError(error.message) : error;
    }
  };
  return {
    visitors: async (query) => {
      const range = toRange(query);
      const report = await store.readCounts({ ...range, dimension: 'path', measure: 'visitors' });
      const visitors = report.rows.map(({ name, ...count }) => ({ path: name, ...count }));
      const measured = await readMeasured(store, range);
      return { totals: report.totals, visitors, hasMore: report.hasMore, measured };
    },
    aiClients: async (query) => {
      const range = toRange(query);
      const { rows, hasMore } = await store.readClients(range);
      const aiClients = rows.map(({ name, visitors, views }) => {
        const { operator, purpose } = factsOf(name);
        return {
          client: name,
          operator: operator ?? 'unknown',
          purpose: purpose ?? 'unknown',
          visitors,
          views,
        };
      });
      return { aiClients, hasMore, measured: await readMeasured(store, range) };
    },
    aiFailures: async (query) => {
      const { rows, hasMore } = await store.readTally({ ...toRange(query), tally: 'ai-failures' });
      const failures = rows.map(({ group, name, hits }) => {
        const [client = '', status = ''] = group.split('\t');
        return { path: name, client, status, requests: hits };
      });
      return { failures, hasMore };
    },
  };
}
