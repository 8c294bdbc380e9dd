import { counters } from '../../shared/reports/counters.ts';
import { blocksOf } from '../counting/blocks.ts';
import type { Day } from '../counting/calendar.ts';
import { admitNames, type HistoryDay, historyGroup, historyGroups } from '../counting/history.ts';
import { kindBits } from '../counting/sum.ts';
import { what } from '../counting/what.ts';
import { has, type Sql } from '../database/sql.ts';
import {
  addRows,
  type CountedProject,
  type CountingEngine,
  type CountTables,
  type Held,
  placeOf,
} from './counting-engine.ts';

/** `counted`: the day has counts already; `open`: it is not sealed, or an import is at work on it; `gone`: there is no such project. */
export type HistoryReceipt = 'added' | 'counted' | 'open' | 'gone';

const dataSourceCounter = counters['data-sources'].number;

export type HistoryStore = ReturnType<typeof history>;

/** Days that another tool counted. */
export function history(sql: Sql, engine: CountingEngine) {
  return {
    /** Takes in a sealed day on which nothing was counted, in all blocks, and nothing else. */
    addDay: (projectId: string, day: HistoryDay): Promise<HistoryReceipt> =>
      sql.transaction(async (transaction) => {
        const project = await engine.holdDays(transaction, projectId);
        if (!project) return 'gone';
        const held = { sql: transaction, engine, project };
        if (await isOpen(transaction, project, day.day)) return 'open';
        if (await isCounted(held, day.day)) return 'counted';
        await addCounts(held, day);
        return 'added';
      }),

    /** Deletes a day of that tool, out of all blocks. False: it is none, or was counted on besides. */
    removeDay: (projectId: string, day: Day, tool: string): Promise<boolean> =>
      sql.transaction(async (transaction) => {
        const project = await engine.holdDays(transaction, projectId);
        if (!project || (await isOpen(transaction, project, day))) return false;
        const groups = await listDataSources({ sql: transaction, engine, project }, day);
        if (groups.length !== 1 || groups[0] !== historyGroup(tool)) return false;
        await engine.forgetDay(transaction, project, day);
        for (const table of ['tallies', 'name_caps'])
          await transaction.query(
            `delete from ${table} as t where ${engine.ofProject('t', project)} and day = $3`,
            [...placeOf(project), day],
          );
        return true;
      }),
  };
}

/** Whether another tool counted a day. */
export async function isHistory(
  sql: Sql,
  tables: CountTables,
  project: CountedProject,
  day: Day,
): Promise<boolean> {
  return has(
    sql,
    `select 1 from tallies t where ${tables.ofProject('t', project)} and tally = ${dataSourceCounter} and day = $3
       and subject like '${historyGroups.like}' limit 1`,
    [...placeOf(project), day],
  );
}

/** Not sealed, or an import is at work on it. */
async function isOpen(sql: Sql, { id, sealedThrough }: CountedProject, day: Day): Promise<boolean> {
  if (sealedThrough === null || day > sealedThrough) return true;
  return has(sql, 'select 1 from days where project = $1 and day = $2', [id, day]);
}

async function isCounted(held: Held, day: Day): Promise<boolean> {
  const { sql, engine, project } = held;
  if ((await listDataSources(held, day)).length > 0) return true;
  return has(
    sql,
    `select 1 from counts c where ${engine.ofProject('c', project)} and span = 1 and day = $3 and what = ${what.site}
       and parent = 0 limit 1`,
    [...placeOf(project), day],
  );
}

async function listDataSources({ sql, engine, project }: Held, day: Day): Promise<string[]> {
  const rows = await sql.query<{ subject: string }>(
    `select distinct subject from tallies t where ${engine.ofProject('t', project)} and tally = ${dataSourceCounter} and day = $3`,
    [...placeOf(project), day],
  );
  return rows.map(({ subject }) => subject);
}

async function addCounts({ sql, engine, project }: Held, history: HistoryDay): Promise<void> {
  const { day, tool, site } = history;
  const named = history.sums.map(({ what, text }) => ({ what, text, parent: 0 }));
  const known = await engine.findNames(sql, project, named);
  const ids = new Map(history.sums.map((sum, i) => [sum, known[i]]));
  const { sums, capped } = admitNames(history, (sum) => ids.get(sum) !== undefined);
  const names = await engine.findOrAddNames(
    sql,
    project,
    sums.map(({ what, text }) => ({ what, text, parent: 0 })),
  );
  const counted = [
    { ...site, what: what.site, name: 0 },
    ...sums.map((sum, i) => ({ ...sum, name: names[i] })),
  ];
  const rows = counted.flatMap(({ what, name = 0, visitors, views }) =>
    blocksOf(day, { isSealed: true }).map((block) => ({
      ...{ ...block, what, parent: 0, name, human_visitors: visitors, ai_visitors: 0, visitors },
      ...{ human_views: views, ai_views: 0 },
    })),
  );
  await addRows(sql, engine, project, 'counts', rows);
  const caps = capped.map((cap) => ({ ...cap, day, kind: kindBits[cap.kind] }));
  await addRows(sql, engine, project, 'name_caps', caps);
  const row = {
    tally: dataSourceCounter,
    day,
    subject: historyGroup(tool),
    name: 'people',
    hits: site.views,
    amount: 0,
  };
  await addRows(sql, engine, project, 'tallies', [row]);
}
