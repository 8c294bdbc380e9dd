import { counters } from '../../../../shared/reports/counters.ts';
import type { Day } from '../../../counting/calendar.ts';
import { pageTest } from '../../../counting/condition.ts';
import type { NameCap } from '../../../counting/names/name-cap.ts';
import { searchableText, wantedText } from '../../../counting/names/name-search.ts';
import type { Renamed } from '../../../counting/page/renamed.ts';
import { type KindBit, kindBits } from '../../../counting/sum.ts';
import { countedUnderFrom, leastVisitors, visitorKeysOf } from '../../../counting/visitor-key.ts';
import { nameOf } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import { firstDay, lastDay, type PageOfRows, toPage } from '../../page.ts';
import type {
  CappedDay,
  CappedRow,
  CounterDaysQuery,
  CounterQuery,
  CounterRow,
  DroppedRow,
  RangeQuery,
} from '../analytics-store.ts';
import { addTo, findProject, type Given, placeOf, type ReportTables } from '../count-tables.ts';

/** Views under `(other)`, as they are stored. */
interface KeptCapped {
  what: number;
  cap: NameCap;
  kind: KindBit;
  client: string;
  views: number;
}

const sums = 'cast(sum(hits) as bigint) as hits, cast(sum(amount) as bigint) as amount';
const capped = 'what, cap, kind, client';

/** What a statement about a project's days is written with. */
interface Writing {
  /** Rows of the project and its days, by the alias of a table. */
  isIn(table: string): string;
  /** Where the value is put. */
  given: Given;
  renamed: Renamed | null;
  /** The names of sorts of sums whose pages have another path now, with that. */
  moved(counters: readonly number[]): Promise<{ from: string; to: string }[]>;
}

