import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisitPagesReply } from '../../shared/reports/analytics.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { databaseIn, query, temporaryFolders } from '../support/data-folders.ts';
import {
  answerNow,
  type Released,
  readEverything,
  releasedSchemas as schemas,
  unpackReleased,
} from '../support/releases/released.ts';

const newFolder = temporaryFolders();
const unpack = async (schema: string) => unpackReleased(schema, await newFolder());

const versionOf = (file: string) => query<number>(file, 'select user_version from pragma_user_version')[0];

test('a database of each released schema is kept', () => {
  expect(schemas[0]).toBe('0006');
  const migrations = readdirSync(
    join(import.meta.dirname, '..', '..', 'server', 'store', 'sqlite', 'migrations'),
  );
  const known = migrations.map((name) => name.slice(0, 4)).filter((number) => number >= '0006');
  expect(schemas).toEqual(known.slice(0, schemas.length));
  // That of the newest can still change.
  expect(known.length - schemas.length).toBeLessThanOrEqual(1);
});

const clock = pathToFileURL(join(import.meta.dirname, '..', 'support', 'machine', 'earlier.mjs'));

/** For programs that run some days after the newest view of a database. After weeks they would take their clock for ahead. */
function soonAfter(file: string): Record<string, string> {
  const [newest = 0] = query<number>(file, 'select max(day) from counts');
  const ms = Date.now() - (newest + 4) * 24 * 60 * 60 * 1000;
  return { NODE_OPTIONS: `--import ${clock}`, EARLIER_MS: String(ms) };
}

describe.each(schemas)('a database that a released version made with schema %s', (schema) => {
  let server: ServerProcess;
  let made: Released;
  let env: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    ({ folder, made, env } = await unpack(schema));
    env = { ...env, ...soonAfter(databaseIn(folder)) };
    server = await startProcess(env);
  });
  afterAll(async () => {
    server.signal('SIGKILL');
    await server.ended;
  });

  test('is brought up to date, and answers everything as that version did', async () => {
    expect(versionOf(databaseIn(folder))).toBeGreaterThanOrEqual(Number(schema));
    const answers = await readEverything(server.url, made);
    const known = Object.entries(made.answers).filter(([, answer]) => answer !== null);
    expect(known.length).toBeGreaterThan(10);
    for (const [path, answer] of known)
      expect({ [path]: answers[path] }).toMatchObject({ [path]: answerNow(path, answer) });
  });

  if (schema < '0015') {
    test('says that nobody measured where its visits began', async () => {
      const headers = { authorization: `Bearer ${made.adminKey}` };
      const report = `${server.url}/v1/analytics/${made.projectId}/entry-pages`;
      const reply = (await (await fetch(report, { headers })).json()) as VisitPagesReply;
      expect(reply).toMatchObject({ totals: { human: 0, ai: 0 }, pages: [] });
      expect(reply.unmeasured?.first).toBe('2026-10-28');
    });
  }

  test('has sums that are sound, and days and tokens that can be read', async () => {
    const { code, stdout } = await runHeadcount(['check', '--json'], env);
    expect([code, JSON.parse(stdout).problems]).toEqual([0, []]);
    const file = join(await newFolder(), 'backup.db');
    await runHere(['backup', file, '--overwrite'], env);
    const target = { ...env, HEADCOUNT_DATA_DIR: await newFolder() };
    const restored = JSON.parse((await runHere(['restore', file, '--json'], target)).stdout);
    expect(restored).toMatchObject({ projects: [{ id: made.projectId }], lockedProjects: [], jobs: 3 });
  });
});

describe('a database of a newer version', () => {
  test.each([
    [['serve']],
    [['project', 'list']],
    [['backup', 'never.db']],
    [['check']],
    [['project', 'set', 'x', '--name', 'y']],
  ])('is refused in words by %j, and nothing is touched', async (args) => {
    const { folder, env } = await unpack(schemas.at(-1) as string);
    const db = new Database(databaseIn(folder));
    db.pragma('user_version = 9000');
    db.close();
    const before = readFileSync(databaseIn(folder));
    const { code, stderr } = await runHeadcount(args, { ...env, HEADCOUNT_PORT: '0' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /was written by a newer Headcount \(schema 9000, this one knows \d+\): start that version/,
      ),
    ]);
    expect(readFileSync(databaseIn(folder)).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['headcount.db']);
  });
});
