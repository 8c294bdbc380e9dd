import { tallies } from '../../../../shared/reports/tallies.ts';
import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import {
  admitNames,
  type HistoryDay,
  type HistorySum,
  historyGroup,
  peopleSum,
} from '../../../counting/history.ts';
import type { CappedViews } from '../../../counting/names/name-cap.ts';
import { kindBits, type Sum } from '../../../counting/sum.ts';
import { what } from '../../../counting/what.ts';
import { noCutoffs } from '../../counts/retention-store.ts';
import type { HistoryReceipt, HistoryStore } from '../../history-store.ts';
import { bigintArray } from '../counts/arrays.ts';
import { type CountedProject, ofProject, placeOf } from '../counts/counted-project.ts';
import { findNames, findOrAddNames, keyOf } from '../counts/names/added-names.ts';
import { type Retention, removeDay } from '../counts/retention.ts';
import { shardOf } from '../counts/shards.ts';
import { addRows, type SumRow } from '../counts/sums.ts';
import { holdForVisits } from '../counts/visits.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

const wayIn = tallies['ways-in'].number;

/** Takes in days that another tool counted, and out again. */
export class History implements HistoryStore {
  readonly #database: Database;
  readonly #retention: Retention;

  constructor(database: Database, retention: Retention) {
    this.#database = database;
    this.#retention = retention;
  }

  addDay(projectId: string, history: HistoryDay): Promise<HistoryReceipt> {
    return this.#database.transaction(async (db) => {
      const project = await holdForVisits(db, projectId);
      if (!project) return 'gone';
      const { day } = history;
      if (await isOpen(db, project, day)) return 'open';
      if (await isCounted(db, project, day)) return 'counted';
      await addCounts(db, project, history);
      return 'added';
    });
  }

  removeDay(projectId: string, day: Day, tool: string): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      const project = await holdForVisits(db, projectId);
      if (!project || (await isOpen(db, project, day))) return false;
      const groups = await waysInto(db, project, day);
      if (groups.length !== 1 || groups[0] !== historyGroup(tool)) return false;
      await removeDay(db, project, day);
      return true;
    });
  }

  finishRemoval(projectId: string): Promise<void> {
    return this.#retention.finish(projectId, noCutoffs);
  }
}

/** Not sealed, or an import is at work on it. */
async function isOpen(db: Queryable, { id, sealedThrough }: CountedProject, day: Day): Promise<boolean> {
  if (sealedThrough === null || day > sealedThrough) return true;
  const open = await db.query('select from days where project = $1 and day = $2', [id, day]);
  return open.length > 0;
}

async function isCounted(db: Queryable, project: CountedProject, day: Day): Promise<boolean> {
  if ((await waysInto(db, project, day)).length > 0) return true;
  const counts = await db.query(
    `select from counts c where ${ofProject('c', project)} and span = 1 and day = $3 and what = ${what.site} limit 1`,
    [...placeOf(project), day],
  );
  return counts.length > 0;
}

async function waysInto(db: Queryable, project: CountedProject, day: Day): Promise<string[]> {
  const rows = await db.query<{ subject: string }>(
    `select distinct subject from tallies t where ${ofProject('t', project)} and tally = ${wayIn} and day = $3`,
    [...placeOf(project), day],
  );
  return rows.map(({ subject }) => subject);
}

async function addCounts(db: Queryable, { id: project }: CountedProject, history: HistoryDay): Promise<void> {
  const named = (sum: HistorySum) => ({ ...sum, parent: 0 });
  const known = await findNames(db, project, history.sums.map(named));
  const { sums, capped } = admitNames(history, (sum) => known.has(keyOf(named(sum))));
  const names = await findOrAddNames(db, project, sums.map(named));
  const rows = [
    { what: what.site, name: 0, sum: peopleSum(history.site) },
    ...sums.map((sum, i) => ({ what: sum.what, name: names[i] as number, sum: peopleSum(sum) })),
  ];
  const blocks = blocksOf(history.day, { isSealed: true });
  await addRows(
    db,
    project,
    rows.flatMap((row) => blocks.map((block) => toRow({ ...row, block }))),
  );
  await addCapped(db, project, history.day, capped);
  await noteWayIn(db, project, history);
}

function toRow({ sum, ...row }: Pick<SumRow, 'what' | 'name' | 'block'> & { sum: Sum }): SumRow {
  return {
    ...row,
    parent: 0,
    human_visitors: sum.humanVisitors,
    ai_visitors: sum.aiVisitors,
    visitors: sum.visitors,
    human_views: sum.humanViews,
    ai_views: sum.aiViews,
  };
}

async function addCapped(db: Queryable, project: number, day: Day, capped: CappedViews[]): Promise<void> {
  await db.query(
    `insert into name_caps (shard, project, day, what, cap, kind, client, slot, views)
     select $1::int, $2::int, $3::int, x.what, x.cap, ${kindBits.human}, x.client, 0, x.views
     from unnest($4::int[], $5::text[], $6::text[], $7::bigint[]) as x(what, cap, client, views)`,
    [
      ...[shardOf(project, 0), project, day, capped.map(({ what }) => what), capped.map(({ cap }) => cap)],
      ...[capped.map(({ client }) => client), bigintArray(capped.map(({ views }) => BigInt(views)))],
    ],
  );
}

async function noteWayIn(db: Queryable, project: number, { day, tool, site }: HistoryDay): Promise<void> {
  await db.query(
    `insert into tallies (shard, project, tally, day, subject, name, slot, hits, amount)
     values ($1, $2, ${wayIn}, $3, $4, 'people', 0, $5, 0)`,
    [shardOf(project, 0), project, day, historyGroup(tool), site.views],
  );
}