/** What is summed up by day besides counts. */
export function counterReports(sql: Sql, tables: ReportTables) {
  /** None where there is no such project. */
  function rowsOf<Row extends object>(
    { projectId, from, to }: Pick<RangeQuery, 'projectId' | 'from' | 'to'>,
    write: (writing: Writing) => string | Promise<string>,
  ): Promise<Row[]> {
    return sql.snapshot(async (snapshot) => {
      const project = await findProject(snapshot, tables, projectId);
      if (!project) return [];
      const values: SqlValue[] = [...placeOf(project), from ?? firstDay, to ?? lastDay];
      const text = await write({
        isIn: (table) => `${tables.ofProject(table, project)} and ${table}.day >= $3 and ${table}.day < $4`,
        given: addTo(values),
        renamed: project.renamed,
        async moved(numbers) {
          const { renamed } = project;
          if (!renamed) return [];
          const names = await snapshot.query<{ name: string }>(
            `select distinct name from tallies t
             where ${tables.ofProject('t', project)} and t.tally in (${numbers.join(', ')})`,
            placeOf(project),
          );
          return names.flatMap(({ name }) =>
            renamed(name) === name ? [] : [{ from: name, to: renamed(name) }],
          );
        },
      });
      return snapshot.query<Row>(text, values);
    });
  }

  return {
    /** By hits descending, then reason and family. */
    async readDropped({ limit, offset, ...range }: RangeQuery): Promise<PageOfRows<DroppedRow>> {
      const rows = await rowsOf<DroppedRow>(
        range,
        ({ isIn, given }) =>
          `select reason, family, cast(sum(hits) as bigint) as hits from dropped d where ${isIn('d')}
           group by reason, family order by sum(hits) desc, reason, family limit ${given(limit + 1)} offset ${given(offset)}`,
      );
      return toPage(rows, { limit });
    },

    /** What was counted under `(other)`, and who had used up which part of a day's new names: by views descending. */
    async readCapped({ limit, offset, ...range }: RangeQuery): Promise<PageOfRows<CappedRow>> {
      const rows = await rowsOf<KeptCapped>(
        range,
        ({ isIn, given }) =>
          `select ${capped}, cast(sum(views) as bigint) as views from name_caps c where ${isIn('c')}
           group by ${capped} order by sum(views) desc, ${capped} limit ${given(limit + 1)} offset ${given(offset)}`,
      );
      return toPage(rows.map(toCappedRow), { limit });
    },

    /** By hits descending, then group and name ascending by code point; `search` looks in both. */
    async readCounter(query: CounterQuery): Promise<PageOfRows<CounterRow>> {
      const { counter, group, names, pages, search, limit, offset } = query;
      const { containsText } = tables;
      const wanted = search === undefined ? undefined : wantedText(search);
      // Paths that nobody viewed are no other names.
      let isWantedPage: ((path: string) => boolean) | undefined;
      const isFilteredHere = pages !== undefined || (wanted !== undefined && !containsText);
      const { number, namesPaths } = counters[counter];
      const visitorKeys = visitorKeysOf(counter);
      const numbers = visitorKeys ? [number, counters[visitorKeys].number] : [number];
      const rows = await rowsOf<CounterRow>(query, async ({ isIn, given, renamed, moved: movedOf }) => {
        isWantedPage = pages && pageTest(pages, renamed);
        // Of views alone: other sums are of what was asked for, and are found by what it is now.
        const isJoined = counter === 'visible-time';
        const moved = isJoined || (namesPaths && names) ? await movedOf(numbers) : [];
        const former = isJoined ? [] : moved.filter(({ to }) => names?.includes(to)).map(({ from }) => from);
        const ofCounter = (number: number | string) => `tallies t where ${isIn('t')} and t.tally = ${number}`;
        const shared = visitorKeys && sharedVisitorKeys(ofCounter(counters[visitorKeys].number));
        const isWanted = [
          ...(group === undefined ? [] : [isOfGroup(given(group), given(`${group}\t`))]),
          ...(names === undefined ? [] : [`name ${sql.dialect.isOneOf(given([...names, ...former]))}`]),
        ];
        const types = { from: 'text', to: 'text' } as const;
        const own =
          moved.length === 0 || !isJoined
            ? `select subject, name, hits, amount from ${ofCounter(given(number))}`
            : `select subject, coalesce(m."to", t.name) as name, hits, amount from tallies t
               left join ${sql.dialect.rows(given(JSON.stringify(moved)), types)} m on m."from" = t.name
               where ${isIn('t')} and t.tally = ${given(number)}`;
        const byName = `select subject as "group", name, ${sums} from (
            ${own}
            ${shared ? `union all select subject, name, hits, amount from (${shared}) s` : ''}) t
          ${isWanted.length > 0 ? `where ${isWanted.join(' and ')}` : ''}
          group by subject, name`;
        const isFound =
          wanted === undefined || !containsText
            ? ''
            : `where ${['name', '"group"'].map((text) => containsText(text, given(wanted))).join(' or ')}`;
        const page = isFilteredHere ? '' : `limit ${given(limit + 1)} offset ${given(offset)}`;
        return `select * from (${byName}) s ${isFound} order by hits desc, "group", name ${page}`;
      });
      if (!isFilteredHere) return toPage(rows, { limit });
      const isFound = (text: string) => wanted === undefined || searchableText(text).includes(wanted);
      const found = rows.filter(
        ({ name, group }) => (isWantedPage?.(name) ?? true) && (isFound(name) || isFound(group)),
      );
      return toPage(found.slice(offset, offset + limit + 1), { limit });
    },

    /** The same day by day, oldest first, for few names: pages by all that they had. */
    readCounterDays({ counter, names, ...range }: CounterDaysQuery): Promise<(CounterRow & { day: Day })[]> {
      const { number, namesPaths } = counters[counter];
      return rowsOf<CounterRow & { day: Day }>(range, async ({ isIn, given, moved: movedOf }) => {
        const moved = namesPaths && names ? await movedOf([number]) : [];
        const asked = moved.filter(({ to }) => names?.includes(to));
        const types = { from: 'text', to: 'text' } as const;
        const wanted = names && [...names, ...asked.map(({ from }) => from)];
        const [name, renames] =
          asked.length === 0
            ? ['t.name', '']
            : [
                'coalesce(m."to", t.name)',
                `left join ${sql.dialect.rows(given(JSON.stringify(asked)), types)} m on m."from" = t.name`,
              ];
        return `select day, subject as "group", ${name} as name, ${sums} from tallies t ${renames}
           where ${isIn('t')} and t.tally = ${given(number)}
             ${wanted === undefined ? '' : `and t.name ${sql.dialect.isOneOf(given(wanted))}`}
           group by day, subject, ${name} order by day, subject, ${name}`;
      });
    },
  };
}

/** What was counted under `(other)`, of all projects. */
export function recentCaps(sql: Sql) {
  return {
    /** From this day on; of each project and day those with the most views first. */
    async listCapped(since: Day): Promise<CappedDay[]> {
      const rows = await sql.query<KeptCapped & { projectId: string; day: Day }>(
        `select p.public_id as "projectId", day, ${capped}, views
         from (
           select project, day, ${capped}, cast(sum(views) as bigint) as views from name_caps where day >= $1
           group by project, day, ${capped}
         ) c join projects p on p.id = c.project
         order by p.id, day, views desc, ${capped}`,
        [since],
      );
      return rows.map(({ projectId, day, ...row }) => ({ projectId, day, ...toCappedRow(row) }));
    },
  };
}

function toCappedRow({ what, cap, kind, client, views }: KeptCapped): CappedRow {
  return {
    names: nameOf(what),
    cap,
    kind: kind === kindBits.human ? 'human' : 'ai',
    client: client === '' ? null : client,
    views,
  };
}

function isOfGroup(group: string, beginning: string): string {
  return `(subject = ${group} or substr(subject, 1, length(cast(${beginning} as text))) = ${beginning})`;
}

/** Of visitor keys, which days have that are not sealed: what enough visitors share. @param which visitor keys, called `t` */
export function sharedVisitorKeys(which: string): string {
  return `select day, substr(subject, ${countedUnderFrom}) as subject, name, count(distinct t.subject) as hits, 0 as amount
    from ${which} group by day, 2, name having count(distinct t.subject) >= ${leastVisitors}`;
}
