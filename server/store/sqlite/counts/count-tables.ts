import { hasGoals } from '../../../../shared/project/goals.ts';
import type { Day } from '../../../counting/calendar.ts';
import { searchableText } from '../../../counting/names/name-search.ts';
import { what } from '../../../counting/what.ts';
import {
  type CountedProject,
  type CountTables,
  type OpenVisits,
  type ReportTables,
  sumNames,
} from '../../counts/count-tables.ts';
import type { Connection } from '../connection.ts';
import { KeptVisits } from './visits/kept-visits.ts';

export const sqliteTables: CountTables = {
  isDivided: false,

  async findProjects(sql, projectIds) {
    const found = await sql.query<Omit<CountedProject, 'shards'> & { projectId: string }>(
      `select public_id as "projectId", id, sealed_through as "sealedThrough", sealed_through as "closedThrough"
       from projects where public_id ${projectIds.length === 1 ? '= $1' : sql.dialect.isOneOf('$1')}`,
      [projectIds.length === 1 ? (projectIds[0] as string) : projectIds],
    );
    return new Map(found.map(({ projectId, ...project }) => [projectId, { ...project, shards: [0] }]));
  },

  ofProject: (table) => `${table}.project = $2`,
};

/** One table of counts, and views of open days as bytes, which are added up here. @param db that reports are read from */
export function countTables(db: Connection): ReportTables {
  const kept = new KeptVisits(db);
  // LIKE knows the case of ASCII letters only.
  db.function('contains', { deterministic: true }, (name, wanted) =>
    searchableText(String(name)).includes(String(wanted)) ? 1 : 0,
  );
  const containsText = (text: string, wanted: string) => `contains(${text}, ${wanted})`;
  return {
    ...sqliteTables,
    sealsAtOnce: true,

    async findDays(sql, { id }) {
      const [days] = await sql.query<{ first: Day; last: Day }>(
        `select min(day) as first, max(day) as last from counts
         where project = $1 and what = ${what.site} and parent = 0 and span = 1 having count(*) > 0`,
        [id],
      );
      return days;
    },

    planSums: async () => undefined,

    isOf: (table, projects) => `${table}.project = ${projects}.project`,
    waitingSites: () => [],

    // cross join: SQLite keeps this order, one seek per block, instead of reading all days of the project.
    counts: (_project, { from, is, columns = 'c.*' }) =>
      `(select ${columns} from ${from} x cross join counts c
        where c.project = $2 and c.span = x.span and c.day = x.day and ${is})`,

    // Of some names one search in the index for each day, as a day has thousands; else one for all days.
    daily: (_project, { is, isNamed, of, by = [] }) => {
      const rows = isNamed
        ? `counts d cross join counts c where d.project = $2 and d.what = ${what.site} and d.parent = 0 and d.span = 1
            and d.day >= $3 ->> 0 and d.day < $3 ->> 1 and c.day = d.day and ${isNamed}`
        : 'counts c where c.day >= $3 ->> 0 and c.day < $3 ->> 1';
      return `select ${['day', ...by, ...sumNames].map((name) => `c.${name}`)} from ${of ? `${of} x cross join ` : ''}${rows}
        and c.project = $2 and c.span = 1 and ${is}`;
    },

    days: ({ from, to }) => [from, to],

    isText: (column, text) => `${column} = ${text}`,

    contains: (name, wanted) => containsText(`${name}.text`, wanted),
    containsText,

    largest: (rows) => rows,

    async openVisits(sql, { id }, { from, to }, of) {
      const days = await sql.query<{ day: Day; isMeasured: 0 | 1 }>(
        `select s.day, s.human_views + s.ai_views = coalesce((
           select sum(v.human_views + v.ai_views) from counts v
           where v.project = $1 and v.what = ${what.visit} and v.parent = 0 and v.span = 1 and v.day = s.day), 0) as "isMeasured"
         from counts s where s.project = $1 and s.what = ${what.site} and s.parent = 0 and s.span = 1
           and s.day >= $2 and s.day < $3 order by s.day`,
        [id, from, to],
      );
      const open = kept.read(id, from, to, kept.aimsOf(id));
      const isOpen = new Set(open.map(({ day }) => day));
      const texts = new Map<number, string | undefined>();
      const visits: OpenVisits[] = [];
      const add = (kind: number, text: string | undefined, sum: (typeof open)[number]['all']) => {
        const { humanVisitors: human_visitors, aiVisitors: ai_visitors, visitors } = sum;
        if (text !== undefined) visits.push({ what: kind, text, human_visitors, ai_visitors, visitors });
      };
      for (const { all, sums, nameOf } of open) {
        add(what.visit, '', all);
        const pages = sums();
        for (const kind of [of, 'singlePage'] as const) {
          for (const [number, sum] of pages[kind]) {
            // Forgotten ones have no name, and are left out.
            if (!texts.has(number)) texts.set(number, nameOf(number));
            add(what[kind], texts.get(number), sum);
          }
        }
      }
      const unmeasured = days.filter(({ day, isMeasured }) => !isMeasured && !isOpen.has(day));
      return { sums: visits, unmeasured: unmeasured.map(({ day }) => day) };
    },

    async openGoals(_sql, { id }, { from, to }, { aims, by }) {
      const open = hasGoals(aims) ? kept.read(id, from, to, aims) : [];
      return open.flatMap(({ day, goals }) => {
        if (!goals) return [];
        const sums = [...goals.sums(), ...goals.funnelSums(), ...(by ? goals.sumsBy(by) : [])];
        return sums.map(({ sum: { humanVisitors: people, humanViews: views }, ...named }) => ({
          ...named,
          ...{ day, people, views },
        }));
      });
    },
  };
}
