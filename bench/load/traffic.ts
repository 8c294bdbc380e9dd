import { randomNumbers, zipf } from '../random.ts';
import userAgents from '../user-agents.json' with { type: 'json' };

const visitorCount = 10_000;
const pathCount = 300;
const drawCount = 65_536;

export interface Traffic {
  /** The headers that identify it, one set for each visitor; any of them may ask for any page. */
  visitors: Record<string, string>[];
  /** One for each pair of a path and a referrer. */
  bodies: string[];
  /** Indexes into `bodies`, each as often as it is asked for. */
  draws: number[];
}

/** Empty: none was sent. Five of twelve views follow a link inside the site. */
const referrers = [
  '',
  '',
  '',
  'https://docs.example.com/',
  'https://docs.example.com/',
  'https://docs.example.com/',
  'https://docs.example.com/guide/topic-3',
  'https://docs.example.com/guide/topic-7',
  'https://www.google.com/',
  'https://www.bing.com/',
  'https://duckduckgo.com/',
  'https://chatgpt.com/',
] as const;

export const paths: readonly string[] = Array.from({ length: pathCount }, (_, i) =>
  i === 0 ? '/' : `/guide/topic-${i}`,
);

/** How much of the traffic is no view where events are asked for: half of it events, and half time on page. */
const eventShare = 0.15;

/** What else may be among the requests, or different. */
export interface Kinds {
  /** Whether events and time on page are among the requests. */
  withEvents?: boolean;
  /** Whether visitors come from all over the world, where they otherwise come from two networks. */
  fromEverywhere?: boolean;
}

/** What browsers send to a site of 300 pages behind a proxy; always the same for the same project. */
export function makeTraffic(
  projectId: string,
  { withEvents = false, fromEverywhere = false }: Kinds = {},
): Traffic {
  const random = randomNumbers(1);
  const drawPath = zipf(pathCount, random);
  const views = paths.flatMap((path) => referrers.map((referrer) => bodyOf(projectId, path, referrer)));
  const events = paths.flatMap((path) => eventBodies(projectId, path));
  const drawView = () => drawPath() * referrers.length + Math.floor(random() * referrers.length);
  const drawEvent = () => views.length + drawPath() * 2 + Math.floor(random() * 2);
  const place = randomNumbers(2);
  return {
    visitors: Array.from({ length: visitorCount }, (_, i) => ({
      'User-Agent': userAgents[i % userAgents.length] as string,
      'X-Forwarded-For': fromEverywhere ? addressAnywhere(i, place) : addressOf(i),
      'Content-Type': 'text/plain;charset=UTF-8',
    })),
    bodies: withEvents ? [...views, ...events] : views,
    draws: Array.from({ length: drawCount }, () =>
      withEvents && random() < eventShare ? drawEvent() : drawView(),
    ),
  };
}

/** Two of five visitors, about as on the public Internet. */
const isOverIpv6 = (visitor: number) => visitor % 5 < 2;

function addressOf(visitor: number): string {
  return isOverIpv6(visitor)
    ? `2001:db8:${visitor.toString(16)}:12:a8bb:ccff:fe00:${visitor.toString(16)}`
    : `198.18.${visitor >> 8}.${visitor & 255}`;
}

/** Nine of ten of these networks have a country. */
function addressAnywhere(visitor: number, random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  return isOverIpv6(visitor)
    ? `2a0${below(16).toString(16)}:${(below(128) * 256).toString(16)}:${visitor.toString(16)}::1`
    : `${1 + below(223)}.${below(256)}.${below(256)}.${1 + below(254)}`;
}

function bodyOf(projectId: string, path: string, referrer: string): string {
  return JSON.stringify({ p: projectId, u: `https://docs.example.com${path}`, r: referrer || undefined });
}

/** An event of the page, and half a minute for which it was in sight. */
function eventBodies(projectId: string, path: string): string[] {
  const page = { p: projectId, u: `https://docs.example.com${path}` };
  return [
    { ...page, e: 'Sign up', v: { plan: 'team' } },
    { ...page, t: 30 },
  ].map((hit) => JSON.stringify(hit));
}

/** Requests as they are sent, in two parts: each of the first can be followed by each of the second. */
export function rawRequests({ visitors, bodies }: Traffic): { heads: string[]; tails: string[] } {
  const lines = (headers: Record<string, string>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    heads: visitors.map((headers) =>
      ['POST /v1/hit HTTP/1.1\r\n', 'Host: count.example.com\r\n', ...lines(headers)].join(''),
    ),
    tails: bodies.map((body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
  };
}
