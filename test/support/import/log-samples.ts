import { aiClient, combined, person } from './import-run.ts';

export const json = (...lines: object[]) => lines.map((line) => JSON.stringify(line));
const encoded = (text: string) => text.replaceAll(' ', '%20').replaceAll('"', '%22');

const cloudfrontNames =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end'.split(
    ' ',
  );

export function cloudfront(changes: Record<string, string>): Record<string, string> {
  const usual = {
    date: '2026-03-01',
    time: '10:00:00',
    'c-ip': '198.51.100.1',
    'cs-method': 'GET',
    'cs(Host)': 'd111111abcdef8.cloudfront.net',
    'cs-uri-stem': '/',
    'sc-status': '200',
    'x-host-header': 'example.com',
    'cs-protocol': 'https',
    'cs(User-Agent)': encoded(person),
    'sc-content-type': 'text/html',
  };
  const blank = Object.fromEntries(cloudfrontNames.map((name) => [name, '-']));
  return { ...blank, ...usual, ...changes };
}

const cloudfrontVisits = [
  cloudfront({ 'cs(Referer)': 'https://www.google.com/', 'cs-uri-query': 'utm_source=news' }),
  // As logs of some years were: the percent sign of a space is encoded too.
  cloudfront({ 'cs(User-Agent)': encoded(aiClient).replaceAll('%20', '%2520'), 'cs-uri-stem': '/docs' }),
  cloudfront({ 'cs-uri-stem': '/a.png', 'sc-content-type': 'image/png' }),
  cloudfront({ 'x-host-header': 'other.example' }),
];
const tabbed = cloudfrontVisits.map((line) => cloudfrontNames.map((name) => line[name]).join('\t'));

function cloudflare(changes: object): object {
  return {
    ClientIP: '198.51.100.1',
    ClientRequestHost: 'example.com',
    ClientRequestMethod: 'GET',
    ClientRequestScheme: 'https',
    ClientRequestURI: '/?utm_source=news',
    ClientRequestReferer: '',
    ClientRequestUserAgent: person,
    EdgeResponseStatus: 200,
    EdgeResponseContentType: 'text/html',
    EdgeStartTimestamp: '2026-03-01T10:00:00Z',
    ...changes,
  };
}

export function vercel(proxy: object, changes: object = {}): object {
  return {
    id: '1',
    deploymentId: 'dpl_1',
    source: 'lambda',
    host: 'site-1.vercel.app',
    timestamp: Date.parse('2026-03-01T10:00:00Z'),
    projectId: 'p',
    level: 'info',
    requestId: 'r1',
    ...changes,
    proxy: {
      timestamp: Date.parse('2026-03-01T10:00:00Z'),
      method: 'GET',
      scheme: 'https',
      host: 'example.com',
      path: '/?utm_source=news',
      userAgent: [person],
      referer: '',
      statusCode: 200,
      clientIp: '198.51.100.1',
      ...proxy,
    },
  };
}

export function caddy(request: object, changes: object = {}): object {
  const { headers = { 'User-Agent': [person] }, ...rest } = request as { headers?: object };
  return {
    level: 'info',
    ts: Date.parse('2026-03-01T10:00:00Z') / 1000,
    logger: 'http.log.access',
    msg: 'handled request',
    request: {
      remote_ip: '127.0.0.1',
      client_ip: '198.51.100.1',
      method: 'GET',
      host: 'example.com',
      uri: '/?utm_source=news',
      headers,
      ...rest,
    },
    status: 200,
    resp_headers: { 'Content-Type': ['text/html; charset=utf-8'] },
    ...changes,
  };
}

/** A line of Bunny's raw logs. */
export function bunny(changes: Record<string, string>): string {
  const fields = {
    cache: 'HIT',
    status: '200',
    time: '1772359200000',
    bytes: '412',
    zone: '390',
    ip: '198.51.100.1',
    referrer: '-',
    url: 'https://example.com/?utm_source=news',
    edge: 'WA',
    userAgent: person,
    id: '322b688bd63fb63f2babe9de30a5d262',
    country: 'DE',
  };
  return Object.values({ ...fields, ...changes }).join('|');
}

/** The same four requests: a person, an AI client, an image, another site's page. */
export const samples: [string, string[]][] = [
  [
    'apache',
    [
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/?utm_source=news' }).trim()}`,
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/docs', userAgent: aiClient }).trim()}`,
      `example.com:443 ${combined({ at: '2026-03-01T10:00:00Z', path: '/a.png' }).trim()}`,
      `other.example:80 ${combined({ at: '2026-03-01T10:00:00Z' }).trim()}`,
    ],
  ],
  [
    'bunny',
    [
      bunny({}),
      bunny({ url: 'https://example.com/docs', userAgent: aiClient, cache: 'MISS' }),
      bunny({ url: 'https://example.com/a.png' }),
      bunny({ url: 'https://other.example/', body: '300', range: '-', authorization: '-' }),
    ],
  ],
  ['cloudfront', ['#Version: 1.0', `#Fields: ${cloudfrontNames.join(' ')}`, ...tabbed]],
  ['cloudfront', [cloudfrontNames.join('\t'), ...tabbed]],
  ['cloudfront', json(...cloudfrontVisits)],
  [
    'cloudflare',
    json(
      cloudflare({}),
      cloudflare({
        ClientRequestURI: '/docs',
        ClientRequestUserAgent: aiClient,
        EdgeStartTimestamp: 1_772_359_200_000_000_000,
      }),
      cloudflare({
        ClientRequestURI: '/a.png',
        EdgeResponseContentType: 'image/png',
        EdgeStartTimestamp: 1_772_359_200,
      }),
      cloudflare({ ClientRequestHost: 'other.example' }),
    ),
  ],
  [
    'vercel',
    json(
      vercel({}),
      vercel({ path: '/docs', userAgent: [aiClient] }, { requestId: 'r2' }),
      vercel({ path: '/a.png' }, { requestId: 'r3', source: 'static' }),
      vercel({ host: 'other.example' }, { requestId: 'r4' }),
    ),
  ],
  [
    'caddy',
    json(
      caddy({}),
      caddy({ uri: '/docs', headers: { 'User-Agent': [aiClient] } }, { ts: '2026-03-01T10:00:00.000Z' }),
      caddy({ uri: '/a.png' }, { resp_headers: { 'Content-Type': ['image/png'] } }),
      caddy({ host: 'other.example' }, { ts: '2026/03/01 10:00:00.000' }),
    ),
  ],
  [
    'jsonl',
    json(
      {
        url: 'https://example.com/?utm_source=news',
        ip: '198.51.100.1',
        userAgent: person,
        at: '2026-03-01T10:00:00Z',
      },
      {
        url: 'https://example.com/docs',
        ip: '198.51.100.1',
        userAgent: aiClient,
        at: '2026-03-01T11:00:00+01:00',
      },
      { url: 'https://example.com/a.png', ip: '198.51.100.1', userAgent: person, at: '2026-03-01T10:00:00Z' },
      { url: 'https://other.example/', ip: '198.51.100.1', userAgent: person, at: '2026-03-01T10:00:00Z' },
    ),
  ],
];
