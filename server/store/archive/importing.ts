import type { ArchiveRecord, RecordType } from '../../../shared/project/project-archive.ts';
import { largerSpans } from '../../counting/blocks.ts';
import type { Day } from '../../counting/calendar.ts';
import { numberOf, parentOf, what } from '../../counting/what.ts';
import { type ColumnType, has, type Sql } from '../../database/sql.ts';
import { change } from '../../database/versions.ts';
import { addEntry } from '../admin/audit.ts';
import { sumNames } from '../counts/count-tables.ts';
import { insertKey } from '../projects.ts';
import type { ArchiveAdditions, ImportWords } from './archive-store.ts';
import { storable, takeIn, toStaged } from './records.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;

const countTypes: Readonly<Record<string, ColumnType>> = {
  ...{ day: 'int', what: 'int', above: 'int' },
  ...{ client: 'text', client_searchable: 'text', name: 'text', searchable: 'text' },
  ...Object.fromEntries(sumNames.map((name) => [name, 'bigint' as const])),
};
const stagedTypes = { place: 'int', type: 'text', row: 'text' } as const;

const sums = sumNames.join(', ');

/** From here on nothing is written but by the one transaction that takes all of it in. */
const numbered = (make: string) => [
  'analyze staged',
  'analyze staged_counts',
  // AI clients and others first, as the paths of pairs are named under them.
  `${make} staged_names as
   select row_number() over (order by what, text) as number, what, 0 as parent, text, searchable
   from (
     select what, name as text, searchable from staged_counts where client is null and name is not null
     union select above, client, client_searchable from staged_counts where client is not null
   ) own`,
  'analyze staged_names',
  `insert into staged_names
   select (select coalesce(max(number), 0) from staged_names) + row_number() over (order by what, parent, text),
     what, parent, text, searchable
   from (
     select distinct s.what, c.number as parent, s.name as text, s.searchable
     from staged_counts s join staged_names c on c.what = s.above and c.parent = 0 and c.text = s.client
     where s.name is not null
   ) pairs`,
  'analyze staged_names',
  `${make} staged_sums as
   select s.day, s.what, coalesce(c.number, 0) as parent, coalesce(n.number, 0) as name, ${sums}
   from staged_counts s left join staged_names c on c.what = s.above and c.parent = 0 and c.text = s.client
     left join staged_names n on n.what = s.what and n.parent = coalesce(c.number, 0) and n.text = s.name`,
];

/** Gathers the records of a project in tables of a connection, and takes them in with one transaction. */
export async function gatherProject(sql: Sql, words: ImportWords) {
  const { make } = words;
  const table = (name: string, types: object) =>
    sql.query(`${make} ${name} (${Object.entries(types).map((column) => column.join(' '))})`);
  await table('staged', { ...stagedTypes, row: 'json' });
  await table('staged_counts', countTypes);
  let project: Of<'project'> | undefined;
  let staged = 0;
  const sealedThrough = () => (project?.sealedThrough ? dayOf(project.sealedThrough) : null);
  return {
    async add(records: readonly ArchiveRecord[]): Promise<void> {
      project ??= records.find((record) => record.type === 'project');
      const counts = records.filter((record) => record.type === 'count').map((one) => toCount(one, words));
      const others = records.flatMap((record) => {
        const { type, row } = toStaged(record) ?? {};
        return type ? [{ place: ++staged, type, row: JSON.stringify(row) }] : [];
      });
      const { rows } = sql.dialect;
      if (counts.length > 0)
        await sql.query(`insert into staged_counts select * from ${rows('$1', countTypes)} x`, [
          JSON.stringify(counts),
        ]);
      if (others.length > 0)
        await sql.query(
          `insert into staged select place, type, ${words.asJson('row')} from ${rows('$1', stagedTypes)} x`,
          [JSON.stringify(others)],
        );
    },

    /** Days of the site that are not sealed, from the first. */
    async openDays(): Promise<Day[]> {
      const days = await sql.query<{ day: Day }>(
        `select distinct day from staged_counts where what = ${what.site} and day > $1 order by day`,
        [sealedThrough() ?? noDay],
      );
      return days.map(({ day }) => day);
    },

    async finish({ keys, salts, entries }: ArchiveAdditions): Promise<'done' | 'exists'> {
      const taken = project;
      if (!taken) throw new Error('There is no project to take in.');
      for (const statement of numbered(make)) await sql.query(statement);
      const isDone = await change(sql, 'directory', async (transaction, version) => {
        if (await exists(transaction, taken.id)) return false;
        const number = await insertProject(transaction, words, taken, { version, sealed: sealedThrough() });
        await takeInCounts(transaction, words, number, sealedThrough());
        for (const statement of takeIn(words)) await transaction.query(statement, [number]);
        for (const key of keys) await insertKey(transaction, key, version);
        for (const { day, salt } of salts) await words.openDay(transaction, number, day, salt);
        for (const entry of entries) await addEntry(transaction, entry);
        return true;
      });
      return isDone ? 'done' : 'exists';
    },
  };
}

