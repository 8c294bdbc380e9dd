import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const migrations = join(import.meta.dirname, '..', '..', 'server', 'store', 'sqlite', 'migrations');

/** A data folder as an earlier version left it, with a project `old`. */
export function writeOldDatabase(dataDir: string, version: number): void {
  mkdirSync(dataDir, { recursive: true });
  const db = new Database(join(dataDir, 'headcount.db'));
  db.pragma('journal_mode = WAL');
  const files = readdirSync(migrations).sort();
  for (const file of files) {
    if (Number(file.slice(0, 4)) <= version) db.exec(readFileSync(join(migrations, file), 'utf8'));
  }
  db.pragma(`user_version = ${version}`);
  db.prepare("insert into projects (public_id, settings, created_at) values ('old', ?, ?)").run(
    JSON.stringify({ name: 'Old' }),
    '2026-01-01T00:00:00.000Z',
  );
  db.close();
}
