import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProjectClient } from '../support/headcount.ts';
import { type ImportRun, startImport } from '../support/import/import-run.ts';
import {
  combinedLine,
  lines,
  type WrittenFormat,
  wrappings,
  writtenFormats,
} from '../support/import/log-lines.ts';

let run: ImportRun;
let files = 0;

beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

const human = (count: number) => ({ human: count, ai: 0, total: count });

const counted = {
  counted: { people: 9, ai: 3 },
  notCounted: { bot: 2, method: 2, status: 3, asset: 3 },
};
const views = {
  '/': { human: 1, ai: 1, total: 2 },
  '/docs': { human: 1, ai: 1, total: 2 },
  '/docs/caf%C3%A9': { human: 2, ai: 1, total: 3 },
  '/pricing': human(2),
  '/about': human(3),
};
const visitors = {
  '/': { human: 1, ai: 1, total: 2 },
  '/docs': { human: 1, ai: 1, total: 2 },
  '/docs/caf%C3%A9': { human: 1, ai: 1, total: 2 },
  '/pricing': human(2),
  '/about': human(2),
};

const hosts = ['example.com', 'www.example.com'];

async function sourcesOf(project: ProjectClient): Promise<string[]> {
  const { sources } = await project.get<{ sources: { source: string }[] }>(
    `/v1/analytics/${project.projectId}/sources`,
  );
  return sources.map(({ source }) => source);
}

async function expectAll(content: string | Uint8Array, args: string[] = []): Promise<ProjectClient> {
  const project = await run.addProject({ hosts });
  const log = await run.write(`log-${++files}`, content);
  const { counted: found, notCounted } = await run.import([log, ...args], { project });
  expect({ counted: found, notCounted }).toEqual(counted);
  expect(await project.views()).toEqual(views);
  expect(await project.visitors()).toEqual(visitors);
  return project;
}

const written = ({ head = [], line }: WrittenFormat) => `${[...head, ...lines.map(line)].join('\n')}\n`;

describe('a log is counted the same in whatever format it was written', () => {
  test.each(writtenFormats)('$name', async (format) => {
    const project = await expectAll(written(format));
    expect(await sourcesOf(project)).toEqual(
      format.lacksReferrers ? ['(direct)', 'news'] : ['(direct)', 'duckduckgo.com', 'google.com', 'news'],
    );
    await expectAll(written(format), ['--format', format.format]);
  });
});

const whole = `${lines.map(combinedLine).join('\n')}\n`;

const azure = writtenFormats.find(({ name }) => name === 'Azure Front Door') as WrittenFormat;
const entries = lines.map((line) => JSON.parse(azure.line(line)) as object);
const compact = (value: unknown) => JSON.stringify(value);
const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

describe('JSON that is not one entry a line is read entry by entry', () => {
  test.each<[string, string]>([
    ['a list', compact(entries)],
    ['a list over several lines', pretty(entries)],
    ['a list with an entry a line', `[\n${entries.map(compact).join(',\n')}\n]\n`],
    ['records', compact({ records: entries })],
    [
      'Records over several lines',
      `\ufeff${pretty({ Version: 1, Records: entries }).replaceAll('\n', '\r\n')}`,
    ],
    ['logs behind other fields', `${compact({ count: entries.length, next: null, logs: entries })}\n`],
    [
      'hits in hits',
      compact({
        took: 3,
        hits: { total: { value: 9 }, hits: entries.map((_source) => ({ _index: 'x', _source })) },
      }),
    ],
    ['several documents, one a line', entries.map((entry) => `${compact({ records: [entry] })}\n`).join('')],
    ['a list of documents', compact(entries.map((entry) => ({ events: [entry] })))],
    ['entries over several lines', entries.map(pretty).join('')],
    ['entries one behind the other', entries.map(compact).join('')],
    [
      'lines of another format in it',
      compact({
        logEvents: lines.map((line, id) => ({ id, timestamp: line.at, message: combinedLine(line) })),
      }),
    ],
  ])('%s', async (_name, content) => {
    await expectAll(content);
    await expectAll(gzipSync(content));
  });

  test('and read on where it has grown', async () => {
    const project = await run.addProject({ hosts });
    const log = await run.write('grown.json', compact(entries.slice(0, 9)).slice(0, -1));
    await run.import([log], { project });
    await writeFile(log, compact(entries));
    const { counted: people } = await run.import([log], { project });
    expect(await project.views()).toEqual(views);
    expect(people).not.toEqual(counted.counted);
  });

  test('up to where it is cut off, which is said', async () => {
    const project = await run.addProject({ hosts });
    const log = await run.write('cut.json', compact(entries).slice(0, -20));
    const { notCounted } = await run.import([log], { project });
    expect(notCounted.unfinished).toBe(1);
  });

  test('but cannot be followed', async () => {
    const log = await run.write('followed-list.json', pretty(entries));
    await expect(run.import([log, '--follow'])).rejects.toThrow(
      'is one JSON document and cannot be followed',
    );
  });
});

