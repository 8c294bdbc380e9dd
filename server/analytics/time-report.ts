import { type VisibleSeconds, visibleSeconds } from '../../shared/visible-time.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { TallyRow } from '../store/counts/analytics-store.ts';
import { type Report, type Row, replies } from './report.ts';

const tally = 'visible-time';
const [shortest] = visibleSeconds;

/** How long pages were seen: of each, views that reached so many seconds. */
export function timeReport(): Report {
  return {
    path: 'time-on-page',
    summary: 'How long people see pages: views that were seen for 10, 30, 60, 180 and 600 seconds at least',
    reply: async () => (await replies()).timeReply,
    field: 'pages',
    columns: ['path', ...visibleSeconds.map(fieldOf)],
    limits: [['path']],
    countsVisitors: false,
    read: async (store, { filter, ...query }) => {
      const names = filter?.path === undefined ? undefined : [filter.path];
      // Whoever sees a page for longer has seen it for the shortest time, too.
      const page = await store.readTally({ ...query, tally, group: String(shortest), names });
      const paths = page.rows.map(({ name }) => name);
      const rows = await readRows(store, query, paths);
      return { head: {}, rows, hasMore: page.hasMore };
    },
  };
}

async function readRows(
  store: AnalyticsStore,
  { projectId, from, to }: Parameters<Report['read']>[1],
  paths: string[],
): Promise<Row[]> {
  const limit = paths.length * visibleSeconds.length;
  const { rows } = await store.readTally({ projectId, from, to, tally, names: paths, limit, offset: 0 });
  const byPath = Map.groupBy(rows, ({ name }) => name);
  return paths.map((path) => ({ path, ...viewsOf(byPath.get(path) ?? []) }));
}

function viewsOf(rows: readonly TallyRow[]): Row {
  const hitsOf = (seconds: VisibleSeconds) => rows.find(({ group }) => group === String(seconds))?.hits ?? 0;
  return Object.fromEntries(visibleSeconds.map((seconds) => [fieldOf(seconds), hitsOf(seconds)]));
}

function fieldOf(seconds: VisibleSeconds): string {
  return `seen${seconds}`;
}
