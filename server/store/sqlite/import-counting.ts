import type { Statement } from 'better-sqlite3';
import type { ImportDay, LogBatch, LogProgress, LogReceipt, ViewTable } from '../import-store.ts';
import { blockStart, spans } from './blocks.ts';
import { kindBits } from './columns.ts';
import type { Connection } from './connection.ts';
import { addCountsSql, addDroppedSql, addView, type Delta, emptyDelta, site } from './counting.ts';
import { Dictionary } from './dictionary.ts';
import { Seen } from './seen.ts';
import { joinClient, type What } from './what.ts';

interface DayRow {
  project: number;
  day: number;
  forget_at: number | null;
}

/** What a batch adds to a day, by the indexes of the batch's lists, so that a view costs no look-up by name. */
class DayTable {
  readonly row: DayRow & { id: number };
  readonly site = emptyDelta(site);
  readonly #dictionary: Dictionary;
  readonly #deltas = new Map<number, Delta>();
  readonly #lists = new Map<string, Delta[]>();

  constructor(row: DayRow & { id: number }, dictionary: Dictionary) {
    this.row = row;
    this.#dictionary = dictionary;
    this.#deltas.set(site.id, this.site);
  }

  deltas(): Iterable<Delta> {
    return this.#deltas.values();
  }

  /** The deltas of a list of the batch, which are filled in when they are asked for. */
  list(key: string): Delta[] {
    let list = this.#lists.get(key);
    if (!list) {
      list = [];
      this.#lists.set(key, list);
    }
    return list;
  }

  find(list: Delta[], index: number, dimension: What, text: string, parent = 0): Delta {
    const known = list[index];
    if (known) return known;
    const name = this.#dictionary.get(this.row.project, this.row.id, dimension, text, parent);
    // Two texts can be one name: those beyond the day's limit.
    const delta = this.#deltas.get(name.id) ?? emptyDelta(name);
    this.#deltas.set(name.id, delta);
    list[index] = delta;
    return delta;
  }
}

/** Counts what was read of logs. On sealed days sums go to all blocks at once, as sealing will not come again. */
export class ImportCounting {
  readonly #dictionary: Dictionary;
  readonly #seen: Seen;
  readonly #findDay: Statement<[number, string], DayRow>;
  readonly #keep: Statement<[number, number]>;
  readonly #addCounts: Statement<number[]>;
  readonly #addDropped: Statement<[number, string, string, number, string]>;
  readonly #addImported: Statement<[number, number, number, number, number]>;
  readonly #newestLog: Statement<[string], { id: number | null }>;
  readonly #findLog: Statement<[number], { bytes: number }>;
  readonly #addLog: Statement<[number, Uint8Array, number, number, string]>;
  readonly #moveLog: Statement<[number, Uint8Array, number, number, number]>;
  readonly #count: (batch: LogBatch) => LogReceipt;

