import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { formerCounters } from '../../shared/reports/counters.ts';
import { runHeadcount, startHeadcountCommand, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { databaseIn, query, temporaryFolders, visit, visitorsOf } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import {
  answerNow,
  type Released,
  readEverything,
  releasedKey,
  releasedSchemas,
  unpackReleased,
} from '../support/releases/released.ts';
import { addUnreleased } from '../support/releases/unreleased.ts';
import { hasPostgres, makeDatabase, runIn } from '../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
let source: Record<string, string>;
let made: Released;
let folder: string;
let exported: string;

const inFolder = (name: string) => join(folder, name);
const exportTo = (name: string, env = source, ...more: string[]) =>
  runHere(['export', '--project', made.projectId, inFolder(name), ...more], env);
const take = (env: Record<string, string>, name: string) =>
  runHere(['project', 'import', inFolder(name), '--json'], env);

interface Line extends Record<string, unknown> {
  type: string;
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** An archive brings nothing that has to do with jobs: whoever takes it in sets that by hand. */
const takenIn = ([project, ...lines]: Line[]) => [
  {
    ...project,
    settings: {
      ...(project?.settings as object),
      ...{ repository: null, forge: 'auto', forgeUrl: null, model: null },
      branchPrefix: 'headcount/{words}-',
    },
  },
  ...lines,
];

beforeAll(async () => {
  folder = await newFolder();
  ({ env: source, made } = unpackReleased(releasedSchemas.at(-1) as string, await newFolder()));
  const { code, stderr } = await exportTo('project.jsonl');
  expect(code).toBe(0);
  // Only that it is of an older schema, where the newest is not released yet.
  expect(stderr).toMatch(/^(\S+ info The database was brought up to date\..*\n)?$/);
  // What the released version did not know yet.
  await addUnreleased(source.HEADCOUNT_DATA_DIR as string, made.projectId);
  expect((await exportTo('project.jsonl', source, '--overwrite')).code).toBe(0);
  exported = readFileSync(inFolder('project.jsonl'), 'utf8');
});

/** Where it is taken in: commands and servers are told so, and what is kept there. */
interface Target {
  env: Record<string, string>;
  count(table: string): Promise<unknown>;
  /** Whether the command with this id is about to take something in. */
  isGathering(pid: number | undefined): Promise<boolean>;
}

const engines: [string, () => Promise<Target>][] = [
  ['SQLite', makeSqlite],
  ['PostgreSQL', makePostgres],
];

async function makeSqlite(): Promise<Target> {
  const dataDir = await newFolder();
  return {
    env: { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_MAX_JOBS: '0' },
    count: async (table) => query(databaseIn(dataDir), `select count(*) from ${table}`)[0],
    // The file in which it gathers is open, and has no name.
    isGathering: async (pid) =>
      readdirSync(`/proc/${pid}/fd`).some((fd) => isScratch(`/proc/${pid}/fd/${fd}`)),
  };
}

function isScratch(link: string): boolean {
  try {
    return readlinkSync(link).includes('scratch');
  } catch {
    return false;
  }
}

async function makePostgres(): Promise<Target> {
  const url = await makeDatabase();
  return {
    env: {
      HEADCOUNT_DATA_DIR: await newFolder(),
      HEADCOUNT_MAX_JOBS: '0',
      HEADCOUNT_DATABASE_URL: url,
      HEADCOUNT_SECRET_KEY: releasedKey,
    },
    count: async (table) => (await runIn<{ n: string }>(url, `select count(*) as n from ${table}`))[0]?.n,
    isGathering: async () => (await runIn(url, `select from pg_class where relname = 'staged'`)).length > 0,
  };
}

async function makeTarget(
  make: () => Promise<Target>,
  context: Parameters<typeof leaveOut>[0],
): Promise<Target> {
  if (make === makePostgres && !(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  return make();
}

describe('an exported project', () => {
  test('has its settings, each count of each day, and its jobs, and no secret', () => {
    const lines = linesOf(exported);
    const kinds = [...new Set(lines.map(({ type }) => type))];
    expect(kinds).toEqual(
      [
        'project',
        'count',
        'dropped',
        'tally',
        'importedDay',
        'log',
        'mark',
        'ruleDay',
        'searchNumbers',
        'job',
        'turn',
        'message',
        'event',
        'automation',
        'automationRun',
        'comment',
        'image',
        'fault',
        'end',
      ].filter((kind) => kinds.includes(kind)),
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
      'failed',
      'failed',
    ]);
    expect(lines.filter(({ type }) => type === 'automation')).toMatchObject([
      { settings: { name: 'Mondays' } },
    ]);
    expect(lines.filter(({ type }) => type === 'image')).toMatchObject([{ name: '„Shot“', content: 'AP8K' }]);
    for (const secret of [made.adminKey, 'a'.repeat(40)]) expect(exported).not.toContain(secret);
    expect(statSync(inFolder('project.jsonl')).mode & 0o777).toBe(0o600);
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
});

describe.each(engines)('an exported project on %s', (_engine, make) => {
  test('is the same after it was taken in elsewhere, and answers the same', async (context) => {
    const { env: target } = await makeTarget(make, context);
    const taken = JSON.parse((await take(target, 'project.jsonl')).stdout) as AddedProject;
    expect(taken.projectId).toBe(made.projectId);
    expect((await exportTo('again.jsonl', target, '--overwrite')).code).toBe(0);
    expect(linesOf(readFileSync(inFolder('again.jsonl'), 'utf8'))).toEqual(takenIn(linesOf(exported)));

    const automations = await runHere(['automation', 'list', made.projectId, '--json'], target);
    const left = { name: 'Mondays', enabled: false, lastRun: { about: '2026-11-23', jobId: 'job_byItself' } };
    expect(JSON.parse(automations.stdout)).toMatchObject([left]);
    const shown = await runHere(['job', 'show', made.projectId, 'job_byItself'], target);
    expect(shown.stdout).toContain('the schedule "Mondays"');
    const reverting = await runHere(['job', 'show', made.projectId, 'job_revert'], target);
    expect(reverting.stdout).toMatch(/^Takes back: +https:\/\/git\.example\/a\/b\/pull\/1$/m);

    const server = await startProcess(target);
    const answers = await readEverything(server.url, { ...made, adminKey: taken.adminKey });
    for (const [path, answer] of Object.entries(made.answers)) {
      // An older version told less.
      if (!path.endsWith('/jobs'))
        expect({ [path]: answers[path] }).toMatchObject({ [path]: answerNow(path, answer) });
    }
    const before = await visitorsOf(server, taken);
    await visit(server, taken, [1, 2, 1]);
    expect(await visitorsOf(server, taken)).toBe(before + 2);
    server.signal('SIGTERM');
    await server.ended;
    const { stdout } = await runHere(['check', '--json'], target);
    const { problems } = JSON.parse(stdout) as { problems: { kind: string }[] };
    // The PostgreSQL of the tests keeps nothing when the power goes, which is faster. Days that ended weeks ago wait for an
    // hour, as the clock may be ahead.
    const usual = ['durability', 'overdue_salts'];
    expect(problems.filter(({ kind }) => !usual.includes(kind))).toEqual([]);
  });

  test('is the same where its counters have the names of earlier versions', async (context) => {
    const { env: target } = await makeTarget(make, context);
    const former = Object.entries(formerCounters).reduce(
      (text, [before, now]) => text.replaceAll(`"tally":"${now}"`, `"tally":"${before}"`),
      exported,
    );
    expect(former).not.toBe(exported);
    writeFileSync(inFolder('former.jsonl'), former);
    await take(target, 'former.jsonl');
    expect((await exportTo('again.jsonl', target, '--overwrite')).code).toBe(0);
    expect(linesOf(readFileSync(inFolder('again.jsonl'), 'utf8'))).toEqual(takenIn(linesOf(exported)));
  });

  test('is taken in once, and beside a running server', async (context) => {
    const { env: target } = await makeTarget(make, context);
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

const day = '2026-01-01';
const turn = { type: 'turn', job: 'job_1', number: 0, prompt: '', attempt: 0, createdAt: 0, record: {} };
const tokens = { resumesAt: null, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** A field, and a record with too large a number in it. */
const beyondColumns: [string, Line][] = [
  ['headLength', { type: 'log', headLength: 2 ** 31, headHash: 'a'.repeat(64), bytes: 0, lines: 0 }],
  ['version', { type: 'ruleDay', day, version: 2 ** 31 }],
  ['kind', { type: 'nameCap', day, of: 'path', cap: 'day', kind: 2 ** 15, client: '', views: 1 }],
  ['steps', { ...turn, ...tokens, steps: 2 ** 31 }],
  ['position', { type: 'message', job: 'job_1', turn: 0, position: 2 ** 31 - 1, message: null }],
];

describe.each(engines)('what is no whole export changes nothing on %s', (_engine, make) => {
  let target: Target;
  const tables = ['projects', 'names', 'counts', 'jobs', 'keys', 'days', 'events'];
  const state = () => Promise.all(tables.map(target.count));

  beforeAll(async () => {
    if (make === makePostgres && !(await hasPostgres())) return;
    target = await make();
    await runHere(['project', 'add', '--name', 'Other'], target.env);
  });
  beforeEach((context) => {
    if (!target) leaveOut(context, 'PostgreSQL is not installed');
  });

  const changed = (change: (lines: Line[]) => unknown[]) =>
    `${change(linesOf(exported))
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`;

  test.each<[string, () => string, RegExp]>([
    ['empty', () => '', /not an exported project/],
    ['something else', () => 'Dear diary,\n', /not an exported project/],
    [
      'cut between two lines',
      () => changed((lines) => lines.slice(0, -5)),
      /was cut: its last line is missing/,
    ],
    ['cut in a line', () => exported.slice(0, -300), /(is not JSON|was cut)/],
    ['with a line left out', () => changed((lines) => lines.toSpliced(7, 1)), /was cut/],
    [
      'with a wrong number',
      () => changed((lines) => lines.with(3, { ...(lines[3] as Line), visitors: -1 })),
      /Line 4 .* visitors/,
    ],
    ...beyondColumns.map(([name, record]): [string, () => string, RegExp] => [
      `with a number that only SQLite has room for (${record.type}.${name})`,
      () => changed((lines) => lines.toSpliced(-1, 0, record)),
      new RegExp(
        `Line \\d+ .* ${name} (is not between -\\d+ and \\d+|leaves no number .*)\\. Nothing was changed`,
      ),
    ]),
    [
      'of a newer version',
      () => changed((lines) => lines.with(0, { ...(lines[0] as Line), format: 4 })),
      /Line 1 .*newer version/,
    ],
    [
      'with an unknown thing',
      () => changed((lines) => lines.with(3, { ...(lines[3] as Line), of: 'smell' })),
      /"smell" is not something/,
    ],
    ['two in one', () => exported + exported, /Line \d+ .* another project/],
  ])('%s', async (name, text, message) => {
    const before = await state();
    writeFileSync(inFolder(name), text());
    const { code, stderr } = await take(target.env, name);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(await state()).toEqual(before);
  });

  test('and one that is killed while it comes in', async () => {
    const before = await state();
    const filesOf = () =>
      readdirSync(target.env.HEADCOUNT_DATA_DIR as string).filter((name) => !/-(wal|shm)$/.test(name));
    const files = filesOf();
    const command = startHeadcountCommand(['project', 'import', '-'], target.env);
    command.stdin.write(exported.slice(0, -100));
    await expect.poll(() => target.isGathering(command.pid), { interval: 10 }).toBe(true);
    command.kill('SIGKILL');
    await once(command, 'exit');
    expect(await state()).toEqual(before);
    expect(filesOf()).toEqual(expect.arrayContaining(files));
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
