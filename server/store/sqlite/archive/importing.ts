import type { Statement } from 'better-sqlite3';
import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { largerSpans } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { numberOf, parentOf, what } from '../../../counting/what.ts';
import { addEntry } from '../../admin/audit.ts';
import type { ArchiveAdditions } from '../../archive/archive-store.ts';
import { takeIn, toStaged } from '../../archive/records.ts';
import type { Connection } from '../connection.ts';
import { sqliteSql } from '../sql.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;

/** Records as they are, in tables that nobody else sees; numbers of names are given here, from 1. */
const staging = `
  create table names (id integer primary key, what integer not null, parent integer not null, text text not null,
    unique (what, parent, text)) strict;
  create table counts (what integer not null, parent integer not null, day integer not null, name integer not null,
    humanVisitors integer not null, aiVisitors integer not null, visitors integer not null, humanViews integer not null,
    aiViews integer not null, primary key (what, parent, day, name)) strict, without rowid;
  create table staged (place integer primary key, type text, row text) strict;`;

const day = (date: string) => `unixepoch(${date}) / 86400`;

/** What makes gathered counts those of a project, given its number and by how much numbers of names have to be raised. */
const takeInCounts = `
  insert into live.names (id, project, what, parent, text)
    select id + @names, @project, what, iif(parent = 0, 0, parent + @names), text from names order by id;
  insert into live.counts (project, what, parent, span, day, name,
      human_visitors, ai_visitors, visitors, human_views, ai_views)
    select @project, what, iif(parent = 0, 0, parent + @names), 1, day, iif(name = 0, 0, name + @names),
      humanVisitors, aiVisitors, visitors, humanViews, aiViews from counts;`;

const takeInRecords = takeIn({
  into: 'live.',
  cell: (column, type) => (type === 'bytea' ? `unhex(s.row ->> '${column}')` : `s.row ->> '${column}'`),
});

/** Adds sealed days to their larger blocks, as sealing does. */
const takeInBlocks = (span: number) => `
  insert into live.counts (project, what, parent, span, day, name,
      human_visitors, ai_visitors, visitors, human_views, ai_views)
    select @project, what, iif(parent = 0, 0, parent + @names), ${span}, day / ${span} * ${span}, iif(name = 0, 0, name + @names),
      sum(humanVisitors), sum(aiVisitors), sum(visitors), sum(humanViews), sum(aiViews)
    from counts where day <= @sealedThrough group by what, parent, day / ${span}, name`;

const directoryVersion = `(select version from live.versions where what = 'directory')`;

/** Gathers the records of a project in a database of its own, and takes them in with one transaction. */
export class ProjectImport {
  readonly #db: Connection;
  readonly #stage: Statement<[RecordType, string]>;
  readonly #findName: Statement<[number, number, string], number>;
  readonly #addName: Statement<[number, number, string]>;
  readonly #count: Statement<[Record<string, unknown>]>;
  #project: Of<'project'> | undefined;

  /** @param db empty, with the database that takes the project in attached as `live` */
  constructor(db: Connection) {
    this.#db = db;
    db.exec(staging);
    this.#stage = db.prepare('insert into staged (type, row) values (?, ?)');
    this.#findName = db
      .prepare<[number, number, string], number>(
        'select id from names where what = ? and parent = ? and text = ?',
      )
      .pluck();
    this.#addName = db.prepare('insert into main.names (what, parent, text) values (?, ?, ?)');
    this.#count =
      db.prepare(`insert into main.counts values (@what, @parent, ${day('@day')}, @id, @humanVisitors, @aiVisitors,
      @visitors, @humanViews, @aiViews)`);
  }

  add(records: ArchiveRecord[]): void {
    this.#db.transaction(() => {
      for (const record of records) this.#add(record);
    })();
  }

  openDays(): Day[] {
    return this.#db
      .prepare<[Day], Day>(
        `select distinct day from main.counts where what = ${what.site} and day > ? order by day`,
      )
      .pluck()
      .all(this.#sealedThrough());
  }

  async finish({ keys, salts, entries }: ArchiveAdditions): Promise<'done' | 'exists'> {
    const project = this.#project;
    if (!project) throw new Error('There is no project to take in.');
    return sqliteSql(this.#db).transaction(async (sql) => {
      if (this.#exists(project.id)) return 'exists';
      this.#db.exec(`update live.versions set version = version + 1 where what = 'directory'`);
      const number = this.#takeIn(project);
      const addKey = this.#db.prepare(
        `insert into live.keys (id, hash, name, scope, project, created_at, expires_at, networks,
             maker_kind, maker_id, maker_name, changed)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${directoryVersion})`,
      );
      for (const { id, hash, name, scope, createdAt, expiresAt, networks, maker } of keys) {
        addKey.run(
          ...[id, hash, name, scope, number, createdAt, expiresAt, JSON.stringify(networks)],
          ...[maker?.kind ?? null, maker?.id ?? null, maker?.name ?? null],
        );
      }
      const addDay = this.#db.prepare('insert into live.days (project, day, salt) values (?, ?, ?)');
      for (const { day, salt } of salts) addDay.run(number, day, salt);
      for (const entry of entries) await addEntry(sql, entry);
      return 'done';
    });
  }

  #takeIn({ id, settings, createdAt, sealedThrough }: Of<'project'>): number {
    const db = this.#db;
    const project = Number(
      db
        .prepare(
          `insert into live.projects (public_id, settings, created_at, sealed_through, changed)
           values (?, ?, ?, ${day('?')}, ${directoryVersion})`,
        )
        .run(id, JSON.stringify(settings), createdAt, sealedThrough).lastInsertRowid,
    );
    const names = db.prepare<[], number>('select coalesce(max(id), 0) from live.names').pluck().get() ?? 0;
    for (const sql of takeInCounts.split(';').filter((part) => part.trim() !== '')) {
      db.prepare(sql).run(
        sql.includes('@names') ? { project, names } : sql.includes('@project') ? { project } : {},
      );
    }
    for (const sql of takeInRecords) db.prepare(sql).run({ 1: project });
    const through = this.#sealedThrough();
    for (const span of largerSpans)
      db.prepare(takeInBlocks(span)).run({ project, names, sealedThrough: through });
    return project;
  }

  #exists(projectId: string): boolean {
    const found = this.#db.prepare(
      `select 1 from live.projects where public_id = ?
       union all select 1 from live.jobs where public_id in (select row ->> 'public_id' from staged where type = 'job')`,
    );
    return found.get(projectId) !== undefined;
  }

  #sealedThrough(): Day {
    const date = this.#project?.sealedThrough ?? '0000-01-01';
    return this.#db
      .prepare<[string], Day>(`select ${day('?')}`)
      .pluck()
      .get(date) as Day;
  }

  #add(record: ArchiveRecord): void {
    if (record.type === 'end') return;
    if (record.type === 'project') this.#project = record;
    else if (record.type === 'count') this.#addCount(record);
    else {
      const staged = toStaged(record);
      if (staged) this.#stage.run(staged.type, JSON.stringify(staged.row));
    }
  }

  #addCount(record: Of<'count'>): void {
    const { of, client, name } = record;
    const number = numberOf(of);
    const parent = client === null ? 0 : this.#nameOf(parentOf[number] ?? what.client, 0, client);
    const id = name === null ? 0 : this.#nameOf(number, parent, name);
    this.#count.run({ ...record, what: number, parent, id });
  }

  #nameOf(kind: number, parent: number, text: string): number {
    return (
      this.#findName.get(kind, parent, text) ?? Number(this.#addName.run(kind, parent, text).lastInsertRowid)
    );
  }
}
