import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import { recordsAtATime } from '../../archive/archive-store.ts';
import { archiveSections } from '../../archive/records.ts';
import type { Connection } from '../connection.ts';
import { columnsOf } from '../counts/arrays.ts';
import { type CountedProject, findProject, ofProject, placeOf } from '../counts/counted-project.ts';
import { allCounts } from '../counts/pending.ts';
import { sumColumns, sumNames, type VisitDay } from '../counts/sums.ts';
import { readVisitsAndGoals } from '../counts/visits.ts';
import { readInParts } from '../cursor.ts';
import type { Database } from '../database.ts';
import { dialect } from '../sql.ts';

/** Reads a project's records one after the other, all of one moment. */
export interface ProjectExport {
  /** None: that was all. */
  next(): Promise<ArchiveRecord[]>;
  close(): Promise<void>;
}

/** Undefined: there is no such project. */
export async function beginExport(database: Database, projectId: string): Promise<ProjectExport | undefined> {
  const connection = await database.connect();
  try {
    await connection.run('begin isolation level repeatable read read only');
    // Whoever takes the records may be slow.
    await connection.run('set local idle_in_transaction_session_timeout = 0');
    const project = await findProject(connection, projectId);
    if (project) {
      const records = readRecords(connection, project);
      return {
        next: async () => (await records.next()).value ?? [],
        close: () => connection.close(),
      };
    }
  } catch (error) {
    // It would keep the process waiting.
    connection.destroy();
    throw error;
  }
  await connection.close();
  return undefined;
}

/** Citus takes `t.day` in an order for the field `day`: a date is made of it later. */
async function* readRecords(
  connection: Connection,
  project: CountedProject,
): AsyncGenerator<ArchiveRecord[], undefined> {
  // Visitors of days that are not sealed stay here.
  const days = await connection.query<VisitDay>('select id, day from days where project = $1', [project.id]);
  const visits = await readVisitsAndGoals(connection, project, days);
  const isOwn = ofProject('t', project);
  let count = 0;
  for (const section of archiveSections({ dialect, isOwn, counts: selectCounts(project) })) {
    const values = section.isOfSums ? placeOf(project) : [project.id];
    const rows = readInParts<Record<string, unknown>>(connection, {
      name: `records_of_${section.type}`,
      sql: section.sql,
      values:
        section.type === 'count'
          ? [...values, ...columnsOf(visits, 'day', 'what', 'under', 'text', ...sumNames)]
          : values,
      rowsAtATime: recordsAtATime(section.type),
    });
    for await (const some of rows) {
      count += some.length;
      yield some.map(section.toRecord);
    }
  }
  yield [{ type: 'end', records: count }];
}

function selectCounts(project: CountedProject): string {
  return `select c.day, c.what, c.client, c.name,
      sum(c.human_visitors) as "humanVisitors", sum(c.ai_visitors) as "aiVisitors", sum(c.visitors) as visitors,
      sum(c.human_views) as "humanViews", sum(c.ai_views) as "aiViews"
    from (
      select s.day, s.what, parent.text as client, n.text as name, ${sumColumns}
      from (select day, what, parent, name, ${sumNames.map((name) => `sum(${name}) as ${name}`)}
        from ${allCounts(project, 'c.span = 1')} c group by day, what, parent, name) s
        left join names n on n.project = $2 and n.id = s.name
        left join names parent on parent.project = $2 and parent.id = s.parent
      union all
      select x.day, x.what, x.under, x.text, ${sumColumns}
      from unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[])
        as x(day, what, under, text, ${sumColumns})) c
    group by c.day, c.what, c.client, c.name
    order by c.day, c.what, c.client nulls first, c.name nulls first`;
}
