import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { StoreError } from '../store.ts';
import { type Connection, openForReading } from './connection.ts';
import { requireNewest } from './schema.ts';

/**
 * Opens the database without making or changing any file, so that it works in a folder that cannot be written to.
 *
 * @throws StoreError for a database that is not there, or of another version.
 */
export function openForObserving(file: string): Connection {
  if (!existsSync(file)) throw new StoreError('missing', `There is no database ${file}.`);
  // Without a log nobody has it open, and SQLite need not make the files by which processes agree.
  const db = existsSync(`${file}-wal`) ? openForReading(file) : openAtRest(file);
  requireNewest(db);
  return db;
}

/** better-sqlite3 takes no addresses with options, of which `immutable` is one (https://sqlite.org/uri.html); Node does. */
function openAtRest(file: string): Connection {
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  // Loaded by this one kind of thread only.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(address, { readOnly: true });
  const alike = {
    name: file,
    // What is asked of it answers rows, and is given numbers that only PostgreSQL needs, too.
    prepare: (sql: string) => {
      const statement = db.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      return Object.assign(statement, { reader: true });
    },
    exec: (sql: string) => db.exec(sql),
    transaction: (run: () => unknown) => run,
    pragma: (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0],
    close: () => db.close(),
  };
  return alike as unknown as Connection;
}
