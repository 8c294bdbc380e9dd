import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parseRecord } from '../../../server/store/jobs/job-rows.ts';

const migrations = join(import.meta.dirname, '..', '..', '..', 'server', 'store', 'sqlite', 'migrations');

function createDatabase(file: string, version: number): Database.Database {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  for (const name of readdirSync(migrations).sort()) {
    if (Number(name.slice(0, 4)) <= version) db.exec(readFileSync(join(migrations, name), 'utf8'));
  }
  db.pragma(`user_version = ${version}`);
  return db;
}

/** A data folder as an earlier version left it, with a project `old`. */
export function writeOldDatabase(dataDir: string, version: number): void {
  mkdirSync(dataDir, { recursive: true });
  const db = createDatabase(join(dataDir, 'headcount.db'), version);
  db.prepare("insert into projects (public_id, settings, created_at) values ('old', ?, ?)").run(
    JSON.stringify({ name: 'Old' }),
    '2026-01-01T00:00:00.000Z',
  );
  db.close();
}

const iso = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;

/** What jobs had in other forms and columns up to schema 28. */
const beforeJobsChanged: Record<string, Record<string, string>> = {
  jobs: {
    created_at: iso('created_at'),
    archived_at: iso('archived_at'),
    failure_code: "failure ->> 'code'",
    failure_message: "failure ->> 'message'",
  },
  turns: { prompt: "prompt ->> '$'", record: 'joined(record)' },
  events: { at: iso('at') },
};

/**
 * Gives a closed database the schema of an earlier version, and the rows that fit into it.
 *
 * @param emptied tables whose columns meant something else
 */
export function turnBack(file: string, version: number, emptied: readonly string[] = []): void {
  renameSync(file, `${file}.now`);
  const db = createDatabase(file, version);
  db.prepare('attach ? as now').run(`${file}.now`);
  const columns = db.prepare<[string, string], string>('select name from pragma_table_info(?, ?)').pluck();
  const tables = db.prepare<[], string>(
    "select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  );
  db.function('joined', (list) => JSON.stringify(parseRecord(String(list))));
  for (const table of tables.pluck().all()) {
    const now = new Set(columns.all(table, 'now'));
    const former: Record<string, string> = version < 29 ? (beforeJobsChanged[table] ?? {}) : {};
    const common = columns.all(table, 'main').filter((column) => now.has(column) || column in former);
    if (common.length === 0 || emptied.includes(table)) continue;
    const selected = common.map((column) => former[column] ?? column);
    db.exec(`delete from main.${table};
      insert into main.${table} (${common}) select ${selected} from now.${table}`);
  }
  db.close();
}
