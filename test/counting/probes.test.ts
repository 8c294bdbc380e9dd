import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatchReply } from '../../shared/hit.ts';
import { chromeUserAgent, type ProjectClient } from '../support/headcount.ts';
import { aiClient, bot, combined, type ImportRun, startImport } from '../support/import/import-run.ts';

let run: ImportRun;

beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

const probes = [
  '/.env',
  '/.env.production',
  '/api/.env',
  '/.git/config',
  '/blog/.git/HEAD',
  '/.aws/credentials',
  '/.DS_Store',
  '/wp-login.php',
  '/blog/wp-login.php',
  '/wp-config.php.bak',
  '/wp-admin/',
  '/wp-admin/setup-config.php',
  '/wordpress/wp-admin/install.php',
  '/wp-includes/ID3/license.php',
  '/wp-content/plugins/hellopress/wp_filemanager.php',
  '/wp-json/wp/v2/users',
  '/xmlrpc.php',
  '/phpmyadmin/index.php',
  '/phpinfo.php',
  '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/_ignition/execute-solution',
  '/actuator/env',
  '/cgi-bin/luci/',
  '/HNAP1',
  '/config.json~',
  '/config.json.backup',
  '/application.yml.tmp',
  '/index.php.swp',
  '/includes/settings.inc.orig',
  '/site.old',
  '/docker-compose.yml',
  '/docker-compose.prod.yml.save',
  '/terraform.tfstate',
  '/id_rsa',
  '/server.key',
  '/dump.sql',
  '/backup/db.sql.gz',
  '/backup.zip',
  '/credentials.json',
  '/secrets.yml',
  '/appsettings.Production.json',
  '/web.config',
  '/storage/logs/laravel.log',
  '/@fs/etc/passwd',
  '/info.php',
  '/server-status',
  '/solr/admin/info/system',
  '/telescope/requests',
  '/debug/pprof/heap',
  '/manager/html',
];

const pages = [
  '/docs/env',
  '/docs/.env',
  '/env',
  '/reference/files/wp-login.php',
  '/docs/wp-admin',
  '/blog/wp-admin',
  '/blog/phpmyadmin',
  '/phpmyadmin',
  '/actuator',
  '/shop/telescope',
  '/wp-content/uploads/report.html',
  '/index.php',
  '/docs/deploy/docker-compose.yml',
  '/docs/docker-compose',
  '/blog/backup',
  '/settings',
  '/telescope',
  '/telescope/dobson',
  '/login',
  '/admin',
  '/user/repository/src/branch/main/.env',
];

const urlOf = (path: string) => `https://example.com${path}`;
const pathsOf = async (project: ProjectClient) => Object.keys(await project.views()).sort();
const counted = pages.toSorted();

const droppedOf = async (project: ProjectClient) => {
  await run.headcount.context.ingest.drain();
  const path = `/v1/analytics/${project.projectId}/dropped`;
  return (await project.get<{ dropped: object[] }>(path)).dropped;
};

test('the script counts no page that only scanners ask for', async () => {
  const project = await run.addProject({});
  for (const path of probes) {
    const answer = await project.hit({ u: urlOf(`${path}?x=1`) });
    expect([path, answer.headers.get('x-headcount-dropped')]).toEqual([path, 'no_page']);
  }
  for (const path of pages) await project.hit({ u: urlOf(path) });
  expect(await pathsOf(project)).toEqual(counted);
});

test('nor do reports of a server', async () => {
  const project = await run.addProject({});
  const hits = [...probes, ...pages].map((path) => ({
    url: urlOf(path),
    ip: '198.51.100.1',
    userAgent: chromeUserAgent,
    type: 'text/html',
    status: 200,
  }));
  const { dropped } = (await (await project.hits(hits)).json()) as BatchReply;
  expect(dropped).toEqual(probes.map((_, index) => ({ index, reason: 'no_page' })));
  expect(await pathsOf(project)).toEqual(counted);
});

test('nor do logs, which show some of them', async () => {
  const project = await run.addProject({});
  const lines = [...probes, ...pages].map((path) => combined({ at: new Date().toISOString(), path }));
  const log = await run.write('access.log', lines.join(''));
  const { notCounted, examples } = await run.import([log], { project });
  // An archive is no page by its name already.
  const { asset = 0, no_page: noPage = 0, ...others } = notCounted;
  expect([asset + noPage, others]).toEqual([probes.length, {}]);
  expect(examples.no_page?.[0]?.text).toBe('GET /.env 200');
  expect(await pathsOf(project)).toEqual(counted);
  expect(await droppedOf(project)).toEqual([{ reason: 'no_page', family: null, hits: noPage }]);
});

test('who is no reader is told as such, also of what is no page; a log tells first what is no page', async () => {
  const requests = [
    { path: '/gone', status: 404, userAgent: bot },
    { path: '/.env', status: 200, userAgent: bot },
    { path: '/gone', status: 404, userAgent: chromeUserAgent },
  ];
  const project = await run.addProject({});
  const ip = '198.51.100.1';
  const reply = await project.hits(requests.map(({ path, ...more }) => ({ url: urlOf(path), ip, ...more })));
  const { dropped } = (await reply.json()) as BatchReply;
  expect(dropped.map(({ reason }) => reason)).toEqual(['bot', 'bot', 'no_page']);
  const lines = requests.map((request) => combined({ at: new Date().toISOString(), ip, ...request }));
  const log = await run.write('order.log', lines.join(''));
  const { notCounted } = await run.import([log], { project: await run.addProject({}) });
  expect(notCounted).toEqual({ status: 2, bot: 1 });
});

test('nor is it among what AI clients could not read', async () => {
  const project = await run.addProject({});
  const failures = async () => {
    await run.headcount.context.ingest.drain();
    const path = `/v1/analytics/${project.projectId}/ai-failures?limit=250`;
    return (await project.get<{ failures: { path: string; requests: number }[] }>(path)).failures;
  };
  const requests = [...probes, '/gone'].map((path, i) => ({
    ...{ path, status: 404, userAgent: aiClient },
    ip: `198.51.100.${i}`,
  }));
  await project.hits(requests.map(({ path, ...more }) => ({ url: urlOf(path), ...more })));
  const lines = requests.map((request) => combined({ at: new Date().toISOString(), ...request }));
  const log = await run.write('failures.log', lines.join(''));
  await run.import([log, '--merge'], { project });
  expect(await failures()).toEqual([expect.objectContaining({ path: '/gone', requests: 2 })]);
});