export type GatheredProject = Awaited<ReturnType<typeof gatherProject>>;

/** Before the first day that a date can express. */
const noDay = -2_000_000;

const dayOf = (date: string): Day => Date.parse(date) / 86_400_000;

function toCount({ day, of, ...count }: Of<'count'>, { searchable }: ImportWords) {
  const [client, name] = [storable(count.client), storable(count.name)];
  const searched = (text: string | null) => (text === null ? null : (searchable?.(text) ?? null));
  const number = numberOf(of);
  return {
    ...{ day: dayOf(day), what: number, above: client === null ? null : (parentOf[number] ?? what.client) },
    ...{ client, client_searchable: searched(client), name, searchable: searched(name) },
    ...{ human_visitors: count.humanVisitors, ai_visitors: count.aiVisitors, visitors: count.visitors },
    ...{ human_views: count.humanViews, ai_views: count.aiViews },
  };
}

async function exists(sql: Sql, projectId: string): Promise<boolean> {
  return has(
    sql,
    `select 1 from projects where public_id = $1
     union all select 1 from jobs where public_id in (select row ->> 'public_id' from staged where type = 'job')`,
    [projectId],
  );
}

async function insertProject(
  sql: Sql,
  { calendarColumns }: ImportWords,
  { id, settings, createdAt }: Of<'project'>,
  { version, sealed }: { version: number; sealed: Day | null },
): Promise<number> {
  const [row] = await sql.query<{ id: number }>(
    `insert into projects (public_id, settings, created_at, changed, ${calendarColumns.join(', ')})
     values ($1, $2, $3, $4, ${calendarColumns.map(() => '$5').join(', ')}) returning id`,
    [id, JSON.stringify(settings), createdAt, version, sealed],
  );
  return row?.id as number;
}

/** What makes the gathered sums those of a project, given its number; sealed days in their larger blocks, too, as sealing does. */
async function takeInCounts(
  sql: Sql,
  { ofSums, searchable }: ImportWords,
  project: number,
  sealed: Day | null,
): Promise<void> {
  const [names] = await sql.query<{ last: number; staged: number }>(
    `select coalesce(max(number), 0) as staged, ${searchable ? '0' : '(select coalesce(max(id), 0) from names)'} as last
     from staged_names`,
  );
  const { last = 0, staged = 0 } = names ?? {};
  const raised = (name: string) => `case when ${name} = 0 then 0 else ${name} + ${last} end`;
  const more = searchable ? ', searchable' : '';
  await sql.query(
    `insert into names (project, id, what, parent, text${more})
     select cast($1 as int), number + ${last}, what, ${raised('parent')}, text${more} from staged_names order by number`,
    [project],
  );
  if (searchable) await sql.query('update projects set last_name = $2 where id = $1', [project, staged]);
  const into = `insert into counts (${[...Object.keys(ofSums), 'project, span, day, what, parent, name', sums].join(', ')})`;
  const place = [...Object.values(ofSums), 'cast($1 as int)'].join(', ');
  const named = `what, ${raised('parent')}, ${raised('name')}`;
  await sql.query(
    `${into} select ${place}, 1, day, ${named}, ${sums} from staged_sums order by what, parent, day, name`,
    [project],
  );
  if (sealed === null) return;
  for (const span of largerSpans) {
    const block = `day - (day % ${span} + ${span}) % ${span}`;
    await sql.query(
      `${into} select ${place}, ${span}, ${block}, ${named}, ${sumNames.map((name) => `sum(${name})`).join(', ')}
       from staged_sums where day <= $2 group by what, parent, ${block}, name`,
      [project, sealed],
    );
  }
}
