import { closeSync } from 'node:fs';
import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { GoalSum } from '../../../counting/goal/goal.ts';
import type { Sum } from '../../../counting/sum.ts';
import { type ArchiveAdditions, recordsAtATime } from '../../archive/archive-store.ts';
import { archiveSections } from '../../archive/records.ts';
import { type Connection, openForReading } from '../connection.ts';
import { CountedNames } from '../counts/counted-names.ts';
import { readPending } from '../counts/pending-counts.ts';
import { nameAbove, namedSums } from '../counts/visits/sealed-visits.ts';
import { OpenVisits } from '../counts/visits/visit-views.ts';
import { readMissing } from '../damage.ts';
import { openCopy } from '../files/copying.ts';
import { openScratch } from '../files/scratch.ts';
import { migrate } from '../schema.ts';
import { dialect } from '../sql.ts';
import { ProjectImport } from './importing.ts';

/** Hands out a project's records, or gathers those of another. */
export class ArchiveKeeper {
  readonly #file: string;
  #export: ProjectExport | undefined;
  #import: ProjectImport | undefined;
  #scratch: { db: Connection; descriptor: number } | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  beginExport(projectId: string, salvages = false): boolean {
    const db = salvages ? this.#openSalvaged() : openForReading(this.#file);
    db.exec('begin');
    const project = db
      .prepare<[string], number>('select id from projects where public_id = ?')
      .pluck()
      .get(projectId);
    if (project === undefined) db.close();
    else this.#export = new ProjectExport(db, project);
    return project !== undefined;
  }

  #openSalvaged(): Connection {
    const { db, descriptor } = openCopy(this.#file, { withVisitors: true });
    migrate(db);
    this.#scratch = { db, descriptor };
    return db;
  }

  nextRecords(): ArchiveRecord[] {
    return this.#export?.next() ?? [];
  }

  beginImport(): void {
    this.#scratch = openScratch(this.#file);
    const { db } = this.#scratch;
    db.prepare('attach ? as live').run(this.#file);
    // What is acknowledged survives a loss of power, and what is read by others is never half there.
    db.pragma('live.synchronous = FULL');
    // Others wait for the one transaction that takes everything in.
    db.pragma('live.cache_size = -65536');
    this.#import = new ProjectImport(db);
  }

  addRecords(records: ArchiveRecord[]): void {
    this.#importing.add(records);
  }

  openDays(): Day[] {
    return this.#importing.openDays();
  }

  finishImport(additions: ArchiveAdditions): Promise<'done' | 'exists'> {
    return this.#importing.finish(additions);
  }

  get #importing(): ProjectImport {
    if (!this.#import) throw new Error('The import has to begin first.');
    return this.#import;
  }

  close(): void {
    this.#export?.close();
    if (!this.#scratch) return;
    this.#scratch.db.close();
    closeSync(this.#scratch.descriptor);
  }
}

/** In an order that does not depend on the installation. */
const counts = `
  select c.day, c.what, coalesce(parent.text, c.above) as client, coalesce(n.text, c.text) as name,
    human_visitors as humanVisitors, ai_visitors as aiVisitors, visitors, human_views as humanViews, ai_views as aiViews
  from (
    select day, what, parent, above, name, text, sum(human_visitors) as human_visitors, sum(ai_visitors) as ai_visitors,
      sum(visitors) as visitors, sum(human_views) as human_views, sum(ai_views) as ai_views
    from (
      select day, what, parent, null as above, name, null as text, human_visitors, ai_visitors, visitors, human_views, ai_views
      from counts t where project = $1 and span = 1 union all select * from temp.pending
    ) group by day, what, parent, above, name, text
  ) c left join names n on n.id = c.name left join names parent on parent.id = c.parent
  order by c.day, c.what, coalesce(parent.text, c.above), coalesce(n.text, c.text)`;

const sections = archiveSections({ dialect, isOwn: 't.project = $1', counts });

/** What a count that is in no table of them is of: a name by its number, or by its text. */
interface PendingName {
  what: number;
  parent: number;
  id: number | null;
  text: string | null;
  /** What it is under, where that has no number. */
  above: string | null;
}

function pendingName(
  names: CountedNames,
  project: number,
  { what, under, text }: Omit<GoalSum, 'sum'>,
): PendingName {
  const parent = under === null ? 0 : names.number(project, nameAbove(what, under));
  if (parent === undefined) return { what, parent: 0, above: under, id: null, text };
  const id = names.number(project, { what, text }, parent) ?? null;
  return { what, parent, above: null, id, text: id === null ? text : null };
}

/** Reads a project's records one after the other, all of one moment. */
export class ProjectExport {
  readonly #db: Connection;
  readonly #records: Generator<ArchiveRecord>;

  /** @param db of its own: what is read stays open until the end */
  constructor(db: Connection, project: number) {
    this.#db = db;
    this.#addPending(project);
    this.#records = this.#readAll(project);
  }

  /** Counts that wait to be added up, and those that sealing would make, stand beside the others. */
  #addPending(project: number): void {
    this.#db.exec(`create temp table pending (day, what, parent, above, name, text, human_visitors, ai_visitors, visitors,
      human_views, ai_views)`);
    const insert = this.#db.prepare('insert into temp.pending values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const add = (day: Day, name: PendingName, sum: Sum) => {
      const { humanVisitors, aiVisitors, visitors, humanViews, aiViews } = sum;
      const sums = [humanVisitors, aiVisitors, visitors, humanViews, aiViews];
      insert.run(day, name.what, name.parent, name.above, name.id, name.text, ...sums);
    };
    for (const { day, sums } of readPending(this.#db, project)) {
      for (const { name, ...sum } of sums.inOrder()) add(day, { ...name, text: null, above: null }, sum);
    }
    const open = new OpenVisits(this.#db);
    const names = new CountedNames(this.#db);
    for (const visits of open.read(project, -1e9, 1e9, open.aimsOf(project))) {
      for (const { sum, ...named } of namedSums(visits))
        add(visits.day, pendingName(names, project, named), sum);
    }
  }

  next(): ArchiveRecord[] {
    const records: ArchiveRecord[] = [];
    for (;;) {
      const { value, done } = this.#records.next();
      if (done) return records;
      records.push(value);
      if (records.length >= recordsAtATime(value.type)) return records;
    }
  }

  close(): void {
    this.#records.return(undefined);
    this.#db.close();
  }

  *#readAll(project: number): Generator<ArchiveRecord> {
    let records = 0;
    for (const { sql, toRecord } of sections) {
      for (const row of this.#db.prepare<[object], Record<string, unknown>>(sql).iterate({ 1: project })) {
        records++;
        yield toRecord(row);
      }
    }
    const missing = readMissing(this.#db);
    yield { type: 'end', records, ...(missing.length > 0 && { missing }) };
  }
}
