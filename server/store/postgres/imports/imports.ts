import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { DaySummary, ImportDay, ImportStore, KnownLog, ViewBatch } from '../../import-store.ts';
import { TableBatch } from '../../view-batch.ts';
import { openDay } from '../counts/calendar.ts';
import type { Sealing } from '../counts/sealing.ts';
import type { Database } from '../database.ts';
import type { ImportCounting } from './import-counting.ts';

interface SummaryRow {
  day: Day;
  humanViews: number;
  aiViews: number;
  importedHuman: number | null;
  importedAi: number | null;
  lastAt: number | null;
  isOpen: boolean;
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

  listLogs(projectId: string): Promise<KnownLog[]> {
    return this.#database.query<KnownLog>(
      `select l.id, head_length as "headLength", head_hash as "headHash", bytes, lines
       from logs l join projects p on p.id = l.project where p.public_id = $1 order by l.id`,
      [projectId],
    );
  }

  async listDays(projectId: string): Promise<DaySummary[]> {
    const rows = await this.#database.query<SummaryRow>(
      `select c.day, sum(c.human_views) as "humanViews", sum(c.ai_views) as "aiViews",
         i.human_views as "importedHuman", i.ai_views as "importedAi", i.last_at as "lastAt",
         exists (select from days d where d.project = p.id and d.day = c.day and d.salt is not null) as "isOpen"
       from projects p
         join counts c on c.shard = any (shards_of(p.id, p.buckets)) and c.project = p.id and c.span = 1
           and c.what = ${what.site} and c.parent = 0 and c.name = 0
         left join imported_days i on i.project = p.id and i.day = c.day
       where p.public_id = $1
       group by p.id, c.day, i.project, i.day order by c.day`,
      [projectId],
    );
    return rows.map(({ importedHuman, importedAi, lastAt, ...row }) => ({
      ...row,
      imported: lastAt === null ? null : { humanViews: importedHuman ?? 0, aiViews: importedAi ?? 0, lastAt },
    }));
  }

  async openDay(
    projectId: string,
    day: Day,
    { salt, forgetAt }: { salt: Uint8Array; forgetAt: number },
  ): Promise<ImportDay | null> {
    for (;;) {
      const opened = await openDay(this.#database, projectId, day, salt, forgetAt);
      if (opened.state === 'none') return null;
      if (opened.state === 'open' && opened.salt) return { id: opened.id, day, salt: opened.salt };
      // It is about to be sealed, or forgotten: somebody may have been killed while doing so.
      if (opened.state === 'ending') await this.#sealing.seal(projectId, opened.day);
      else await this.#sealing.sealImported(projectId, 0, [day]);
    }
  }

  newBatch(): ViewBatch {
    return new TableBatch((batch) => this.#counting.count(batch));
  }

  seal(projectId: string, now: number, done: Day[]): Promise<void> {
    return this.#sealing.sealImported(projectId, now, done);
  }
}
