import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/commands/project.ts';
import { runHeadcount, startHeadcountCommand, startProcess } from '../support/child.ts';
import { databaseIn, query, temporaryFolders, visit, visitorsOf } from '../support/data-folders.ts';
import { type Released, readEverything, releasedSchemas, unpackReleased } from '../support/released.ts';

const newFolder = temporaryFolders();
let source: Record<string, string>;
let made: Released;
let folder: string;
let exported: string;

const inFolder = (name: string) => join(folder, name);
const exportTo = (name: string, env = source, ...more: string[]) =>
  runHeadcount(['export', '--project', made.projectId, inFolder(name), ...more], env);
const take = (env: Record<string, string>, name: string) =>
  runHeadcount(['project', 'import', inFolder(name), '--json'], env);

interface Line extends Record<string, unknown> {
  type: string;
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  folder = await newFolder();
  ({ env: source, made } = unpackReleased(releasedSchemas.at(-1) as string, await newFolder()));
  const { code, stderr } = await exportTo('project.jsonl');
  expect(code).toBe(0);
  // Only that it is of an older schema, where the newest is not released yet.
  expect(stderr).toMatch(/^(\S+ info The database was brought up to date\..*\n)?$/);
  exported = readFileSync(inFolder('project.jsonl'), 'utf8');
});

describe('an exported project', () => {
  test('has its settings, each count of each day, and its jobs, and no secret', () => {
    const lines = linesOf(exported);
    const kinds = [...new Set(lines.map(({ type }) => type))];
    expect(kinds).toEqual(
      ['project', 'count', 'dropped', 'importedDay', 'log', 'job', 'turn', 'message', 'event', 'end'].filter(
        (kind) => kinds.includes(kind),
      ),
    );
    expect(lines[0]).toMatchObject({ type: 'project', id: made.projectId, settings: { name: 'Released' } });
    const site = lines.filter(({ of }) => of === 'site');
    expect(site.map(({ day, visitors }) => [day, visitors]).slice(0, 2)).toEqual([
      ['2026-10-28', 12],
      ['2026-11-01', 13],
    ]);
    const views = `/v1/analytics/${made.projectId}/views`;
    const total = site.reduce((sum, line) => sum + Number(line.humanViews) + Number(line.aiViews), 0);
    expect(total).toBe((made.answers[views] as { totals: { total: number } }).totals.total);
    expect(lines.filter(({ type }) => type === 'job').map(({ status }) => status)).toEqual([
      'failed',
      'archived',
      'failed',
    ]);
    for (const secret of [made.adminKey, 'a'.repeat(40)]) expect(exported).not.toContain(secret);
    expect(statSync(inFolder('project.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('is the same after it was taken in elsewhere, and answers the same', async () => {
    const target = { HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_JOBS: '0' };
    const taken = JSON.parse((await take(target, 'project.jsonl')).stdout) as AddedProject;
    expect(taken.projectId).toBe(made.projectId);
    await exportTo('again.jsonl', target);
    expect(readFileSync(inFolder('again.jsonl'), 'utf8')).toBe(exported);

    const server = await startProcess(target);
    const answers = await readEverything(server.url, { ...made, adminKey: taken.adminKey });
    for (const [path, answer] of Object.entries(made.answers)) {
      if (!path.endsWith('/jobs')) expect({ [path]: answers[path] }).toEqual({ [path]: answer });
    }
    const before = await visitorsOf(server, taken);
    await visit(server, taken, [1, 2, 1]);
    expect(await visitorsOf(server, taken)).toBe(before + 2);
    server.signal('SIGTERM');
    await server.ended;
    expect((await runHeadcount(['check', '--json'], target)).stdout).toBe('{"problems":[],"advice":[]}\n');
  });

  test('as CSV has the counts, a row for each', async () => {
    const { stdout } = await runHeadcount(
      ['export', '--project', made.projectId, '--format', 'csv', '-'],
      source,
    );
    const [head, ...rows] = stdout.trimEnd().split('\r\n');
    expect(head).toBe('day,of,client,name,humanVisitors,aiVisitors,visitors,humanViews,aiViews');
    expect(rows).toHaveLength(linesOf(exported).filter(({ type }) => type === 'count').length);
    expect(rows[0]).toBe('2026-10-28,site,,,9,3,12,9,3');
  });

  test('is taken in once, and beside a running server', async () => {
    const target = { HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_JOBS: '0' };
    const server = await startProcess(target);
    const taken = JSON.parse((await take(target, 'project.jsonl')).stdout) as AddedProject;
    await expect.poll(() => visitorsOf(server, taken).catch(() => 0)).toBeGreaterThan(50);
    const again = await take(target, 'project.jsonl');
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/^There is a project .* already.* Nothing was changed/),
    ]);
    server.signal('SIGTERM');
    await server.ended;
  });
});

