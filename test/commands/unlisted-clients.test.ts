import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHeadcount } from '../support/child.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

const newFolder = temporaryFolders();
const clock = createClock('2026-03-02T12:00:00Z');
let headcount: Headcount;
let other: ProjectClient;

const fresh = 'Mozilla/5.0 (compatible; FreshSearchBot/1.0; +https://x.ai)';
const reader = 'llm-reader/2.1';

async function read(project: ProjectClient, userAgent: string, ...paths: string[]): Promise<void> {
  const hits = paths.map((path) => ({
    url: `https://secret.example.com${path}`,
    ip: '203.0.113.7',
    userAgent,
  }));
  const response = await project.hits(hits);
  expect(await response.json()).toMatchObject({ accepted: paths.length });
}

const unknown = (...args: string[]) =>
  runHeadcount(['catalogue', 'unlisted', ...args], { HEADCOUNT_DATA_DIR: headcount.dataDir });

beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now, project: { name: 'Hidden' } });
  other = await headcount.addProject();
});
afterAll(() => headcount.stop());

test('where every client is listed, it says so', async () => {
  await read(headcount, 'Aider/0.86', '/plans/merger');
  expect(await unknown()).toEqual({
    code: 0,
    stdout: 'No AI client was counted that the catalogue lacks.\n',
    stderr: '',
  });
});

test('clients that the catalogue lacks are added up over all projects and days, those that read most first', async () => {
  await read(headcount, fresh, '/plans/merger', '/plans/names');
  await read(other, reader, '/plans/merger');
  clock.advance(dayMs);
  await read(other, fresh, '/plans/merger');
  const { code, stdout, stderr } = await unknown('--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual([
    {
      name: 'FreshSearchBot',
      operator: 'xAI',
      purpose: 'search',
      views: 3,
      visitors: 2,
      firstDay: '2026-03-02',
      lastDay: '2026-03-03',
    },
    {
      name: 'llm-reader',
      operator: null,
      purpose: 'assistant',
      views: 1,
      visitors: 1,
      firstDay: '2026-03-02',
      lastDay: '2026-03-02',
    },
  ]);
});

test('people get a table, and are told how to have a client listed', async () => {
  const { stdout } = await unknown();
  expect(stdout).toMatch(/^FreshSearchBot +xAI +search +3 +2 +2026-03-02 +2026-03-03$/m);
  expect(stdout).toMatch(/^llm-reader +unknown +assistant +1 +1 /m);
  expect(stdout).toContain('"node headcount.js catalogue unlisted --json"');
  expect(stdout).toContain('into an issue of Headcount.');
});

test('nothing else is told: no project, path, address or version, and no program without a name', async () => {
  await read(headcount, 'Mozilla/5.0 (+https://x.ai)', '/unnamed');
  const clients = await headcount.ask('GET /v1/analytics/{projectId}/ai-clients', {
    path: { projectId: headcount.projectId },
  });
  expect(clients.clients.map(({ client }) => client)).toContain('Unnamed (unlisted, xAI)');
  const said = (await unknown()).stdout + (await unknown('--json')).stdout;
  expect(said).not.toMatch(/Hidden|merger|secret|203\.0|x\.ai|2\.1|Mozilla|Unnamed/);
  for (const { projectId } of [headcount, other]) expect(said).not.toContain(projectId);
});

test('clients that were listed after they had come are left out, and so is what is no name', async () => {
  const { stdout } = await runHeadcount(['export', '--project', headcount.projectId, '-'], {
    HEADCOUNT_DATA_DIR: headcount.dataDir,
  });
  const env = { HEADCOUNT_DATA_DIR: await newFolder() };
  await runHeadcount(['project', 'add', '--name', 'First'], env);
  const lines = stdout
    .replaceAll('FreshSearchBot (', 'GPTBot (')
    .replaceAll('Unnamed (', 'Fresh\\u001b[2J (');
  const taken = await runHeadcount(['project', 'import', '-', '--json'], env, [], lines);
  expect([taken.code, taken.stderr]).toEqual([0, '']);
  expect(JSON.parse((await runHeadcount(['catalogue', 'unlisted', '--json'], env)).stdout)).toEqual([]);
});
