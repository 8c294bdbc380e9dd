import { hasGoals } from '../../../../shared/project/goals.ts';
import { counters } from '../../../../shared/reports/counters.ts';
import type { Day } from '../../../counting/calendar.ts';
import { searchableText } from '../../../counting/names/name-search.ts';
import { readRenames } from '../../../counting/page/renamed.ts';
import { what } from '../../../counting/what.ts';
import {
  type CountedProject,
  type CountTables,
  type GlanceRows,
  type OpenVisits,
  type ReportTables,
  sumNames,
} from '../../counts/count-tables.ts';
import type { Connection } from '../connection.ts';
import { keptValues } from './visits/valued-days.ts';
import { keptVisits } from './visits/visit-views.ts';

export const sqliteTables: CountTables = {
  isDivided: false,

  async findProjects(sql, projectIds) {
    const found = await sql.query<
      Omit<CountedProject, 'shards' | 'renamed'> & { projectId: string; renames: string | null }
    >(
      `select public_id as "projectId", id, sealed_through as "sealedThrough", sealed_through as "closedThrough",
         settings ->> 'renamedPaths' as renames
       from projects where public_id ${projectIds.length === 1 ? '= $1' : sql.dialect.isOneOf('$1')}`,
      [projectIds.length === 1 ? (projectIds[0] as string) : projectIds],
    );
    return new Map(
      found.map(({ projectId, renames, ...project }) => {
        return [projectId, { ...project, renamed: readRenames(renames), shards: [0] }];
      }),
    );
  },

  ofProject: (table) => `${table}.project = $2`,
};

/** One table of counts, and views of active days as bytes, which are added up here. @param db that reports are read from */
export function countTables(db: Connection): ReportTables {
  const kept = keptVisits(db);
  const readValued = keptValues(db);
  // LIKE ignores the case of ASCII characters only.
  db.function('contains', { deterministic: true }, (name, wanted) =>
    searchableText(String(name)).includes(String(wanted)) ? 1 : 0,
  );
  const containsText = (text: string, wanted: string) => `contains(${text}, ${wanted})`;
  return {
    ...sqliteTables,
    sealsAtOnce: true,

    async findDays(sql, { id }) {
      // One search for each, instead of reading all days.
      const end = (of: 'min' | 'max') =>
        `(select ${of}(day) from counts where project = $1 and what = ${what.site} and parent = 0 and span = 1)`;
      const [days] = await sql.query<{ first: Day | null; last: Day | null }>(
        `select ${end('min')} as first, ${end('max')} as last`,
        [id],
      );
      return days && days.first !== null && days.last !== null
        ? { first: days.first, last: days.last }
        : undefined;
    },

    planSums: async () => undefined,

    async glances(sql, asked) {
      const given = [
        JSON.stringify(asked.map(({ place, project: { id }, from, to }) => ({ place, id, from, to }))),
      ];
      // Read from the list once, and not for each of their days.
      const projects = `with a as materialized (
        select * from ${sql.dialect.rows('$1', { place: 'int', id: 'int', from: 'int', to: 'int' })})`;
      const isAsked = (table: string) =>
        `${table}.project = a.id and ${table}.day >= a."from" and ${table}.day < a."to"`;
      const days = await sql.query<GlanceRows['days'][number]>(
        `${projects} select a.place, c.day, ${sumNames.map((name) => `c.${name}`)} from a cross join counts c
         where ${isAsked('c')} and c.what = ${what.site} and c.parent = 0 and c.span = 1 order by a.place, c.day`,
        given,
      );
      const dataSources = await sql.query<GlanceRows['dataSources'][number]>(
        `${projects} select a.place, t.subject as "group", t.name, group_concat(t.day) as days
         from a cross join tallies t where ${isAsked('t')} and t.tally = ${counters['data-sources'].number}
         group by a.place, t.subject, t.name`,
        given,
      );
      return { days, dataSources };
    },

    // cross join: SQLite keeps this order, one seek per block, instead of reading all days of the project.
    counts: (_project, { from, is, columns = 'c.*' }) =>
      `(select ${columns} from ${from} x cross join counts c
        where c.project = $2 and c.span = x.span and c.day = x.day and ${is})`,

    // Of some names one search in the index for each day, as a day has thousands; else one for all days.
    daily: (_project, { days, is, isNamed, of, by = [] }, given) => {
      const isIn = (table: string) =>
        `${table}.day >= ${given(days.from)} and ${table}.day < ${given(days.to)}`;
      const rows = isNamed
        ? `counts d cross join counts c where d.project = $2 and d.what = ${what.site} and d.parent = 0 and d.span = 1
            and ${isIn('d')} and c.day = d.day and ${isNamed}`
        : `counts c where ${isIn('c')}`;
      return `select ${['day', ...by, ...sumNames].map((name) => `c.${name}`)} from ${of ? `${of} x cross join ` : ''}${rows}
        and c.project = $2 and c.span = 1 and ${is}`;
    },

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

    openViews: async (_sql, { id }, { from, to }) => readValued(id, from, to),

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
