import type { Statement } from 'better-sqlite3';
import { tallies } from '../../../../shared/reports/tallies.ts';
import type { Day } from '../../../counting/calendar.ts';
import { historyGroups } from '../../../counting/history.ts';
import { what } from '../../../counting/what.ts';
import type { DaySummary, ImportDay, KnownLog, OpenChunk } from '../../counts/import-store.ts';
import type { Connection } from '../connection.ts';

interface SummaryRow {
  day: Day;
  human_views: number;
  ai_views: number;
  imported_human: number | null;
  imported_ai: number | null;
  last_at: number | null;
  history: string | null;
  is_open: 0 | 1;
}

/** What is known of imports before one begins. */
export class ImportReader {
  readonly #logs: Statement<[string], KnownLog>;
  readonly #openLines: Statement<[number], OpenChunk>;
  readonly #days: Statement<[string], SummaryRow>;
  readonly #notedDays: Statement<[string], { day: Day }>;

  constructor(db: Connection) {
    this.#logs = db.prepare(
      `select l.id, head_length as headLength, head_hash as headHash, bytes, lines, undone_at is not null as isUndone
       from logs l join projects p on p.id = l.project where p.public_id = ? order by l.id`,
    );
    this.#openLines = db.prepare('select chunk, bits from open_lines where log = ? order by chunk');
    this.#notedDays = db.prepare(
      `select distinct t.day from tallies t join projects p on p.id = t.project
       where p.public_id = ? and t.tally = ${tallies['ways-in'].number}`,
    );
    this.#days = db.prepare(
      `select c.day, c.human_views, c.ai_views, i.human_views as imported_human, i.ai_views as imported_ai, i.last_at,
         (select min(substr(t.subject, ${historyGroups.toolFrom})) from tallies t
          where t.project = c.project and t.tally = ${tallies['ways-in'].number} and t.day = c.day
            and t.subject like '${historyGroups.like}') as history,
         exists (select 1 from days d where d.project = c.project and d.day = c.day and d.salt is not null) as is_open
       from projects p
         join counts c on c.project = p.id and c.what = ${what.site} and c.parent = 0 and c.span = 1
         left join imported_days i on i.project = c.project and i.day = c.day
       where p.public_id = ? order by c.day`,
    );
  }

  listNotedDays(projectId: string): Day[] {
    return this.#notedDays.all(projectId).map(({ day }) => day);
  }

  readOpenLines(log: number): OpenChunk[] {
    return this.#openLines.all(log);
  }

  listLogs(projectId: string): KnownLog[] {
    return this.#logs
      .all(projectId)
      .map(({ isUndone, ...log }) => ({ ...log, ...(isUndone && { isUndone: true }) }));
  }

  listDays(projectId: string): DaySummary[] {
    return this.#days.all(projectId).map((row) => ({
      day: row.day,
      humanViews: row.human_views,
      aiViews: row.ai_views,
      imported:
        row.last_at === null
          ? null
          : { humanViews: row.imported_human ?? 0, aiViews: row.imported_ai ?? 0, lastAt: row.last_at },
      history: row.history,
      isOpen: row.is_open === 1,
    }));
  }
}

/** For a day that has no salt yet, and when it is forgotten if the day is sealed. */
interface Given {
  salt: Uint8Array;
  forgetAt: number;
}

type Opening = ImportDay | 'forgotten' | 'history' | null;

/** Opens days for imports. */
export class ImportWriter {
  readonly #deleteForgotten: () => Promise<unknown>;
  readonly #open: (projectId: string, day: Day, given: Given) => Opening;
  readonly #project: Statement<[string], { id: number; sealed_through: number | null }>;
  readonly #isHistory: Statement<[number, Day]>;
  readonly #insert: Statement<[number, Day, Uint8Array, number | null]>;
  readonly #find: Statement<[number, Day], { id: number; salt: Buffer | null }>;

  /** @param deleteForgotten deletes what is left of days without a salt */
  constructor(db: Connection, deleteForgotten: () => Promise<unknown>) {
    this.#deleteForgotten = deleteForgotten;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#isHistory = db.prepare(
      `select 1 from tallies where project = ? and tally = ${tallies['ways-in'].number} and day = ?
         and subject like '${historyGroups.like}' limit 1`,
    );
    this.#insert = db.prepare(
      'insert into days (project, day, salt, forget_at) values (?, ?, ?, ?) on conflict do nothing',
    );
    this.#find = db.prepare('select id, salt from days where project = ? and day = ?');
    const transaction = db.transaction(this.#openDay.bind(this));
    this.#open = transaction.immediate.bind(transaction);
  }

  async openDay(projectId: string, day: Day, given: Given): Promise<ImportDay | 'history' | null> {
    for (;;) {
      const opened = this.#open(projectId, day, given);
      if (opened !== 'forgotten') return opened;
      await this.#deleteForgotten();
    }
  }

  #openDay(projectId: string, day: Day, { salt, forgetAt }: Given): Opening {
    const project = this.#project.get(projectId);
    if (!project) return null;
    if (this.#isHistory.get(project.id, day)) return 'history';
    const isSealed = day <= (project.sealed_through ?? Number.NEGATIVE_INFINITY);
    this.#insert.run(project.id, day, salt, isSealed ? forgetAt : null);
    const row = this.#find.get(project.id, day);
    return row?.salt ? { id: row.id, day, salt: row.salt } : 'forgotten';
  }
}
