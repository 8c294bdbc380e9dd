import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { SecretName } from '../../../../shared/secrets.ts';
import { what } from '../../../counting/what.ts';
import type { KeptSalt } from '../../counts/counting-store.ts';
import { StoreError } from '../../store.ts';
import type { CopyOptions, FileContent, FileState, HeldFolder, UnnamedCopy } from '../../store-files.ts';
import type { Connection } from '../connection.ts';
import { findCorruption, readMissing } from '../damage.ts';
import { hasSchema, newestVersion, readVersion, requireKnown, versionOf } from '../schema.ts';
import { isDamage } from '../trouble.ts';
import { copyDatabase, copyUnnamed, unreadable } from './copying.ts';
import { Replacement } from './replacing.ts';
import { findHurt } from './salvaging.ts';

/** Works on a database as a file. */
export function fileKeeper(file: string) {
  let replacement: Replacement | undefined;
  const held = () => {
    if (!replacement) throw new Error('The folder has to be held first.');
    return replacement;
  };
  return {
    describe(): FileState {
      const [version, knownVersion] = [readVersion(file), newestVersion()];
      requireKnown(version, file);
      const sizes = ['', '-wal'].map(
        (suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0,
      );
      return { version, knownVersion, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    },
    findHurt(): string[] {
      try {
        return findHurt(file);
      } catch (error) {
        throw isDamage(error) ? unreadable(file, error) : error;
      }
    },
    copy: (target: string, options: CopyOptions): string[] => copyDatabase(file, target, options),
    copyUnnamed: (options: CopyOptions): UnnamedCopy => copyUnnamed(file, options),
    hold(): HeldFolder {
      replacement ??= new Replacement(file);
      return { draft: replacement.draft, isInUse: replacement.isNeeded };
    },
    inspectDraft: (): FileContent => inspectDatabase(held().draft),
    useDraft: (): string | null => held().useDraft(),
    close: (): void => replacement?.release(),
  };
}

/** Looks whether a file is a sound database of a version that is known, and what is in it. @throws StoreError */
export function inspectDatabase(file: string): FileContent {
  const db = new Database(file);
  try {
    // It may be a copy of the file of a running server, and says then that there is a log.
    db.pragma('journal_mode = DELETE');
    requireOwn(db);
    const [damage] = findCorruption(db);
    if (damage !== undefined) throw damaged(damage);
    if (!hasSchema(db)) throw damaged('its tables are not those of its version');
    return readContent(db);
  } catch (error) {
    throw asKnown(error);
  } finally {
    db.close();
  }
}

/** Other programs number their schemas too, so the tables are checked. */
function requireOwn(db: Connection): void {
  const own = ['projects', 'keys', 'names', 'counts'];
  const found = db
    .prepare<[string], number>(
      "select count(*) from sqlite_schema where type = 'table' and name in (select value from json_each(?))",
    )
    .pluck()
    .get(JSON.stringify(own));
  if (found !== own.length) throw foreign();
  requireKnown(versionOf(db), db.name);
}

function readContent(db: Connection): FileContent {
  const has = (table: string, column: string) =>
    db.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined;
  const forgetAt = has('days', 'forget_at') ? 'd.forget_at' : 'null';
  return {
    version: versionOf(db),
    projects: db
      .prepare<[], FileContent['projects'][number]>(
        `select public_id as id, settings ->> 'name' as name,
           (select max(day) from counts
            where project = p.id and what = ${what.site} and parent = 0 and span = 1) as newestDay
         from projects p order by id`,
      )
      .all(),
    salts: db
      .prepare<[], KeptSalt>(
        `select p.public_id as projectId, d.day, d.salt, ${forgetAt} as forgetAt
         from days d join projects p on p.id = d.project where d.salt is not null order by d.day, d.id`,
      )
      .all(),
    secrets: has('secrets', 'sealed') ? readSecrets(db) : [],
    jobs: has('jobs', 'id') ? (db.prepare<[], number>('select count(*) from jobs').pluck().get() ?? 0) : 0,
    missing: readMissing(db),
  };
}

function readSecrets(db: Connection): FileContent['secrets'] {
  return db
    .prepare<[], { projectId: string; name: SecretName; sealed: Buffer }>(
      `select p.public_id as projectId, s.name, s.sealed from secrets s join projects p on p.id = s.project
       order by p.id, s.name`,
    )
    .all();
}

function foreign(): StoreError {
  return new StoreError('foreign', 'It is a database, but none of Headcount.');
}

function damaged(fault: string): StoreError {
  return new StoreError('damaged', `It is damaged: ${fault}.`);
}

function asKnown(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB' ? damaged(message) : error;
}
