import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectSettings } from '../../shared/project/project.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { aiClient, combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';

let run: ImportRun;

beforeAll(async () => {
  run = await startImport({ hosts: ['example.com'] });
});
afterAll(() => run.stop());

const human = (count: number) => ({ human: count, ai: 0, total: count });
const at = '2026-03-01T10:00:00Z';
const time = '[01/Mar/2026:10:00:00 +0000]';
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

/** Imports into a project of its own, which has to stay empty. */
async function refusal(name: string, content: string, args: string[] = []): Promise<string> {
  const project = await run.addProject({ hosts: ['example.com'] });
  const log = await run.write(name, content);
  const error = await run.import([log, ...args], { project }).then(
    () => new Error('It was taken.'),
    (thrown: Error) => thrown,
  );
  expect(await project.views()).toEqual({});
  return error.message;
}

describe('lines of an access log are read out of what others make of them', () => {
  const line = (i: number) => combined({ at, ip: `203.0.113.${i}`, path: `/${i}` }).trim();
  test.each<[string, (line: string) => string]>([
    ['Loki, as JSON', (line) => JSON.stringify({ labels: { job: 'web' }, line, timestamp: at })],
    ['Loki, as its command shows it', (line) => `${at} {app="web", pod="web-1"} ${line}`],
    ['services of Docker', (line) => `web_nginx.1.k3j2h4k2j3h4@node-1    | ${line}`],
    ['a search index', (line) => JSON.stringify({ _source: { '@timestamp': at, message: line } })],
    ['an event of it', (line) => JSON.stringify({ _source: { event: { original: line } } })],
    ['an application', (line) => JSON.stringify({ levelname: 'INFO', msg: line })],
    ['a collector', (line) => JSON.stringify({ content: { timestamp: at, message: line } })],
  ])('%s', async (_name, make) => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const log = await run.write(
      'around.log',
      lines(3, (i) => `${make(line(i))}\n`),
    );
    await run.import([log], { project });
    expect(await project.views()).toEqual({ '/0': human(1), '/1': human(1), '/2': human(1) });
  });

  const table = (row: string) => `"2026-03-01T10:00:00.000Z","web","${row.replaceAll('"', '""')}"\n`;
  const answer = {
    data: { result: [{ stream: {}, values: [0, 1].map((i) => ['1772359200000000000', line(i)]) }] },
  };
  test.each([
    ['a table', `"timestamp","source","message"\n${lines(3, (i) => table(line(i)))}`],
    ['an answer of Loki', `${JSON.stringify(answer)}\n`],
    ['what grep finds in several files', lines(3, (i) => `access.log:${line(i)}\n`)],
  ])('or the command says to take them out: %s', async (_name, content) => {
    const message = await refusal('around.log', content);
    expect(message).toContain('have lines of an access log in them');
    expect(message).not.toMatch(/looks like the|HAProxy/);
  });

  test.each([
    [
      'nginx',
      '2026/03/01 10:00:00 [error] 12#12: *3 open() "/x" failed (2: No such file), client: 203.0.113.1\n',
    ],
    [
      'Apache',
      '[Sun Mar 01 10:00:00.123 2026] [core:error] [pid 12] [client 203.0.113.1:4711] No file: /x\n',
    ],
  ])('an error log of %s is called one', async (_name, content) => {
    expect(await refusal('error.log', content.repeat(3))).toContain('It looks like an error log');
  });

  test('of other JSON the fields are named', async () => {
    const content = JSON.stringify({ level: 'info', ts: 1, msg: 'started' });
    expect(await refusal('other.json', `${content}\n`.repeat(3))).toContain('the fields level, ts, msg');
  });
});

test('what stands in place of a host is not called one', async () => {
  const odd = lines(3, () => `{job="web"} ${combined({ at })}`);
  expect(await refusal('labels.log', odd)).not.toContain('such as {job');
});