describe('what is around the lines of a log makes no difference', () => {
  test.each(wrappings)('%s', async (_name, wrap) => {
    await expectAll(`${lines.map((line, i) => wrap(combinedLine(line), line, i)).join('\n')}\n`);
  });

  test('around lines of JSON', async () => {
    const fastly = writtenFormats.find(({ format }) => format === 'fastly') as WrittenFormat;
    for (const [, wrap] of wrappings.slice(0, 8)) {
      await expectAll(`${lines.map((line, i) => wrap(fastly.line(line), line, i)).join('\n')}\n`);
    }
  });

  test('two of them', async () => {
    const [[, syslog], [, docker]] = [wrappings[0], wrappings[7]] as [
      (typeof wrappings)[0],
      (typeof wrappings)[0],
    ];
    const log = lines.map((line, i) => docker(syslog(combinedLine(line), line, i), line, i));
    await expectAll(`${log.join('\n')}\n`);
  });

  test('around lines that are described', async () => {
    const log = lines.map(
      (line) => `<190>Mar  1 10:00:00 web1 nginx: ${combinedLine(line).replaceAll(/ \[|\] /g, '|')}`,
    );
    await expectAll(`${log.join('\n')}\n`, [
      '--log-format',
      '$remote_addr - $remote_user|$time_local|"$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
    ]);
  });

  test('what a container writes besides is no line of the log', async () => {
    const project = await run.addProject({ hosts });
    const at = '2026-03-01T10:00:00.123456789Z';
    const log = [
      `${at} stderr F 2026/03/01 10:00:00 [notice] 1#1: nginx/1.29`,
      ...lines.map((line) => `${at} stdout F ${combinedLine(line)}`),
      `${at} stderr P 2026/03/01 10:00:00 [error] `,
      `${at} stderr F more`,
    ];
    const file = await run.write('pod.log', `${log.join('\n')}\n`);
    expect(await run.import([file], { project })).toMatchObject(counted);
  });
});

