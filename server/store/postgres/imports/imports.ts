import { tallies } from '../../../../shared/reports/tallies.ts';
import type { Day } from '../../../counting/calendar.ts';
import { historyGroups } from '../../../counting/history.ts';
import { what } from '../../../counting/what.ts';
import type {
  DaySummary,
  ImportDay,
  ImportStore,
  KnownLog,
  OpenChunk,
  ViewBatch,
} from '../../counts/import-store.ts';
import { TableBatch } from '../../counts/view-batch.ts';
import { type CountedProject, findProject, ofProject, placeOf } from '../counts/counted-project.ts';
import { openDay, openInPartition } from '../counts/open-days.ts';
import { holdDays } from '../counts/retention.ts';
import type { Sealing } from '../counts/sealing.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import type { ImportCounting } from './import-counting.ts';

interface SummaryRow {
  day: Day;
  humanViews: number;
  aiViews: number;
  importedHuman: number | null;
  importedAi: number | null;
  lastAt: number | null;
  history: string | null;
  isOpen: boolean;
}

/** For a day that has no salt yet, and when it is forgotten if the day is sealed. */
interface Given {
  salt: Uint8Array;
  forgetAt: number;
}

/** What is kept of imports. */
export class Imports implements ImportStore {
  readonly #database: Database;
  readonly #counting: ImportCounting;
  readonly #sealing: Sealing;

  constructor(database: Database, counting: ImportCounting, sealing: Sealing) {
    this.#database = database;
    this.#counting = counting;
    this.#sealing = sealing;
  }

  async listLogs(projectId: string): Promise<KnownLog[]> {
    const logs = await this.#database.query<KnownLog>(
      `select l.id, head_length as "headLength", head_hash as "headHash", bytes, lines, undone_at is not null as "isUndone"
       from logs l join projects p on p.id = l.project where p.public_id = $1 order by l.id`,
      [projectId],
    );
    return logs.map(({ isUndone, ...log }) => ({ ...log, ...(isUndone && { isUndone }) }));
  }

  readOpenLines(logId: number): Promise<OpenChunk[]> {
    return this.#database.query<OpenChunk>(
      'select chunk, bits from open_lines where log = $1 order by chunk',
      [logId],
    );
  }

  async listNotedDays(projectId: string): Promise<Day[]> {
    const project = await findProject(this.#database, projectId);
    if (!project) return [];
    const rows = await this.#database.query<{ day: Day }>(
      `select distinct day from tallies t where ${ofProject('t', project)} and tally = ${tallies['ways-in'].number}`,
      placeOf(project),
    );
    return rows.map(({ day }) => day);
  }

  async listDays(projectId: string): Promise<DaySummary[]> {
    const project = await findProject(this.#database, projectId);
    if (!project) return [];
    const rows = await this.#database.query<SummaryRow>(
      `select c.day, c.human as "humanViews", c.ai as "aiViews",
         i.human_views as "importedHuman", i.ai_views as "importedAi", i.last_at as "lastAt", h.history,
         exists (select from days d where d.project = $2 and d.day = c.day and d.salt is not null) as "isOpen"
       from (
         select day, sum(human_views) as human, sum(ai_views) as ai from counts c
         where ${ofProject('c', project)} and span = 1 and what = ${what.site} and parent = 0 and name = 0 group by day) c
         left join imported_days i on i.project = $2 and i.day = c.day
         left join (
           select day, min(substr(subject, ${historyGroups.toolFrom})) as history from tallies t
           where ${ofProject('t', project)} and tally = ${tallies['ways-in'].number} and subject like '${historyGroups.like}'
           group by day) h on h.day = c.day
       order by c.day`,
      placeOf(project),
    );
    return rows.map(({ importedHuman, importedAi, lastAt, ...row }) => ({
      ...row,
      imported: lastAt === null ? null : { humanViews: importedHuman ?? 0, aiViews: importedAi ?? 0, lastAt },
    }));
  }

  async openDay(projectId: string, day: Day, given: Given): Promise<ImportDay | 'history' | null> {
    for (;;) {
      const opened = await openInPartition(this.#database, () => this.#open(projectId, day, given));
      if (opened.state === 'none') return null;
      if (opened.state === 'history') return 'history';
      if (opened.state === 'open' && opened.salt) return { id: opened.id, day, salt: opened.salt };
      // It is about to be sealed, or forgotten: somebody may have been killed while doing so.
      if (opened.state === 'ending') await this.#sealing.seal(projectId, opened.day);
      else await this.#sealing.sealImported(projectId, 0, [day]);
    }
  }

  /** While no day of another tool is taken in. */
  #open(projectId: string, day: Day, { salt, forgetAt }: Given) {
    return this.#database.transaction(async (db) => {
      const project = await holdDays(db, projectId);
      if (project && (await isHistory(db, project, day))) return { state: 'history' } as const;
      return openDay(db, projectId, day, salt, forgetAt);
    });
  }

  newBatch(): ViewBatch {
    return new TableBatch((batch) => this.#counting.count(batch));
  }

  seal(projectId: string, now: number, done: Day[]): Promise<void> {
    return this.#sealing.sealImported(projectId, now, done);
  }
}

async function isHistory(db: Queryable, project: CountedProject, day: Day): Promise<boolean> {
  const rows = await db.query(
    `select from tallies t where ${ofProject('t', project)} and tally = ${tallies['ways-in'].number} and day = $3
       and subject like '${historyGroups.like}' limit 1`,
    [...placeOf(project), day],
  );
  return rows.length > 0;
}
