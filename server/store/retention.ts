import type { Day } from '../counting/calendar.ts';
import { lastingTallies } from '../counting/tally.ts';
import type { Sql } from '../database/sql.ts';
import { type CountedProject, type CountingEngine, findProject, placeOf } from './counting-engine.ts';
import { forgetRecorded, forgetRecordedDetails } from './imports.ts';

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

/** Forgets what is older than a project keeps it. */
export function retention(sql: Sql, engine: CountingEngine) {
  return {
    /** A step that takes a moment. Answers whether there is more to do. */
    forgetSome: (projectId: string, cutoffs: Cutoffs): Promise<boolean> =>
      sql.transaction(async (transaction) => {
        const project = await engine.holdDays(transaction, projectId);
        const { details, counts } = sealedCutoffs(cutoffs, project);
        if (!project) return false;
        return (
          (details !== null && (await engine.forgetSome(transaction, project, 'details', details))) ||
          (counts !== null && (await engine.forgetSome(transaction, project, 'site', counts)))
        );
      }),

    /** After the last step: what is left beside counts, and names that nothing is counted under any more. */
    finish: (projectId: string, cutoffs: Cutoffs): Promise<void> =>
      sql.transaction(async (transaction) => {
        const project = await findProject(transaction, engine, projectId);
        if (!project || project.sealedThrough === null) return;
        const { details, counts } = sealedCutoffs(cutoffs, project);
        if (details !== null) {
          await forgetRecordedDetails(transaction, project, details);
          const isDetail = `tally not in (${lastingTallies})`;
          await deleteBefore(transaction, engine, project, { table: 'tallies', before: details, isDetail });
          await engine.forgetViews(transaction, project, details);
        }
        if (counts !== null) await forgetBesides(transaction, engine, project, counts);
        await engine.hold(transaction, projectId);
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

async function deleteBefore(
  sql: Sql,
  engine: CountingEngine,
  project: CountedProject,
  { table, before, isDetail = '1 = 1' }: { table: string; before: Day; isDetail?: string },
): Promise<void> {
  await sql.query(
    `delete from ${table} as t where ${engine.ofProject('t', project)} and day < $3 and ${isDetail}`,
    [...placeOf(project), before],
  );
}

async function forgetBesides(
  sql: Sql,
  engine: CountingEngine,
  project: CountedProject,
  before: Day,
): Promise<void> {
  for (const table of ['dropped', 'name_caps', 'tallies'])
    await deleteBefore(sql, engine, project, { table, before });
  await forgetRecorded(sql, project, before);
  const others = { imported_days: 'day', rule_days: 'day', search_numbers: 'last_day' };
  for (const [table, day] of Object.entries(others))
    await sql.query(`delete from ${table} where project = $1 and ${day} < $2`, [project.id, before]);
}