  constructor(db: Connection) {
    this.#dictionary = new Dictionary(db);
    this.#seen = new Seen(db);
    this.#findDay = db.prepare(
      `select d.project, d.day, d.forget_at from days d join projects p on p.id = d.project
       where d.id = ? and p.public_id = ? and d.salt is not null`,
    );
    this.#keep = db.prepare('update days set forget_at = ? where id = ?');
    this.#addCounts = db.prepare(addCountsSql);
    this.#addDropped = db.prepare(addDroppedSql);
    this.#addImported = db.prepare(
      `insert into imported_days (project, day, human_views, ai_views, last_at) values (?, ?, ?, ?, ?)
       on conflict do update set
         human_views = human_views + excluded.human_views,
         ai_views = ai_views + excluded.ai_views,
         last_at = max(last_at, excluded.last_at)`,
    );
    this.#newestLog = db.prepare(
      'select max(l.id) as id from logs l join projects p on p.id = l.project where p.public_id = ?',
    );
    this.#findLog = db.prepare('select bytes from logs where id = ?');
    this.#addLog = db.prepare(
      `insert into logs (project, head_length, head_hash, bytes, lines)
       select id, ?, ?, ?, ? from projects where public_id = ?`,
    );
    this.#moveLog = db.prepare(
      'update logs set head_length = ?, head_hash = ?, bytes = ?, lines = ? where id = ?',
    );
    const transaction = db.transaction(this.#countAll.bind(this));
    this.#count = transaction.immediate.bind(transaction);
  }

  count(batch: LogBatch): LogReceipt {
    try {
      return this.#count(batch);
    } catch (error) {
      this.#dictionary.forget();
      this.#seen.forget();
      throw error;
    }
  }

  #countAll(batch: LogBatch): LogReceipt {
    const days = this.#openDays(batch);
    if (!days || this.#isMoved(batch)) return { state: 'changed' };
    countViews(batch.views, days, this.#seen);
    for (const [i, day] of days.entries()) {
      this.#write(day, batch.forgetAt, (batch.days[i] as LogBatch['days'][number]).lastAt);
    }
    for (const { day, reason, family, hits } of batch.dropped) {
      this.#addDropped.run(day, reason, family, hits, batch.projectId);
    }
    return { state: 'counted', ids: batch.logs.map((log) => this.#note(log, batch.projectId)) };
  }

  #openDays({ days, projectId }: LogBatch): DayTable[] | undefined {
    const tables: DayTable[] = [];
    for (const { id } of days satisfies ImportDay[]) {
      const row = this.#findDay.get(id, projectId);
      if (!row) return undefined;
      tables.push(new DayTable({ ...row, id }, this.#dictionary));
    }
    return tables;
  }

  /** Somebody else reads one of the logs, or may have begun to. */
  #isMoved({ logs, newestLog, projectId }: LogBatch): boolean {
    if (logs.some(({ id }) => id === null) && (this.#newestLog.get(projectId)?.id ?? 0) > newestLog)
      return true;
    return logs.some(({ id, from }) => id !== null && this.#findLog.get(id)?.bytes !== from);
  }

  #write(table: DayTable, forgetAt: number, lastAt: number): void {
    const { id, project, day, forget_at } = table.row;
    const isSealed = forget_at !== null;
    if (isSealed) this.#keep.run(forgetAt, id);
    for (const delta of table.deltas()) {
      for (const span of isSealed ? spans : spans.slice(0, 1)) {
        this.#addCounts.run(
          project,
          delta.name.what,
          delta.name.parent,
          span,
          blockStart(day, span),
          delta.name.id,
          delta.humanVisitors,
          delta.aiVisitors,
          delta.visitors,
          delta.humanViews,
          delta.aiViews,
        );
      }
    }
    this.#addImported.run(project, day, table.site.humanViews, table.site.aiViews, lastAt);
  }

  #note({ id, headLength, headHash, bytes, lines }: LogProgress, projectId: string): number {
    if (id === null) {
      return Number(this.#addLog.run(headLength, headHash, bytes, lines, projectId).lastInsertRowid);
    }
    this.#moveLog.run(headLength, headHash, bytes, lines, id);
    return id;
  }
}

function countViews(views: ViewTable, days: readonly DayTable[], seen: Seen): void {
  const bits = views.kinds.map((kind) => kindBits[kind]);
  for (let i = 0; i < views.day.length; i++) {
    const day = days[views.day[i] as number] as DayTable;
    countView(views, i, day, bits[views.kind[i] as number] as number, seen);
  }
}

function countView(views: ViewTable, i: number, day: DayTable, kind: number, seen: Seen): void {
  const visitor = views.visitor[i] as bigint;
  const row = day.row.id;
  const before = seen.add(row, visitor, site.id, kind);
  addView(day.site, kind, before);
  addTraits(views, i, day, kind, before);

  const pathIndex = views.path[i] as number;
  const path = views.paths[pathIndex] as string;
  const count = (delta: Delta) => addView(delta, kind, seen.add(row, visitor, delta.name.id, kind));
  count(day.find(day.list('path'), pathIndex, 'path', path));
  const source = views.source[i] as number;
  if (source >= 0) count(day.find(day.list('source'), source, 'source', views.sources[source] as string));
  const clientIndex = views.client[i] as number;
  const client = views.clients[clientIndex];
  if (!client) return;
  const named = day.find(day.list('client'), clientIndex, 'client', client.name);
  count(named);
  count(day.find(day.list('clientProof'), clientIndex, 'clientProof', joinClient(client)));
  const parent = named.name.id;
  count(day.find(day.list(`clientPath ${parent}`), pathIndex, 'clientPath', path, parent));
}

/** These follow from the address and the user agent, as the visitor does: whoever is new here is new there. */
function addTraits(views: ViewTable, i: number, day: DayTable, kind: number, before: number): void {
  const index = views.trait[i] as number;
  const traits = views.traits[index] as ViewTable['traits'][number];
  addView(day.find(day.list('device'), index, 'device', traits.device), kind, before);
  addView(day.find(day.list('browser'), index, 'browser', traits.browser), kind, before);
  addView(day.find(day.list('system'), index, 'system', traits.system), kind, before);
  const country = views.country[i] as number;
  if (country >= 0) {
    addView(
      day.find(day.list('country'), country, 'country', views.countries[country] as string),
      kind,
      before,
    );
  }
}
