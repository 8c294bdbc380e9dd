import { copyFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { median } from '../../bench/statistics.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { startCaddy } from '../support/import/caddy.ts';
import { startFollowing } from '../support/import/following.ts';
import { aiClient, bot, type ImportRun, otherPerson, startImport } from '../support/import/import-run.ts';
import { startNginx } from '../support/import/nginx.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';
import type { WebServer } from '../support/sites/web-server.ts';

let run: ImportRun;

beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

/** What people and programs ask for, and what of it has to be counted. */
async function visit(server: WebServer): Promise<void> {
  await server.get('/');
  await server.get('/', { 'user-agent': otherPerson, referer: 'https://www.google.com/search?q="x"' });
  await server.get('/docs/caf%C3%A9/?utm_source=news');
  await server.get('/style.css');
  await server.get('/missing');
  await server.get('/docs', { 'user-agent': aiClient });
  await server.get('/docs', { 'user-agent': aiClient }, 'HEAD');
  await server.get('/docs', { 'user-agent': bot });
  await server.get('/', {}, 'POST');
  await server.get('/docs', { 'user-agent': 'odd "quoted\\" Gecko/20100101 Firefox/140.0' });
}

const human = (count: number) => ({ human: count, ai: 0, total: count });

async function expectVisits(project: ProjectClient, file: string, args: string[] = []): Promise<void> {
  const { counted, notCounted } = await run.import([file, '--host', '127.0.0.1', ...args], { project });
  expect(counted).toEqual({ people: 4, ai: 2 });
  expect(notCounted.unreadable).toBe(undefined);
  expect(notCounted).toMatchObject({ asset: 1, status: 1, bot: 1 });
  expect(await project.views()).toEqual({
    '/': human(2),
    '/docs': { human: 1, ai: 2, total: 3 },
    '/docs/caf%C3%A9': human(1),
  });
  const { sources } = await project.get<{ sources: { source: string }[] }>(
    `/v1/analytics/${project.projectId}/sources`,
  );
  expect(sources.map(({ source }) => source)).toEqual(['(direct)', 'google.com', 'news']);
}

const formats: [string, string | undefined, string[]][] = [
  ['combined', undefined, []],
  [
    'with added fields',
    `log_format test '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_accept" $request_time $host';`,
    ['--log-format'],
  ],
  [
    'of its own order',
    `log_format test '$msec|$http_user_agent|$remote_addr|$http_referer|$request_method $request_uri|$status|$sent_http_content_type|$scheme';`,
    ['--log-format'],
  ],
  [
    'in JSON, known by usual names',
    `log_format test escape=json '{"time":"$time_iso8601","remote_addr":"$remote_addr","request":"$request","status":$status,"http_referer":"$http_referer","http_user_agent":"$http_user_agent","host":"$host"}';`,
    [],
  ],
  [
    'in JSON with names of its own',
    `log_format test escape=json '{"wer":"$remote_addr","wann":"$time_iso8601","was":"$request_uri","wie":"$request_method","ob":"$status","woher":"$http_referer","womit":"$http_user_agent"}';`,
    ['--log-format'],
  ],
];

describe('nginx', () => {
  beforeEach((context) => needProgram(context, 'nginx'));

  test.each(formats)('%s', async (_name, logFormat, args) => {
    const nginx = await startNginx(logFormat === undefined ? {} : { logFormat });
    try {
      await visit(nginx);
      const project = await run.addProject({});
      await expectVisits(project, nginx.log, args.length > 0 ? [...args, logFormat ?? ''] : []);
    } finally {
      await nginx.stop();
    }
  });

  test('is followed through rotation by name and by copy, and over a restart, and nothing counts twice', async () => {
    const nginx = await startNginx();
    const project = await run.addProject({});
    const follow = () => startFollowing(run.headcount.dataDir, project.projectId, [nginx.log]);
    const seen = new Set<string>();
    const visitNew = async (name: string) => {
      await nginx.get(`/docs/${name}`);
      seen.add(`/docs/${name}`);
    };
    const delaysMs: number[] = [];
    /** All that was asked for is counted, each once. */
    const expectAll = async () => {
      const startedAt = performance.now();
      await expect
        .poll(() => project.views())
        .toEqual(Object.fromEntries([...seen].sort().map((path) => [path, human(1)])));
      delaysMs.push(performance.now() - startedAt);
    };
    try {
      await visitNew('before');
      let following = await follow();
      await visitNew('first');
      await expectAll();
      for (let round = 0; round < 3; round++) {
        await visitNew(`renaming-${round}`);
        await rename(nginx.log, `${nginx.log}.${round + 1}`);
        // nginx still writes to the file that was renamed.
        await visitNew(`renamed-${round}`);
        await nginx.reopen();
        await visitNew(`reopened-${round}`);
        await expectAll();
      }
      for (let round = 0; round < 3; round++) {
        await visitNew(`copying-${round}`);
        await copyFile(nginx.log, `${nginx.log}.1${round}`);
        await truncate(nginx.log);
        await visitNew(`copied-${round}`);
        await expectAll();
      }
      expect(await following.stop('SIGTERM')).toEqual({
        code: 0,
        stdout: expect.stringContaining('"counted":{"people":'),
        stderr: `Following ${nginx.log} for people and AI clients, until stopped.\n`,
      });
      await visitNew('while-off');
      await rename(nginx.log, `${nginx.log}-20261121`);
      await nginx.reopen();
      await visitNew('after-rotation');
      following = await follow();
      await expectAll();
      await following.kill();
      await visitNew('after-kill');
      following = await follow();
      await expectAll();
      expect((await following.stop('SIGINT')).code).toBe(0);
      // Of several, as a busy machine can be late once.
      expect(median(delaysMs)).toBeLessThan(timeoutAtThisLoad(2000));
    } finally {
      await nginx.stop();
    }
  });

  test('writes half a line, and the half counts when it is whole', async () => {
    const nginx = await startNginx();
    const project = await run.addProject({});
    await nginx.get('/docs');
    const line = await readFile(nginx.log);
    await nginx.stop();
    const log = await run.write('half.log', line.subarray(0, 40));
    const following = await startFollowing(run.headcount.dataDir, project.projectId, [log]);
    await pause(600);
    expect(await project.views()).toEqual({});
    await writeFile(log, line.subarray(40), { flag: 'a' });
    await expect.poll(() => project.views()).toEqual({ '/docs': human(1) });
    await following.stop('SIGTERM');
  });
});

test('Caddy', async (context) => {
  needProgram(context, 'caddy');
  const caddy = await startCaddy();
  try {
    await visit(caddy);
    const project = await run.addProject({});
    // Its log tells that a browser asks ahead.
    await caddy.get('/docs/ahead', { 'sec-purpose': 'prefetch;prerender' });
    await expectVisits(project, caddy.log);
  } finally {
    await caddy.stop();
  }
});