describe('a log that cannot be judged counts nothing, and the command says what to do', () => {
  test.each([
    [
      'most of its lines are of another format',
      lines(2, () => combined({ at })) + lines(5, (i) => `${i} something else\n`),
      ['--format', 'combined'],
      '5 of the first 7 lines cannot be read in this format',
    ],
    [
      'the format that was named is another one',
      lines(3, () => combined({ at })),
      ['--format', 'caddy'],
      '3 of the first 3 lines cannot be read in this format',
    ],
    [
      'a description of its lines does not fit',
      lines(3, () => combined({ at })),
      ['--log-format', '$remote_addr|$time_iso8601|$request|$http_user_agent'],
      '3 of the first 3 lines cannot be read in this format',
    ],
    [
      'no line has a user agent',
      lines(3, () => `198.51.100.1 - - ${time} "GET / HTTP/1.1" 200 5 "-" "-"\n`),
      [],
      'no line has a user agent',
    ],
    [
      'no line has a method',
      lines(3, () => `198.51.100.1 - - ${time} "" 200 5 "-" "${person}"\n`),
      [],
      'no line has a method',
    ],
  ])('%s', async (name, content, args, why) => {
    const message = await refusal(`${name.replaceAll(' ', '-')}.log`, content, args);
    expect(message).toContain(why);
    expect(message).toContain('--format');
    expect(message).toContain(`--log-format '$remote_addr`);
    expect(message).toContain('Nothing was counted.');
  });

  test('all pages are of another host', async () => {
    const content = lines(3, (i) => `other.example ${combined({ at, path: `/${i}` })}`);
    const message = await refusal('vhost.log', `${content}other.example ${combined({ at, path: '/a.css' })}`);
    expect(message).toContain(
      "all 3 pages are of other hosts than the site's (example.com), such as other.example",
    );
    expect(message).toContain('--host');
    expect(message).toContain('--log-format');
    expect(message).toContain('Nothing of it was counted.');
  });

  test('the address stands where the format has the host', async () => {
    const content = lines(3, (i) => `203.0.113.${i} ${combined({ at, ip: 'example.com', path: `/${i}` })}`);
    const message = await refusal('swapped.log', content, ['--format', 'apache']);
    expect(message).toContain('no line has an IP address');
    expect(message).toContain('--log-format');
  });
});

test('a shared log in which the site comes late counts its pages', async () => {
  const project = await run.addProject({ hosts: ['example.com'] });
  const others = lines(2000, (i) => `other.example ${combined({ at, path: `/${i}` })}`);
  const log = await run.write('shared.log', `${others}example.com ${combined({ at })}`);
  expect(await run.import([log], { project })).toMatchObject({
    counted: { people: 1 },
    notCounted: { foreign_host: 2000 },
  });
});

test('a log that turns into another format is counted as far as it can be read, and the command fails', async () => {
  const project = await run.addProject({ hosts: ['example.com'] });
  const good = lines(1000, (i) => combined({ at, ip: `198.51.100.${i % 200}` }));
  const log = await run.write('turned.log', good + lines(50, () => `{"another":"format"}\n`));
  await expect(run.import([log], { project })).rejects.toThrow(
    /50 of 1050 requests cannot be read.*What could be read is counted.*--undo/s,
  );
  expect(await project.views()).toEqual({ '/': human(1000) });
});

describe('lines that were not counted can be imported again', () => {
  test('after a log was read in the wrong format', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const content = lines(
      4,
      (i) => `198.51.100.${i} example.com - ${time} "GET /${i} HTTP/1.1" 200 5 "-" "${person}"\n`,
    );
    const log = await run.write('lighttpd.log', content);
    await expect(run.import([log, '--format', 'apache'], { project })).rejects.toThrow('--log-format');
    const format =
      '$remote_addr $host $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';
    expect(await run.import([log, '--log-format', format], { project })).toMatchObject({
      lines: 4,
      counted: { people: 4 },
    });
  });

  test('once the project names their host', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const own = lines(2, (i) => `example.com ${combined({ at, path: `/${i}` })}`);
    const other = lines(3, (i) => `docs.example ${combined({ at, path: `/docs/${i}` })}`);
    const log = await run.write('two.log', own + other + own);
    expect(await run.import([log], { project })).toMatchObject({ notCounted: { foreign_host: 3 } });
    const hosts = ['example.com', 'docs.example'];
    await run.headcount.context.store.setProject(
      project.projectId,
      projectSettings.parse({ name: 'Two', hosts }),
    );
    expect(await run.import([log], { project })).toEqual({
      lines: 3,
      counted: { people: 3, ai: 0 },
      notCounted: {},
      examples: {},
    });
    expect((await run.import([log], { project })).lines).toBe(0);
    const { dropped } = await project.get<{ dropped: object[] }>(
      `/v1/analytics/${project.projectId}/dropped`,
    );
    expect(dropped).toEqual([]);
  });

  test('once people are to be counted', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const log = await run.write(
      'people.log',
      lines(3, (i) => combined({ at, ip: `198.51.100.${i}` }) + combined({ at, userAgent: aiClient })),
    );
    expect((await run.import([log, '--people', 'skip'], { project })).counted).toEqual({ people: 0, ai: 3 });
    expect(await run.import([log, '--people', 'count', '--merge'], { project })).toMatchObject({
      lines: 3,
      counted: { people: 3, ai: 0 },
    });
    expect(await project.visitors()).toEqual({ '/': { human: 3, ai: 1, total: 4 } });
    expect(await run.import([log, '--people', 'count', '--merge'], { project })).toMatchObject({ lines: 0 });
  });

  test('from a log that has grown meanwhile', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const first = combined({ at }) + combined({ at, userAgent: aiClient });
    const log = await run.write('grown.log', first);
    await run.import([log, '--people', 'skip'], { project });
    await run.write('grown.log', first + combined({ at, path: '/new' }));
    expect((await run.import([log, '--people', 'count', '--merge'], { project })).counted.people).toBe(2);
    expect(await project.views()).toEqual({ '/': { human: 1, ai: 1, total: 2 }, '/new': human(1) });
  });
});

