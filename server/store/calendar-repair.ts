import { counters } from '../../shared/reports/counters.ts';
import { type Block, largerBlocksOf } from '../counting/blocks.ts';
import type { Day } from '../counting/calendar.ts';
import { type StoredVisitorKey, sharedNames, visitorKeyCounters } from '../counting/visitor-key.ts';
import { has, type Sql, type SqlValue } from '../database/sql.ts';
import {
  addRows,
  addToOthers,
  type CountedProject,
  type CountingEngine,
  type CountTables,
  type Held,
  type KnownDay,
  placeOf,
} from './counting-engine.ts';
import type { KeptSalt } from './counts/counting-store.ts';
import { forgetImports } from './import-undo.ts';

/** How a project's calendar has to be by a clock that is right. */
export interface CalendarRepair {
  projectId: string;
  /** The last day that can have begun anywhere. Later ones are forgotten: salts, and visitors. */
  lastDay: Day;
  /** Days after this one cannot be sealed yet. */
  sealedThrough: Day;
  /** Salts for those days, as far as they hold counts and are not open. */
  reopened: Pick<KeptSalt, 'day' | 'salt'>[];
  /** The day that counts of days after the last one are added to; null: they stay where they are. */
  moveTo: Day | null;
  /** Throw-away salts that are due later than this (milliseconds since 1970) are forgotten now. */
  forgetBy: number;
}

export type CalendarStore = ReturnType<typeof calendars>;

/** Mends calendars that a wrong clock has gone over. The visitors of days that are forgotten go with `Store.erase`. */
export function calendars(sql: Sql, engine: CountingEngine) {
  return {
    repairCalendar: (repair: CalendarRepair): Promise<void> =>
      sql.transaction(async (transaction) => {
        const { projectId, lastDay, sealedThrough, reopened, moveTo, forgetBy } = repair;
        const project = await engine.hold(transaction, projectId);
        if (!project) return;
        const held = { sql: transaction, engine, project };
        await forgetDays(held, { lastDay, forgetBy });
        await sealVisitorKeys(transaction, engine, project, { is: 't.day > $3', by: lastDay });
        if (moveTo !== null) await moveDays(held, { lastDay, to: moveTo });
        const sealed = project.sealedThrough === null ? null : Math.min(project.sealedThrough, sealedThrough);
        if (sealed !== null) await sumAgain(held, { sealed, moveTo });
        for (const { day, salt } of reopened) {
          if (sealed !== null && day <= sealed) continue;
          if (await isCounted(held, day)) await engine.reopenDay(transaction, project, day, salt);
        }
      }),
  };
}

async function forgetDays(
  { sql, engine, project }: Held,
  { lastDay, forgetBy }: Pick<CalendarRepair, 'lastDay' | 'forgetBy'>,
): Promise<void> {
  const days = await sql.query<KnownDay & { isKnown: boolean }>(
    `select id, day, forget_at is not null as "isSealed", salt is not null as "isKnown" from days
     where project = $1 and (day > $2 or forget_at > $3)`,
    [project.id, lastDay, forgetBy],
  );
  const all = days.map((day) => ({ ...day, isSealed: Boolean(day.isSealed) }));
  for (const day of all) if (day.isKnown) await engine.sealVisits(sql, project, day);
  await engine.forgetDays(
    sql,
    all.map(({ id }) => id),
  );
}

/** Deletes visitor keys of the days for which that is so, `by` being its `$3`, and adds what enough visitors share. */
export async function sealVisitorKeys(
  sql: Sql,
  tables: CountTables,
  project: CountedProject,
  days: { is: string; by: SqlValue },
): Promise<void> {
  const visitorKeys = await sql.query<StoredVisitorKey>(
    `delete from tallies as t where ${tables.ofProject('t', project)} and t.tally in (${visitorKeyCounters}) and ${days.is}
     returning day, subject as "group", name`,
    [...placeOf(project), days.by],
  );
  const shared = sharedNames(visitorKeys).map(({ day, group, name, hits }) => {
    return { tally: counters['text-fragments'].number, day, subject: group, name, hits, amount: 0 };
  });
  await addRows(sql, tables, project, 'tallies', shared);
}

async function moveDays(
  { sql, engine, project }: Held,
  { lastDay, to }: { lastDay: Day; to: Day },
): Promise<void> {
  const place = [...placeOf(project), lastDay];
  for (const table of ['counts', 'dropped', 'name_caps', 'tallies'] as const) {
    const isLater = `${engine.ofProject('t', project)} and t.day > $3 ${table === 'counts' ? 'and t.span = 1' : ''}`;
    const moved = { table, to: { day: 'cast($4 as int)' }, where: isLater };
    await addToOthers(sql, engine, moved, [...place, to]);
    await sql.query(`delete from ${table} as t where ${isLater}`, place);
  }
  await sql.query(
    `insert into imported_days as d (project, day, human_views, ai_views, last_at)
     select project, cast($3 as int), sum(human_views), sum(ai_views), max(last_at) from imported_days
     where project = $1 and day > $2 group by project
     on conflict (project, day) do update set human_views = d.human_views + excluded.human_views,
       ai_views = d.ai_views + excluded.ai_views,
       last_at = case when d.last_at < excluded.last_at then excluded.last_at else d.last_at end`,
    [project.id, lastDay, to],
  );
  await sql.query(
    `insert into rule_days (project, day, version)
     select distinct project, cast($3 as int), version from rule_days where project = $1 and day > $2
     on conflict do nothing`,
    [project.id, lastDay, to],
  );
  for (const table of ['imported_days', 'rule_days', 'cells'])
    await sql.query(`delete from ${table} where project = $1 and day > $2`, [project.id, lastDay]);
  await forgetImports(sql, project, lastDay);
}

/** Days that are no longer sealed leave the larger blocks, and counts of sealed days are added to them. */
async function sumAgain(held: Held, { sealed, moveTo }: { sealed: Day; moveTo: Day | null }): Promise<void> {
  const { sql, engine, project } = held;
  const through = engine.calendarColumns.map(
    (name) => `${name} = case when ${name} > $2 then $2 else ${name} end`,
  );
  await sql.query(`update projects set ${through.join(', ')} where id = $1`, [project.id, sealed]);
  for (const block of largerBlocksOf(sealed + 1)) await sumBlock(held, { block, sealed, is: '>=' });
  if (moveTo === null || moveTo > sealed) return;
  for (const block of largerBlocksOf(moveTo)) await sumBlock(held, { block, sealed, is: '=' });
}

async function sumBlock(
  { sql, engine, project }: Held,
  { block: { span, day }, sealed, is }: { block: Block; sealed: Day; is: '=' | '>=' },
): Promise<void> {
  const values = [...placeOf(project), span, day];
  const ofProject = engine.ofProject('t', project);
  await sql.query(
    `delete from counts as t where ${ofProject} and t.span = cast($3 as int) and t.day ${is} $4`,
    values,
  );
  const isIn = 't.span = 1 and t.day >= cast($4 as int) and t.day < cast($4 as int) + cast($3 as int)';
  const to = { span: 'cast($3 as int)', day: 'cast($4 as int)' };
  const where = `${ofProject} and ${isIn} and t.day <= $5`;
  await addToOthers(sql, engine, { table: 'counts', to, where }, [...values, sealed]);
}

async function isCounted({ sql, engine, project }: Held, day: Day): Promise<boolean> {
  return has(
    sql,
    `select 1 from counts c where ${engine.ofProject('c', project)} and span = 1 and day = $3 limit 1`,
    [...placeOf(project), day],
  );
}
