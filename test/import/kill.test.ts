import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SeriesReply } from '../../shared/reports/analytics.ts';
import { dayMs } from '../support/clock.ts';
import { type ProjectClient, startHeadcount } from '../support/headcount.ts';
import {
  aiClient,
  bot,
  combined,
  type ImportRun,
  otherPerson,
  person,
  startImport,
} from '../support/import/import-run.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { engineEnvironment, forgetDatabase } from '../support/store/chosen-engine.ts';

const root = join(import.meta.dirname, '..', '..');
let run: ImportRun;
let engine: Record<string, string>;
let file: string;
/** What a project has of the log that took it in without a stop. */
let expected: unknown;

beforeAll(async () => {
  run = await startImport();
  file = await run.write('whole.log', text);
  const whole = await run.addProject({});
  await run.import([file], { project: whole });
  expected = await everything(whole);
  engine = await engineEnvironment({ HEADCOUNT_DATA_DIR: run.headcount.dataDir });
});
afterAll(() => run.stop());

/** @param env where it is kept, other than by the server of this file */
function spawnImport(
  project: Pick<ProjectClient, 'projectId'>,
  args: string[],
  env: Record<string, string> = { HEADCOUNT_DATA_DIR: run.headcount.dataDir, ...engine },
) {
  const child = spawn(
    process.execPath,
    [join(root, 'headcount.js'), 'import', ...args, '--project', project.projectId, '--json'],
    { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    errors: errors.replace(progress, ''),
  }));
  return { child, ended };
}

/** What it says of how far it is, on a machine where that takes long. */
const progress = /^ *\d+ % {2}.*\n/gm;

/** A transaction takes 50,000 lines. */
const lines = 110_000;
const agents = [person, otherPerson, aiClient, bot];
const text = Array.from({ length: lines }, (_, i) =>
  combined({
    at: new Date(Date.parse('2026-03-01T00:00:00Z') + i * 900).toISOString(),
    ip: `198.51.${i % 97}.${i % 251}`,
    path: i % 3 === 0 ? '/style.css' : `/page-${(i * 7) % 40}`,
    userAgent: agents[i % agents.length] as string,
  }),
).join('');

async function everything(project: ProjectClient): Promise<unknown> {
  const days = [
    {},
    { dateFrom: '2026-03-01', dateTo: '2026-03-02' },
    { dateFrom: '2026-03-02', dateTo: '2026-03-04' },
  ];
  const reports = await Promise.all(days.flatMap((query) => [project.visitors(query), project.views(query)]));
  const path = `/v1/analytics/${project.projectId}/dropped`;
  return [...reports, await project.get(path)];
}

const viewsOf = async (project: ProjectClient) =>
  Object.values(await project.views()).reduce((sum, { total }) => sum + total, 0);

test('killed at any moment and started again, it leaves the counts of one that was not', async () => {
  const half = text.indexOf('\n', text.length / 2) + 1;
  const files = [
    await run.write('a.log', text.slice(0, half)),
    await run.write('b.gz', gzipSync(text.slice(half))),
  ];
  const killed = await run.addProject({});
  // As soon as something is counted, and again as soon as there is more.
  for (let kills = 0, before = 0; kills < 2; kills++) {
    const { child, ended } = spawnImport(killed, files);
    const hasMore = async () => (await viewsOf(killed)) > before;
    await expect.poll(hasMore, { interval: 5 }).toBe(true);
    child.kill('SIGKILL');
    expect((await ended).code).toBe(null);
    before = await viewsOf(killed);
  }
  expect(await spawnImport(killed, files).ended).toEqual({ code: 0, errors: '' });
  expect(await everything(killed)).toEqual(expected);
});

test('two at once on the same log count it once between them, beside a server that takes hits', async () => {
  const shared = await run.addProject({});
  const both = [spawnImport(shared, [file]), spawnImport(shared, [file])];
  const live = await run.addProject({});
  let hits = 0;
  const send = async () => {
    expect((await live.hit({ u: 'https://example.com/' })).status).toBe(202);
    hits++;
  };
  await meanwhile([send], async () => {
    for (const { ended } of both) expect(await ended).toEqual({ code: 0, errors: '' });
  });
  expect(hits).toBeGreaterThan(20);
  expect((await live.views())['/']?.human).toBe(hits);
  expect(await everything(shared)).toEqual(expected);
});

test('asked to stop, it counts what it has read, says how to go on, and goes on', async () => {
  const project = await run.addProject({});
  const { child, ended } = spawnImport(project, [file]);
  await expect.poll(() => viewsOf(project), { interval: 5 }).toBeGreaterThan(0);
  child.kill('SIGTERM');
  const { code, errors } = await ended;
  expect([code, errors]).toEqual([1, expect.stringContaining('run the command again to continue')]);
  expect((await spawnImport(project, [file]).ended).code).toBe(0);
  expect(await everything(project)).toEqual(expected);
});

test('killed while it takes an import back, it leaves whole days, and the rest goes after a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-undo-'));
  const given = { HEADCOUNT_DATA_DIR: dataDir };
  const env = { ...given, ...(await engineEnvironment(given)) };
  let server = await startHeadcount({ dataDir });
  try {
    const { projectId } = server;
    const perDay = 4;
    const days = 120;
    const fewLines = Array.from({ length: days * perDay }, (_, i) =>
      combined({
        at: new Date(Date.parse('2025-03-01T10:00:00Z') + Math.floor(i / perDay) * dayMs).toISOString(),
        ip: `198.51.100.${i % 7}`,
        path: `/page-${i % 5}`,
        userAgent: i % 3 === 0 ? aiClient : person,
      }),
    ).join('');
    const log = await run.write('undone.log', fewLines);
    /** Views of the days that have any. */
    const counted = async (project: Pick<ProjectClient, 'get'>) => {
      const range = 'dateFrom=2025-03-01&dateTo=2026-03-01';
      const { days } = await project.get<SeriesReply>(`/v1/analytics/${projectId}/series?${range}`);
      return days.map(({ views }) => views.total).filter((views) => views > 0);
    };
    const whole = (left: number) => Array.from({ length: left }, () => perDay);
    for (let left = 0; left === 0 || left === days; left = (await counted(server)).length) {
      await spawnImport(server, [log], env).ended;
      expect(await counted(server)).toEqual(whole(days));
      const { child, ended } = spawnImport(server, ['--undo', log], env);
      const isUnderWay = async () => (await counted(server)).length < days;
      while (child.exitCode === null && !(await isUnderWay()));
      child.kill('SIGKILL');
      await ended;
    }
    const left = await counted(server);
    expect(left).toEqual(whole(left.length));
    await server.stop();
    server = await startHeadcount({ dataDir, goOnWith: server });
    expect(await counted(server)).toEqual(left);
    const again = await spawnImport(server, [log], env).ended;
    expect(again).toEqual({ code: 1, errors: expect.stringContaining('is taken back in part') });
    expect(await spawnImport(server, ['--undo', log], env).ended).toEqual({ code: 0, errors: '' });
    expect(await counted(server)).toEqual([]);
    expect(await server.visitors()).toEqual({});
    expect(await spawnImport(server, [log], env).ended).toEqual({ code: 0, errors: '' });
    expect(await counted(server)).toEqual(whole(days));
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
    await forgetDatabase(dataDir);
  }
});
