import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import type { ServerProcess } from './child.ts';
import { runHere } from './commands/command.ts';
import { chromeUserAgent, projectClient } from './headcount.ts';

/** Makes folders that end with the tests of a file. */
export function temporaryFolders(): () => Promise<string> {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-data-'));
    made.push(folder);
    return folder;
  };
}

export const databaseIn = (folder: string): string => join(folder, 'headcount.db');

/** Reads a database that is closed, or open in its server. */
export function query<T = unknown>(file: string, sql: string): T[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], T>(sql).pluck().all();
  } finally {
    db.close();
  }
}

export async function makeProject(dataDir: string, name = 'Docs'): Promise<AddedProject> {
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const { stdout } = await runHere(['project', 'add', '--name', name, '--json'], env);
  return JSON.parse(stdout) as AddedProject;
}

/** One view of each of these people, as the script sends it; all are counted. */
export async function visit(
  server: ServerProcess,
  { projectId }: AddedProject,
  people: number[],
): Promise<void> {
  const answers = people.map((person) =>
    fetch(`${server.url}/v1/hit`, {
      method: 'POST',
      body: JSON.stringify({ p: projectId, u: `https://docs.example.com/${person % 10}` }),
      headers: { 'user-agent': chromeUserAgent, 'x-forwarded-for': `10.1.${person >> 8}.${person & 255}` },
    }),
  );
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(202);
}

export async function visitorsOf(server: ServerProcess, project: AddedProject): Promise<number> {
  const client = projectClient(server.url, project);
  const { totals } = await client.get<{ totals: Count }>(`/v1/analytics/${project.projectId}/visitors`);
  return totals.total;
}

/** Makes a closed database larger: names that nobody counts. */
export function fatten(file: string, megabytes: number): void {
  const db = new Database(file);
  const add = db.prepare('insert into names (project, what, parent, text) values (1, 1, 0, ?)');
  db.transaction(() => {
    for (let i = 0; i < megabytes * 500; i++) add.run(`/${i}-${randomBytes(500).toString('hex')}`);
  })();
  db.close();
}
