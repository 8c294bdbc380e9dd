import { searchToolNames } from '../../shared/reports/search-engines.ts';
import type { Day } from '../counting/calendar.ts';
import { allCounters, detailCounters } from '../counting/counter.ts';
import { has, type Sql, type SqlValue } from '../database/sql.ts';
import { type CountedProject, type CountingEngine, type Held, placeOf } from './counting-engine.ts';
import { forgetRecorded, forgetRecordedDetails } from './imports.ts';
import { searchKinds } from './searches.ts';

/** Days before these are forgotten, as far as they are sealed; null: none. */
export interface Cutoffs {
  /** What a day was counted by: paths, sources, AI clients, …; its sums of the site stay. */
  details: Day | null;
  /** All of a day. */
  counts: Day | null;
}

/** Forgets no day, only names that nothing is counted under. */
export const noCutoffs: Cutoffs = { details: null, counts: null };

export type RetentionStore = ReturnType<typeof retention>;

/** Deletes data that is older than the project's retention. */
export function retention(sql: Sql, engine: CountingEngine) {
  return {
    /**
     * A step that takes a moment. The first one also deletes what is kept besides counts, so that nothing is left of a day
     * whose counts are gone, whenever the process is killed. Answers whether there is more to do.
     */
    forgetSome: (projectId: string, cutoffs: Cutoffs, isFirst = false): Promise<boolean> =>
      sql.transaction(async (transaction) => {
        const project = await engine.holdDays(transaction, projectId);
        const { details, counts } = sealedCutoffs(cutoffs, project);
        if (!project) return false;
        const held = { sql: transaction, engine, project };
        const isSome =
          (details !== null && (await engine.forgetSome(transaction, project, 'details', details))) ||
          (counts !== null && (await engine.forgetSome(transaction, project, 'site', counts))) ||
          (isFirst && (await hasBesides(held, { details, counts })));
        if (isSome && isFirst) await forgetBesides(held, { details, counts });
        return isSome;
      }),

    /**
     * After the last step: deletes names without counts, and the visitors of days without any.
     *
     * @param isAsked also those of days without details. The server leaves them, as it deletes details that an import brings
     * again in the next minute, and the visitors of the site stay.
     */
    finish: (projectId: string, cutoffs: Cutoffs, isAsked = false): Promise<void> =>
      sql.transaction(async (transaction) => {
        const project = await engine.hold(transaction, projectId);
        if (!project || project.sealedThrough === null) return;
        const held = { sql: transaction, engine, project };
        const { details, counts } = sealedCutoffs(cutoffs, project);
        await forgetBesides(held, { details, counts });
        const before = isAsked ? details : counts;
        if (before !== null) await forgetVisitors(held, before);
        await engine.forgetNames(transaction, project);
      }),
  };
}

/** Of sealed days alone. With all of a day its details go. */
function sealedCutoffs({ details, counts }: Cutoffs, project: CountedProject | undefined): Cutoffs {
  const sealedThrough = project?.sealedThrough ?? null;
  if (sealedThrough === null) return noCutoffs;
  const bound = (day: Day | null) => (day === null ? null : Math.min(day, sealedThrough + 1));
  const all = bound(counts);
  const detailed = bound(details);
  return { counts: all, details: all === null ? detailed : Math.max(all, detailed ?? all) };
}

interface Rows {
  /** Called `t`. */
  table: string;
  are: string;
  values: SqlValue[];
}

/** What is kept of the days besides counts. Each is one search in an index. */
function besides({ engine, project }: Held, { details, counts }: Cutoffs): Rows[] {
  const counted = (table: string, before: Day, more = '') => ({
    ...{ table, are: `${engine.ofProject('t', project)} and t.day < $3${more}` },
    values: [...placeOf(project), before],
  });
  const other = (table: string, are: string) => ({
    ...{ table, are: `t.project = $1 and ${are}`, values: [project.id, counts] },
  });
  const listed = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');
  const isSearch = `t.tool in (${listed(searchToolNames)}) and t.kind in (${listed(searchKinds)})`;
  return [
    ...(details === null ? [] : [counted('tallies', details, ` and t.tally in (${detailCounters})`)]),
    ...(counts === null
      ? []
      : [
          ...['dropped', 'name_caps'].map((table) => counted(table, counts)),
          counted('tallies', counts, ` and t.tally in (${allCounters})`),
          ...['imported_days', 'rule_days'].map((table) => other(table, 't.day < $2')),
          other('search_numbers', `${isSearch} and t.last_day < $2`),
        ]),
  ];
}

async function hasBesides(held: Held, cutoffs: Cutoffs): Promise<boolean> {
  for (const { table, are, values } of besides(held, cutoffs))
    if (await has(held.sql, `select 1 from ${table} t where ${are} limit 1`, values)) return true;
  return false;
}

async function forgetBesides(held: Held, { details, counts }: Cutoffs): Promise<void> {
  const { sql, engine, project } = held;
  if (details !== null) {
    await forgetRecordedDetails(sql, project, details);
    await engine.forgetViews(sql, project, details);
    await sql.query('delete from cells where project = $1 and day < $2', [project.id, details]);
  }
  if (counts !== null) await forgetRecorded(sql, project, counts);
  for (const { table, are, values } of besides(held, { details, counts }))
    await sql.query(`delete from ${table} as t where ${are}`, values);
}

/** Of days that an import has open: who comes again counts again, as counts are gone, and names whose numbers others get. */
async function forgetVisitors({ sql, engine, project }: Held, before: Day): Promise<void> {
  const days = await sql.query<{ id: number }>('select id from days where project = $1 and day < $2', [
    project.id,
    before,
  ]);
  await engine.forgetDays(
    sql,
    days.map(({ id }) => id),
  );
}