describe('what is no whole export changes nothing', () => {
  let target: Record<string, string>;
  const tables = ['projects', 'names', 'counts', 'jobs', 'keys', 'days', 'events'];
  const state = () =>
    tables.map(
      (table) => query(databaseIn(target.HEADCOUNT_DATA_DIR as string), `select count(*) from ${table}`)[0],
    );

  beforeAll(async () => {
    target = { HEADCOUNT_DATA_DIR: await newFolder() };
    await runHeadcount(['project', 'add', '--name', 'Other'], target);
  });

  const changed = (change: (lines: Line[]) => unknown[]) =>
    `${change(linesOf(exported))
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`;

  test.each<[string, () => string, RegExp]>([
    ['empty', () => '', /no exported project/],
    ['something else', () => 'Dear diary,\n', /no exported project/],
    [
      'cut between two lines',
      () => changed((lines) => lines.slice(0, -5)),
      /was cut: its last line is missing/,
    ],
    ['cut in a line', () => exported.slice(0, -300), /(is no JSON|was cut)/],
    ['with a line left out', () => changed((lines) => lines.toSpliced(7, 1)), /was cut/],
    [
      'with a wrong number',
      () => changed((lines) => lines.with(3, { ...(lines[3] as Line), visitors: -1 })),
      /Line 4 .* visitors/,
    ],
    [
      'of a newer version',
      () => changed((lines) => lines.with(0, { ...(lines[0] as Line), format: 3 })),
      /Line 1 .*newer version/,
    ],
    [
      'with an unknown thing',
      () => changed((lines) => lines.with(3, { ...(lines[3] as Line), of: 'smell' })),
      /"smell" is nothing/,
    ],
    ['two in one', () => exported + exported, /Line \d+ .* another project/],
  ])('%s', async (name, make, message) => {
    const before = state();
    writeFileSync(inFolder(name), make());
    const { code, stderr } = await take(target, name);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(state()).toEqual(before);
  });

  test('and one that is killed while it comes in', async () => {
    const before = state();
    const files = readdirSync(target.HEADCOUNT_DATA_DIR as string).filter(
      (name) => !/-(wal|shm)$/.test(name),
    );
    const command = startHeadcountCommand(['project', 'import', '-'], target);
    command.stdin.write(exported.slice(0, -100));
    // The file in which it gathers is open, and has no name.
    const gathers = () =>
      readdirSync(`/proc/${command.pid}/fd`).some((fd) => {
        try {
          return readlinkSync(`/proc/${command.pid}/fd/${fd}`).includes('scratch');
        } catch {
          return false;
        }
      });
    while (!gathers()) await new Promise((resolve) => setTimeout(resolve, 10));
    command.kill('SIGKILL');
    await once(command, 'exit');
    expect(state()).toEqual(before);
    expect(
      readdirSync(target.HEADCOUNT_DATA_DIR as string).filter((name) => !/-(wal|shm)$/.test(name)),
    ).toEqual(expect.arrayContaining(files));
  });
});

test('what is not there, and what is asked for wrongly, is told', async () => {
  expect((await runHeadcount(['export', '--project', 'none', '-'], source)).stderr).toContain(
    'no project none',
  );
  expect((await runHeadcount(['export', '-'], source)).stderr).toContain('--project');
  expect((await exportTo('x', source, '--format', 'xml')).stderr).toContain('jsonl or csv');
  expect((await exportTo('project.jsonl')).stderr).toContain('--overwrite');
});
