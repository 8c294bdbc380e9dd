import { closeSync } from 'node:fs';
import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { ArchiveAdditions } from '../../archive/archive-store.ts';
import { type Connection, openForReading } from '../connection.ts';
import { openCopy } from '../files/copying.ts';
import { openScratch } from '../files/scratch.ts';
import { migrate } from '../schema.ts';
import { ProjectExport } from './exporting.ts';
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