describe('however the file is packed', () => {
  const pack = (program: string) => (text: string) => execFileSync(program, ['-c'], { input: text });
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  test.each<[string, (text: string) => Uint8Array]>([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
    ['bzip2', pack('bzip2')],
    ['bzip2 in two parts', (text) => Buffer.concat([text.slice(0, 500), text.slice(500)].map(pack('bzip2')))],
    ['xz', pack('xz')],
    ['UTF-16', utf16],
    ['UTF-16 with the high byte first', (text) => utf16(text).swap16()],
    ['with a hole of NUL bytes in front', (text) => Buffer.from('\0'.repeat(300_000) + text)],
    ['with a hole of NUL bytes in front, and gzip', (text) => gzipSync('\0'.repeat(300_000) + text)],
    ['with NUL bytes before some lines', (text) => Buffer.from(text.replaceAll(/^(?=198)/gm, '\0\0\0'))],
  ])('%s', async (_name, change) => {
    await expectAll(change(whole));
    const project = await run.addProject({ hosts });
    const { counted: found } = await run.import(['-'], { project, input: change(whole) });
    expect(found).toEqual(counted.counted);
  });

  test('it is the same log, which counts once', async () => {
    const project = await expectAll(utf16(whole));
    for (const content of [whole, pack('xz')(whole), pack('bzip2')(whole), `\0\0${whole}`]) {
      const log = await run.write(`again-${++files}`, content);
      expect((await run.import([log], { project })).lines).toBe(0);
    }
  });

  test.each<[string, Uint8Array, string]>([
    ['a zip archive', Buffer.from('PK\x03\x04 and so on'), 'it is a zip archive: unpack it first'],
    ['a cut off bzip2', pack('bzip2')(whole).subarray(0, 100), 'bzip2 has failed'],
    ['a cut off xz', pack('xz')(whole).subarray(0, 100), 'xz has failed'],
  ])('%s is refused', async (_name, content, why) => {
    const log = await run.write(`packed-${++files}`, content);
    await expect(run.import([log])).rejects.toThrow(why);
    await expect(run.import(['-'], { input: content })).rejects.toThrow(why);
  });

  test('a program that is missing is named', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      const log = await run.write('packed.bz2', Buffer.from('BZh91AY&SY'));
      await expect(run.import([log])).rejects.toThrow(
        'it is packed with bzip2, which is not installed: install bzip2, or unpack it first',
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

test('bytes in a path that are not UTF-8 stay apart', async () => {
  const project = await run.addProject({ hosts });
  const line = (path: string) =>
    `198.51.100.1 - - [01/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "${agent}"\n`;
  const paths = ['/caf\xe9', '/caf\xe8', '/caf\\xe9', '/caf%e9', '/caf\xc3\xa9', '/\xff\xc3\xa9'];
  const inJson = JSON.stringify({
    time: '2026-03-01T10:00:00Z',
    ip: '198.51.100.1',
    method: 'GET',
    path: '/j-PATH',
    status: 200,
    user_agent: agent,
  });
  const combined = await run.write('latin1.log', Buffer.from(paths.map(line).join(''), 'latin1'));
  const log = await run.write(
    'latin1.json',
    Buffer.from(inJson.replace('PATH', 'caf\xe9\xc3\xa9'), 'latin1'),
  );
  await run.import([combined, log], { project });
  expect(await project.views()).toEqual({
    '/caf%E9': human(3),
    '/caf%E8': human(1),
    '/caf%C3%A9': human(1),
    '/%FF%C3%A9': human(1),
    '/j-caf%E9%C3%A9': human(1),
  });
});

describe('W3C logs', () => {
  const head = '#Version: 1.0\n#Fields: ';
  const usual =
    'date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status';
  const chrome =
    'Mozilla/5.0+(X11;+Linux+x86_64)+AppleWebKit/537.36+(KHTML,+like+Gecko)+Chrome/142.0.0.0+Safari/537.36';
  const line = (path: string, ip = '198.51.100.1') =>
    `2026-03-01 10:00:00 10.0.0.4 GET ${path} - 443 - ${ip} ${chrome} - 200\n`;
  const other = (path: string, ip = '198.51.100.1') =>
    `${ip} 200 GET 10:00:01 2026-03-01 ${path} ${chrome}\n`;
  const otherHead =
    '#Date: 2026-03-01 10:00:01\n#Fields: c-ip sc-status cs-method time date cs-uri-stem cs(User-Agent)\n';

  test('may name other fields in the middle', async () => {
    const project = await run.addProject({ hosts });
    const log = await run.write('changing.log', `${head}${usual}\n${line('/a')}${otherHead}${other('/b')}`);
    expect(await run.import([log], { project })).toMatchObject({
      lines: 6,
      counted: { people: 2 },
      notCounted: {},
    });
    expect(await project.views()).toEqual({ '/a': human(1), '/b': human(1) });
  });

  test('are read on from where they ended, by the fields named last', async () => {
    const project = await run.addProject({ hosts });
    const start = `${head}${usual}\n${line('/a')}${otherHead}${other('/b')}`;
    const log = await run.write('growing.log', start);
    await run.import([log], { project });
    await run.write('growing.log', start + other('/c'));
    expect(await run.import([log], { project })).toMatchObject({ lines: 1, counted: { people: 1 } });
    expect(await project.views()).toEqual({ '/a': human(1), '/b': human(1), '/c': human(1) });
  });

  test('a table is read on by the columns of its first line', async () => {
    const project = await run.addProject({ hosts });
    const start = `time,ip,method,path,status,user_agent\n2026-03-01T10:00:00Z,198.51.100.1,GET,/a,200,"${agent}"\n`;
    const log = await run.write('table.csv', start);
    await run.import([log], { project });
    await run.write('table.csv', start + start.replace('/a', '/b').replace(/^.*\n/, ''));
    expect(await run.import([log], { project })).toMatchObject({ lines: 1, counted: { people: 1 } });
    expect(await project.views()).toEqual({ '/a': human(1), '/b': human(1) });
  });

  test('bytes above ASCII are those of a path and a user agent in UTF-8', async () => {
    const project = await run.addProject({ hosts });
    const odd = agent.replace('Firefox', 'caf\u00e9 Firefox');
    const iis = line('/caf\u00e9').replace(chrome, odd.replaceAll(' ', '+'));
    const text = `time=2026-03-01T10:00:00Z method=GET path=/caf\u00e9 ip=198.51.100.1 status=200 user_agent="${odd}"\n`;
    const files = [
      `${head}${usual}\n${iis}`,
      text,
      `${JSON.stringify({ ...jsonLine, path: '/caf\u00e9', user_agent: odd })}\n`,
    ];
    await run.import(await Promise.all(files.map((content, i) => run.write(`utf8-${i}`, content))), {
      project,
    });
    expect([await project.views(), await project.visitors()]).toEqual([
      { '/caf%C3%A9': human(3) },
      { '/caf%C3%A9': human(1) },
    ]);
  });

  test('a user agent is the same visitor as in a log with spaces', async () => {
    const project = await run.addProject({ hosts });
    const iis = await run.write('iis.log', `${head}${usual}\n${line('/')}`);
    const nginx = await run.write(
      'nginx.log',
      `198.51.100.1 - - [01/Mar/2026:10:00:05 +0000] "GET / HTTP/1.1" 200 5 "-" "${chrome.replaceAll('+', ' ')}"\n`,
    );
    await run.import([iis, nginx], { project });
    expect([await project.views(), await project.visitors()]).toEqual([{ '/': human(2) }, { '/': human(1) }]);
  });
});

const jsonLine = { time: '2026-03-01T10:00:00Z', ip: '198.51.100.1', method: 'GET', path: '/', status: 200 };

/** What the command says, and nothing is counted. */
async function refusal(content: string, args: string[] = []): Promise<string> {
  const project = await run.addProject({ hosts });
  const log = await run.write(`log-${++files}`, content);
  const thrown = await run.import([log, ...args], { project }).then(
    () => new Error('It was taken.'),
    (error: Error) => error,
  );
  expect(await project.views()).toEqual({});
  return thrown.message;
}

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const json = (line: object) => `${JSON.stringify(line)}\n`.repeat(3);

describe('a log that lacks something is refused with the reason and a way out', () => {
  test.each<[string, string, string[]]>([
    [
      'CloudFront RTMP',
      '#Version: 1.0\n#Fields: date time x-edge-location c-ip x-event sc-bytes x-cf-status x-cf-client-id cs-uri-stem cs-uri-query c-referrer x-page-url c-user-agent x-sname x-sname-query x-file-ext x-sid\n' +
        '2026-03-01\t10:00:00\tSEA4\t198.51.100.1\tconnect\t2014\tOK\tbfd8a98bee0840d9b871b7f6ade9908f\trtmp://x/cfx/st\tkey=value\thttp://player.example/\thttp://example.com/\tLNX%2010,0,32,18\t-\t-\t-\t-\n',
      ['no line has a', "the W3C's extended format", 'RTMP'],
    ],
    [
      'CloudFront RTMP with spaces',
      '#Version: 1.0\n#Fields: date time x-edge-location c-ip x-event sc-bytes x-cf-status x-cf-client-id cs-uri-stem cs-uri-query c-referrer x-page-url c-user-agent\n' +
        '2026-03-01   10:00:00   SEA4   198.51.100.1   play   2014   OK   bfd8a98bee08   rtmp://x/cfx/st   key=value   http://player.example/   http://example.com/   LNX%2010,0,32,18\n',
      ['no line has a', "the W3C's extended format", 'RTMP'],
    ],
    [
      'SHOUTcast',
      '#Software: SHOUTcast\n#Fields: c-ip c-dns date time cs-uri-stem c-status cs(User-Agent) sc-bytes x-duration avgbandwidth\n198.51.100.1 - 2026-03-01 10:00:00 /stream 200 NSPlayer%2F10 65580 1 524640\n',
      ['no line has a method', 'SHOUTcast'],
    ],
    [
      'IIS without user agents',
      '#Fields: date time cs-method cs-uri-stem c-ip sc-status\n2026-03-01 10:00:00 GET / 198.51.100.1 200\n',
      ['no line has a user agent', '`cs(User-Agent)`'],
    ],
    [
      "Squid's native format",
      '1772359200.123    187 198.51.100.1 TCP_MISS/200 5120 GET http://example.com/ - HIER_DIRECT/203.0.113.5 text/html\n',
      [
        "Squid's native format, which has no user agents",
        'have Squid log its `combined` format',
        '--people count',
      ],
    ],
    [
      "Heroku's router",
      '<158>1 2026-03-01T10:00:00.123456+00:00 host heroku router - at=info method=GET path="/" host=example.com request_id=8601b555 fwd="198.51.100.1" dyno=web.1 connect=1ms service=18ms status=200 bytes=13 protocol=https\n',
      ["Heroku's router, which has no user agents", 'have your application log the combined format'],
    ],
    [
      'HAProxy without captures',
      'Mar  1 10:00:00 lb haproxy[1]: 198.51.100.1:33317 [01/Mar/2026:10:00:00.655] www static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"\n',
      ["HAProxy's HTTP log format", 'no line has a user agent', 'capture request header User-Agent'],
    ],
    [
      'Traefik JSON without headers',
      json({
        ClientHost: '198.51.100.1',
        RequestMethod: 'GET',
        RequestPath: '/',
        DownstreamStatus: 200,
        StartUTC: '2026-03-01T10:00:00Z',
        RequestHost: 'example.com',
      }),
      ['no line has a user agent', 'accesslog.fields.headers.names.User-Agent=keep'],
    ],
    [
      'JSON without a method',
      json({
        ip: '198.51.100.1',
        host: 'example.com',
        path: '/',
        status: '200',
        referrer: '',
        user_agent: agent,
        date: '2026-03-01T10:00:00Z',
      }),
      ['no line has a method'],
    ],
    [
      'JSON without a status',
      json({
        ip: '198.51.100.1',
        host: 'example.com',
        path: '/',
        method: 'GET',
        user_agent: agent,
        time: '2026-03-01T10:00:00Z',
      }),
      ['no line has a status'],
    ],
    [
      'names instead of addresses',
      `dialup.example - - [01/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "${agent}"\n`,
      ['no line has an IP address'],
    ],
    [
      'a status of NGINX Plus',
      json({ version: 5, nginx_version: '1.29', address: '10.0.0.1', connections: {} }),
      ['not in a known format', 'Each line needs a time'],
    ],
    [
      'syslog of Fastly without user agents',
      '<134>2026-03-01T10:00:00Z cache-fra19123 site[123456]: 203.0.113.1 "-" "-" [01/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512\n',
      [
        'not in a known format',
        'Each line needs a time, an IP address, a method, a path or URL, a status and a user agent',
      ],
    ],
    ['words', 'dear diary\n'.repeat(5), ['not in a known format']],
  ])('%s', async (_name, content, parts) => {
    const message = await refusal(content);
    for (const part of parts) expect(message).toContain(part);
    if (!message.includes('--people count')) {
      expect(message).toContain("--log-format '$remote_addr");
      expect(message).toContain('/help/access-logs.html');
    }
  });

  test('also where the log is followed', async () => {
    const line = `${JSON.stringify({ ...jsonLine, method: 'GET' })}\n`;
    const log = await run.write('followed.json', line.repeat(20));
    await expect(run.import([log, '--follow'])).rejects.toThrow('no line has a user agent');
  });

  test('a line of S3 of the years before it had more fields is read', async () => {
    const project = await run.addProject({ hosts });
    const log = await run.write(
      's3-old.log',
      `b659b576 example.com [01/Mar/2026:10:00:00 +0000] 198.51.100.1 arn:aws:iam::179580289999:user/x EB3502 WEBSITE.GET.OBJECT index "GET /index HTTP/1.1" 200 - 368 368 10 9 "-" "${agent}"\n`,
    );
    expect((await run.import([log], { project })).counted).toEqual({ people: 1, ai: 0 });
  });

  test("but a log without user agents can be of people, and Heroku's times are those of syslog", async () => {
    const project = await run.addProject({ hosts });
    const line = (path: string) =>
      `<158>1 2026-03-01T10:00:00.123456+00:00 host heroku router - at=info method=GET path="${path}" host=example.com request_id=8601b555 fwd="198.51.100.1" dyno=web.1 connect=1ms service=18ms status=200 bytes=13 protocol=https\n`;
    const log = await run.write('heroku.log', line('/') + line('/a.css'));
    const { counted: found, notCounted } = await run.import([log, '--people', 'count'], { project });
    expect([found, notCounted]).toEqual([{ people: 1, ai: 0 }, { asset: 1 }]);
  });
});

test('what the document says about other formats is read', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/access-logs.md'), 'utf8');
  const described = Array.from(page.matchAll(/^--log-format '(.*)'$/gm), ([, format]) => format as string);
  const logged = [
    `[01/Mar/2026:10:00:00 +0000] example.com 198.51.100.1 "GET / HTTP/1.1" 200 5 "${agent}" "-"`,
    `198.51.100.1:4711 [01/Mar/2026:10:00:00.123] 200 5 "${agent}" "GET / HTTP/1.1"`,
    `{"who":"198.51.100.1","when":"2026-03-01T10:00:00+00:00","what":"/","with":"${agent}"}`,
  ];
  expect(described).toHaveLength(logged.length);
  for (const [i, line] of logged.entries()) {
    const project = await run.addProject({ hosts });
    const log = await run.write(`described-${i}`, `${line}\n`);
    await run.import([log, '--log-format', described[i] as string], { project });
    expect(await project.views()).toEqual({ '/': human(1) });
  }
});
