import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { tallies } from '../../../../shared/reports/tallies.ts';
import { sightedTallies } from '../../../counting/sighting.ts';
import { nameOf } from '../../../counting/what.ts';
import type { SqlValue } from '../../../database/sql.ts';
import { archivedTables, selectArchived, toRecord } from '../../archive/records.ts';
import { sharedSightings } from '../../counts/reports/tallies.ts';
import { type CountedProject, ofProject, placeOf } from '../counts/counted-project.ts';
import { allCounts } from '../counts/pending.ts';
import { sumColumns, sumNames, type VisitSum } from '../counts/sums.ts';
import { dialect } from '../sql.ts';

export type Row = Record<string, unknown>;

/** What is read of one kind of record. */
export interface Section {
  type: ArchiveRecord['type'];
  sql: string;
  values: readonly SqlValue[];
  /** Fields in the form of a record. */
  toRecord?: (row: Row) => Row;
}

const date = (column: string) => `(date '1970-01-01' + ${column})::text`;
const named = ({ of, ...row }: Row): Row => ({ day: row.day, of: nameOf(Number(of)), ...row });

/**
 * Each selects the fields of one kind of record, in an order that does not depend on the installation. Citus takes `t.day` in
 * an order for the field `day`: what is told differently than it is stored (a date) is in the same order, or told later.
 *
 * @param visits of days that are not sealed, whose visitors stay here
 */
export function sectionsOf(project: CountedProject, visits: readonly VisitSum[]): Section[] {
  const own = [project.id];
  return [
    {
      type: 'project',
      sql: `select 3 as format, public_id as id, created_at as "createdAt", settings,
          ${date('sealed_through')} as "sealedThrough" from projects where id = $1`,
      values: own,
    },
    countSection(project, visits),
    ...archivedTables.map((table): Section => {
      const isOwn = table.sums && ofProject('t', project);
      const from = table.name === 'tallies' ? toldTallies(project) : undefined;
      return {
        type: table.archive.type as RecordType,
        sql: selectArchived(table, { dialect, isOwn, from }),
        values: isOwn ? placeOf(project) : own,
        toRecord: (row) => toRecord(table, row),
      };
    }),
  ];
}

function countSection(project: CountedProject, visits: readonly VisitSum[]): Section {
  return {
    type: 'count',
    sql: `select ${date('c.day')} as day, c.what as "of", c.client, c.name,
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
      order by c.day, c.what, c.client nulls first, c.name nulls first`,
    values: [
      ...placeOf(project),
      ...[visits.map(({ day }) => day), visits.map((sum) => sum.what)],
      ...[visits.map(({ under }) => under), visits.map(({ text }) => text)],
      ...sumNames.map((name) => visits.map((sum) => sum[name])),
    ],
    toRecord: named,
  };
}

/** Visitors stay here: of what they were seen on, what is told of it leaves. */
function toldTallies(project: CountedProject): string {
  const own = ofProject('t', project);
  return `(
    select day, tally, subject, name, hits, amount from tallies t where ${own} and t.tally not in (${sightedTallies})
    union all
    select day, ${tallies.quoted.number}, subject, name, hits, amount
    from (${sharedSightings(`tallies t where ${own} and t.tally in (${sightedTallies})`)}) s
  ) t`;
}
