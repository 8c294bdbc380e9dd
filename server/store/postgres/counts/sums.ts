import type { Block } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { Queryable } from '../queryable.ts';
import { shardOf } from './shards.ts';

/** The columns that say what a row of `counts` is of. */
export const countKey = 'shard, project, span, day, what, parent, name, slot';

export const sumNames = ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'] as const;

export const sumColumns = sumNames.join(', ');

export const addedSums = sumNames.map((name) => `sum(${name})`).join(', ');

/** Ends an `insert into counts as c` that adds to what is there. */
export const orAdd = `
  on conflict (${countKey}) do update set ${sumNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}`;

/** A day by its row. */
export interface VisitDay {
  id: number;
  day: Day;
}

/** What the visits of a day count under a name. */
export interface VisitSum extends Record<(typeof sumNames)[number], number> {
  day: Day;
  what: number;
  /** The goal; null: it is under none. */
  under: string | null;
  text: string;
}

/** What is added to a count of a block of days. */
export interface SumRow extends Record<(typeof sumNames)[number], number> {
  what: number;
  parent: number;
  /** Its number; 0: it is of the site. */
  name: number;
  block: Block;
}

/** Adds to the first part of the project's counts. @param project its row */
export async function addRows(db: Queryable, project: number, rows: readonly SumRow[]): Promise<void> {
  await db.query(
    `insert into counts as c (${countKey}, ${sumColumns})
     select $1::int, $2::int, x.span, x.day, x.what, x.parent, x.name, 0, ${sumNames.map((name) => `sum(x.${name})`)}
     from unnest($3::smallint[], $4::int[], $5::smallint[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[],
       $12::int[]) as x(span, day, what, parent, name, ${sumColumns})
     group by x.span, x.day, x.what, x.parent, x.name order by x.span, x.day, x.what, x.parent, x.name
     ${orAdd}`,
    [
      ...[
        shardOf(project, 0),
        project,
        rows.map(({ block }) => block.span),
        rows.map(({ block }) => block.day),
      ],
      ...[rows.map((row) => row.what), rows.map(({ parent }) => parent), rows.map(({ name }) => name)],
      ...sumNames.map((name) => rows.map((row) => row[name])),
    ],
  );
}
