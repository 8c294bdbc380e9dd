import type { CombinedName } from '../../../../shared/reports/combined.ts';
import { type Day, momentOf, timeOf } from '../../../counting/calendar.ts';
import { addFound, type Counts, type Found, nothingFound } from '../../../counting/cells/question.ts';
import { kindBits } from '../../../counting/sum.ts';
import type { Sql } from '../../../database/sql.ts';
import { findProject, type ReportTables } from '../count-tables.ts';
import { findPaths } from '../day-cells.ts';

export interface LiveQuery {
  projectId: string;
  /** The first of the days that the last minutes may be on, and the day after the last. */
  from: Day;
  to: Day;
  /** Milliseconds since 1970. */
  now: number;
  /** Who came before that is gone. */
  recentMs: number;
  /** Minutes whose views are counted one by one, with the one that is not over. */
  minutes: number;
  /** Rows of each list. */
  limit: number;
  /** Whether views of these minutes are from one of them is answered, too. */
  countries: readonly string[];
}

/** Visitors, by what they are counted under. */
interface LiveRow {
  name: string;
  human: number;
  ai: number;
  total: number;
}

type LiveList = 'path' | Extract<CombinedName, 'source' | 'country' | 'client'>;

export interface LiveReport {
  visitors: Omit<LiveRow, 'name'>;
  lists: Record<LiveList, LiveRow[]>;
  /** Views, the oldest minute first. */
  perMinute: { human: number; ai: number }[];
  /** Whether some of these views are from one of the countries. */
  isIncluding: boolean;
}

const lists = ['path', 'source', 'country', 'client'] as const satisfies readonly LiveList[];
const minuteMs = 60_000;

/** Who is there now, by the views of days that are not closed. */
export function liveReports(sql: Sql, tables: ReportTables) {
  return {
    /** Visitors of the last `recentMs`, each once a day. */
    readLive: ({ projectId, from, to, now, recentMs, minutes, limit, countries }: LiveQuery) =>
      sql.snapshot(async (snapshot): Promise<LiveReport> => {
        let isIncluding = false;
        const start = (Math.floor(now / minuteMs) - minutes + 1) * minuteMs;
        const perMinute = Array.from({ length: minutes }, () => ({ human: 0, ai: 0 }));
        const all = nothingFound();
        const found = {
          path: nothingFound(),
          source: nothingFound(),
          country: nothingFound(),
          client: nothingFound(),
        };
        const project = await findProject(snapshot, tables, projectId);
        const since = (day: Day) => momentOf(day, start);
        const open = project ? await tables.openViews(snapshot, project, { from, to }, since) : [];
        for (const { day, views } of open) {
          const counted = views.since(since(day));
          if (countries.length > 0 && !isIncluding) {
            const fromThere = {
              name: 'country',
              isNot: false,
              is: (one: string) => countries.includes(one),
            } as const;
            const asked = { conditions: [fromThere], pages: [], by: null, renamed: null };
            isIncluding = counted.answer(asked, () => undefined).totals.from.some((count) => count > 0);
          }
          for (const kind of ['human', 'ai'] as const) {
            for (const moment of counted.momentsOf(kindBits[kind])) {
              const minute = perMinute[Math.floor((timeOf(day, moment) - start) / minuteMs)];
              if (minute) minute[kind]++;
            }
          }
          const recent = counted.since(momentOf(day, now - recentMs + 1));
          const names = project ? await findPaths(snapshot, project.id, recent) : new Map<number, string>();
          const answer = (by: LiveList | null) =>
            recent.answer({ conditions: [], pages: [], by, renamed: project?.renamed ?? null }, (path) =>
              names.get(path),
            );
          addFound(all, answer(null));
          for (const by of lists) addFound(found[by], answer(by));
        }
        return {
          visitors: countOf(all.totals.from),
          lists: {
            path: rowsOf(found.path, limit),
            source: rowsOf(found.source, limit),
            country: rowsOf(found.country, limit),
            client: rowsOf(found.client, limit),
          },
          ...{ perMinute, isIncluding },
        };
      }),
  };
}

const countOf = ([human, ai, total]: Counts) => ({ human, ai, total });

function rowsOf({ rows }: Found, limit: number): LiveRow[] {
  return [...rows]
    .map(([name, { from }]) => ({ name, ...countOf(from) }))
    .sort((a, b) => b.total - a.total || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .slice(0, limit);
}