test('a last line that is cut off is said to be so, also of a log that is finished', async () => {
  const whole = combined({ at });
  const log = await run.write('cut.log', whole + whole + whole.slice(0, 40));
  expect(await run.show([log])).toMatch(/^last line, cut off \(read again once the file has grown\) +1$/m);
});

describe("nginx's main format behind a proxy", () => {
  const content = lines(
    4,
    (i) => `${combined({ at, ip: '10.0.0.5', path: `/${i}` }).trim()} "203.0.113.${i}"\n`,
  );

  test('counts visitors by X-Forwarded-For where the proxy is trusted', async () => {
    // A server trusts its own machine unless told otherwise.
    const log = await run.write('trusted.log', content.replaceAll(/^10\.0\.0\.5/gm, '127.0.0.1'));
    const project = await run.addProject({ hosts: ['example.com'] });
    const imported = await run.import([log], { project });
    expect([imported.counted.people, imported.warnings]).toEqual([4, undefined]);
    expect(await totalVisitors(project)).toBe(4);
  });

  test('says that all lines come from one private address where it is not', async () => {
    const log = await run.write('main.log', content);
    const project = await run.addProject({ hosts: ['example.com'] });
    const { warnings } = await run.import([log], { project });
    expect(warnings).toEqual([expect.stringContaining('all views come from the private address 10.0.0.5')]);
    expect(warnings?.[0]).toContain('HEADCOUNT_TRUSTED_PROXIES=10.0.0.5');
  });

  const behind = (ip: (i: number) => string, forwardedFor: (i: number) => string, count = 40) =>
    lines(count, (i) => `${combined({ at, ip: ip(i), path: `/${i}` }).trim()} "${forwardedFor(i)}"\n`);
  const warningsOf = async (name: string, content: string) => {
    const log = await run.write(name, content);
    return (await run.import([log], { project: await run.addProject({ hosts: ['example.com'] }) })).warnings;
  };

  test.each([
    ['one public address', (_i: number) => '198.51.100.7', '198.51.100.7'],
    ['two', (i: number) => (i % 4 ? '198.51.100.7' : '198.51.100.8'), '198.51.100.7,198.51.100.8'],
    ['an IPv6 address', () => '2001:db8::7', '2001:db8::7'],
    ['two private addresses', (i: number) => (i % 4 ? '10.0.0.5' : '10.0.0.6'), '10.0.0.5,10.0.0.6'],
    ['one but for a few lines', (i: number) => (i > 3 ? '198.51.100.7' : `192.0.2.${i}`), '198.51.100.7'],
    ['some of a CDN', (i: number) => `198.51.100.${i % 5}`, ' and 2 more, or their ranges'],
  ])('says that most lines come from %s, of other visitors', async (name, ip, remedy) => {
    const content = behind(ip, (i) => `203.0.113.${i}`);
    const warnings = await warningsOf(`${name}.log`, content);
    expect(warnings).toEqual([expect.stringContaining('X-Forwarded-For of many visitors')]);
    expect(warnings?.[0]).toContain(`take the import back with --undo, set HEADCOUNT_TRUSTED_PROXIES=`);
    expect(warnings?.[0]).toContain(remedy);
  });

  test.each([
    [
      'the server has put the visitor in the place of the proxy',
      (i: number) => `203.0.113.${i}`,
      (i: number) => `203.0.113.${i}, 10.0.0.5`,
    ],
    [
      'one visitor has a proxy',
      (i: number) => `203.0.113.${i}`,
      (i: number) => (i < 9 ? `192.0.2.${i}` : '-'),
    ],
    [
      'people of one house are behind a proxy of theirs',
      () => '198.51.100.7',
      (i: number) => `192.168.1.${i}`,
    ],
    ['one visitor claims to be behind one', () => '198.51.100.7', () => '203.0.113.9'],
    ['there is no proxy', (i: number) => `203.0.113.${i}`, () => '-'],
  ])('says nothing where %s', async (name, ip, forwardedFor) => {
    expect(await warningsOf(`${name}.log`, behind(ip, forwardedFor))).toBeUndefined();
  });

  test('says so too where the log has no such field', async () => {
    const bare = lines(2, (i) => combined({ at, ip: '10.0.0.5', path: `/${i}` }));
    const log = await run.write('bare.log', bare);
    const { warnings } = await run.import([log], {
      project: await run.addProject({ hosts: ['example.com'] }),
    });
    expect(warnings).toEqual([expect.stringContaining('Have your server log the address of the visitor')]);
  });
});

async function totalVisitors(project: ProjectClient): Promise<number> {
  const { totals } = await project.get<{ totals: { total: number } }>(
    `/v1/analytics/${project.projectId}/visitors`,
  );
  return totals.total;
}
