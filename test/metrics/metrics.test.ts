import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHeadcount, startProcess } from '../support/child.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount({ project: { excludedPaths: ['/hidden/**'] } });
});
afterAll(() => headcount.stop());

const read = (key: string) =>
  fetch(`${headcount.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });

/** Values by name and labels, as they stand in the text. */
async function metrics(text?: string): Promise<Record<string, number>> {
  const all = text ?? (await (await read(headcount.rootKey)).text());
  const samples = all.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const namesIn = (samples: Record<string, number>) =>
  new Set(Object.keys(samples).map((sample) => sample.replace(/\{.*/, '')));

describe('GET /metrics', () => {
  test('is for admin keys of all projects, in the format of Prometheus', async () => {
    expect((await fetch(`${headcount.url}/metrics`)).status).toBe(401);
    expect((await read(headcount.adminKey)).status).toBe(403);
    expect((await read(headcount.ingestKey)).status).toBe(403);
    const response = await read(headcount.rootKey);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    for (const line of (await response.text()).split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) [a-z_:0-9]+ .+|[a-z_:0-9]+(\{([a-z_]+="[^"]*",?)+\})? (-?[\d.e+-]+|Nan)|)$/,
      );
    }
  });

  test('counts hits by what became of them', async () => {
    const before = await metrics();
    const u = 'https://example.com/';
    await headcount.hit({ u: `${u}page` });
    await headcount.hit({ u: `${u}hidden/page` });
    await headcount.hit({ u: 'nonsense' });
    await headcount.hit({ p: 'nosuch', u });
    await headcount.hit({ u }, { 'user-agent': 'curl/8' });
    await fetch(`${headcount.url}/v1/hit`, { method: 'POST', body: '{' });
    await headcount.hits([
      { url: u, ip: '192.0.2.1', userAgent: 'GPTBot/1.2' },
      { url: u, ip: 'nowhere', userAgent: 'GPTBot/1.2' },
    ]);
    const after = await metrics();
    const more = Object.entries(after)
      .filter(([name]) => name.startsWith('headcount_hits_total'))
      .map(([name, value]) => [/outcome="(\w+)"/.exec(name)?.[1], value - (before[name] ?? 0)])
      .filter(([, value]) => value !== 0);
    expect(Object.fromEntries(more)).toEqual({
      human: 1,
      ai: 1,
      bot: 1,
      excluded_path: 1,
      unknown_project: 1,
      invalid: 3,
    });
    const commits = (name: string) =>
      (after[`headcount_commit_${name}`] ?? 0) - (before[`headcount_commit_${name}`] ?? 0);
    expect(commits('views_sum')).toBe(2);
    expect(commits('seconds_count')).toBe(commits('views_count'));
    expect(commits('seconds_bucket{le="+Inf"}')).toBe(commits('seconds_count'));
    expect(commits('seconds_sum')).toBeGreaterThan(0);
    expect(after.headcount_buffered_views).toBe(0);
  });

  test('tells of the store, jobs, feeds and the process', async () => {
    const all = await metrics();
    expect(all['headcount_database_bytes{file="database"}']).toBeGreaterThanOrEqual(4096);
    // PostgreSQL's log is that of all databases of its server.
    expect(all['headcount_database_bytes{file="log"}']).toBeGreaterThan(isOnPostgres ? -1 : 4096);
    const thread = isOnPostgres ? 'database' : 'writer';
    expect(all[`headcount_query_seconds_count{thread="${thread}",part="counting"}`]).toBeGreaterThan(0);
    expect(all['headcount_jobs{state="active"}']).toBe(0);
    expect(all['headcount_address_list_age_seconds{feed="openai-gptbot"}']).toBeGreaterThan(0);
    expect(all.process_resident_memory_bytes).toBeGreaterThan(10_000_000);
  });

  test('counts jobs and the turns that wait', async () => {
    const site = await headcount.addProject({
      repository: 'https://github.com/ada/site',
      model: 'anthropic/claude-opus-4-5',
    });
    const response = await fetch(`${headcount.url}/v2/agent/${site.projectId}/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'Mend a typo.' }),
    });
    expect(response.status).toBe(201);
    const all = await metrics();
    expect([all['headcount_jobs{state="active"}'], all['headcount_turns{state="waiting"}']]).toEqual([1, 1]);
  });

  test('has no word in it that a visitor sent', async () => {
    await headcount.hit(
      { u: 'https://example.com/zebra?utm_source=giraffe', r: 'https://okapi.example/' },
      { 'user-agent': `${chromeUserAgent} Walrus/7`, 'x-forwarded-for': '203.0.113.77' },
    );
    expect(await (await read(headcount.rootKey)).text()).not.toMatch(
      /zebra|giraffe|okapi|walrus|203\.0\.113/i,
    );
  });
});

test('every query of the Grafana dashboard asks for a metric that is there', async () => {
  const file = join(import.meta.dirname, '..', '..', 'deploy', 'grafana', 'headcount.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const there = namesIn(await metrics());
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b\w+(?=\{)/g) ?? []),
  );
  expect(asked.length).toBeGreaterThanOrEqual(panels.length);
  expect(asked.filter((name) => !there.has(name))).toEqual([]);
  const own = [...there].filter(
    (name) => name.startsWith('headcount_') && !/_(bucket|sum|count)$/.test(name),
  );
  expect(own.filter((name) => !asked.includes(name))).toEqual([]);
});

describe('an address for metrics alone', () => {
  test('answers without a key, and nothing else', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headcount-metrics-'));
    const server = await startProcess({
      HEADCOUNT_DATA_DIR: dataDir,
      HEADCOUNT_METRICS_ADDRESS: '127.0.0.1:0',
    });
    await expect.poll(() => server.output.stdout).toContain('Metrics: ');
    const url = /Metrics: (\S+)\./.exec(server.output.stdout)?.[1] ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(await metrics(await (await fetch(url)).text())).toMatchObject({ headcount_buffered_views: 0 });
    for (const path of ['/nowhere', '/v1/nowhere', '/metrics/x']) {
      expect((await fetch(new URL(path, url))).status).toBe(404);
    }
    const posted = await fetch(url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await rm(dataDir, { recursive: true });
  });

  test.each(['9464', 'localhost', '127.0.0.1:99999', 'a b:1'])('cannot be "%s"', async (address) => {
    const { code, stderr } = await runHeadcount(['serve'], { HEADCOUNT_METRICS_ADDRESS: address });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('HEADCOUNT_METRICS_ADDRESS must be an address and a port'),
    ]);
  });

  test('that is taken ends the start, with the setting to change', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const dataDir = join(tmpdir(), `headcount-metrics-taken-${process.pid}`);
    const { code, stderr } = await runHeadcount(['serve'], {
      HEADCOUNT_DATA_DIR: dataDir,
      HEADCOUNT_PORT: '0',
      HEADCOUNT_METRICS_ADDRESS: `127.0.0.1:${port}`,
    });
    other.close();
    expect([code, stderr]).toEqual([
      2,
      `Port ${port} is in use: stop what runs there, or choose another with HEADCOUNT_METRICS_ADDRESS.\n`,
    ]);
  });
});
