import { closeSync } from 'node:fs';
import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { GoalSum } from '../../../counting/goal/goal.ts';
import type { Sum } from '../../../counting/sum.ts';
import { type ArchiveAdditions, type ImportWords, recordsAtATime } from '../../archive/archive-store.ts';
import { type GatheredProject, gatherProject } from '../../archive/importing.ts';
import { archiveSections } from '../../archive/records.ts';
import { type Connection, openForReading } from '../connection.ts';
import { nameNumbers } from '../counts/dictionary.ts';
import { readPending } from '../counts/pending-counts.ts';
import { activeDays } from '../counts/visits/active-days.ts';
import { nameAbove, namedSums } from '../counts/visits/sealed-visits.ts';
import { valuedDays } from '../counts/visits/valued-days.ts';
import { openVisits } from '../counts/visits/visit-views.ts';
import { readMissing } from '../damage.ts';
import { openCopy } from '../files/copying.ts';
import { openScratch } from '../files/scratch.ts';
import { migrate } from '../schema.ts';
import { dialect, sqliteSql } from '../sql.ts';

/** In a database of its own; tables of these names are there alone, and all others in the one that takes the project in. */
const words: ImportWords = {
  make: 'create table',
  asJson: (text) => text,
  cell: (column, type) => (type === 'bytea' ? `unhex(s.row ->> '${column}')` : `s.row ->> '${column}'`),
  ofSums: {},
  calendarColumns: ['sealed_through'],
  searchable: undefined,
  openDay: async (sql, project, day, salt) => {
    await sql.query('insert into days (project, day, salt) values ($1, $2, $3)', [project, day, salt]);
  },
};

/** @param db of its own, in which a project is gathered that the database of the file then takes in */
export function gatherInto(file: string, db: Connection): Promise<GatheredProject> {
  db.prepare('attach ? as live').run(file);
  // What is acknowledged survives a loss of power, and what is read by others is never half there.
  db.pragma('live.synchronous = FULL');
  // Others wait for the one transaction that takes everything in.
  db.pragma('live.cache_size = -65536');
  return gatherProject(sqliteSql(db), words);
}

/** Hands out a project's records, or gathers those of another. */
export function archiveKeeper(file: string) {
  let exporting: ReturnType<typeof exportProject> | undefined;
  let gathered: GatheredProject | undefined;
  let scratch: { db: Connection; descriptor: number } | undefined;
  const importing = () => {
    if (!gathered) throw new Error('The import has to begin first.');
    return gathered;
  };
  const openSalvaged = () => {
    scratch = openCopy(file, { withVisitors: true });
    migrate(scratch.db);
    return scratch.db;
  };
  return {
    beginExport(projectId: string, salvages = false): boolean {
      const db = salvages ? openSalvaged() : openForReading(file);
      db.exec('begin');
      const project = db
        .prepare<[string], number>('select id from projects where public_id = ?')
        .pluck()
        .get(projectId);
      if (project === undefined) db.close();
      else exporting = exportProject(db, project);
      return project !== undefined;
    },
    nextRecords: (): ArchiveRecord[] => exporting?.next() ?? [],
    async beginImport(): Promise<void> {
      scratch = openScratch(file);
      gathered = await gatherInto(file, scratch.db);
    },
    addRecords: (records: ArchiveRecord[]): Promise<void> => importing().add(records),
    openDays: (): Promise<Day[]> => importing().openDays(),
    finishImport: (additions: ArchiveAdditions) => importing().finish(additions),
    close(): void {
      exporting?.close();
      if (!scratch) return;
      scratch.db.close();
      closeSync(scratch.descriptor);
    },
  };
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
  findName: ReturnType<typeof nameNumbers>['find'],
  project: number,
  { what, under, text }: Omit<GoalSum, 'sum'>,
): PendingName {
  const parent = under === null ? 0 : findName(project, nameAbove(what, under).what, 0, under);
  if (parent === undefined) return { what, parent: 0, above: under, id: null, text };
  const id = findName(project, what, parent, text) ?? null;
  return { what, parent, above: null, id, text: id === null ? text : null };
}

/** Reads a project's records one after the other, all of one moment. @param db of its own: what is read stays open until the end */
function exportProject(db: Connection, project: number) {
  addPending(db, project);
  const all = readAll(db, project);
  return {
    next(): ArchiveRecord[] {
      const records: ArchiveRecord[] = [];
      for (;;) {
        const { value, done } = all.next();
        if (done) return records;
        records.push(value);
        if (records.length >= recordsAtATime(value.type)) return records;
      }
    },
    close(): void {
      all.return(undefined);
      db.close();
    },
  };
}

/** Counts that wait to be added up, and those that sealing would make, are added to the others. */
function addPending(db: Connection, project: number): void {
  db.exec(`create temp table pending (day, what, parent, above, name, text, human_visitors, ai_visitors, visitors,
    human_views, ai_views)`);
  const insert = db.prepare('insert into temp.pending values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const add = (day: Day, name: PendingName, sum: Sum) => {
    const { humanVisitors, aiVisitors, visitors, humanViews, aiViews } = sum;
    const sums = [humanVisitors, aiVisitors, visitors, humanViews, aiViews];
    insert.run(day, name.what, name.parent, name.above, name.id, name.text, ...sums);
  };
  for (const { day, sums } of readPending(db, project)) {
    for (const { name, ...sum } of sums.inOrder()) add(day, { ...name, text: null, above: null }, sum);
  }
  const open = openVisits(db);
  const { find: findName } = nameNumbers(db);
  for (const visits of open.read(project, -1e9, 1e9, open.aimsOf(project))) {
    for (const { sum, ...named } of namedSums(visits))
      add(visits.day, pendingName(findName, project, named), sum);
  }
  const valued = valuedDays(db);
  for (const { id, day } of activeDays(db)(project, -1e9, 1e9)) {
    const values = valued.begin();
    while (valued.addSome(id, values));
    for (const { sum, ...named } of valued.sums(project, values))
      add(day, pendingName(findName, project, named), sum);
  }
}

function* readAll(db: Connection, project: number): Generator<ArchiveRecord> {
  let records = 0;
  for (const { sql, toRecord } of sections) {
    for (const row of db.prepare<[object], Record<string, unknown>>(sql).iterate({ 1: project })) {
      records++;
      yield toRecord(row);
    }
  }
  const missing = readMissing(db);
  yield { type: 'end', records, ...(missing.length > 0 && { missing }) };
}
