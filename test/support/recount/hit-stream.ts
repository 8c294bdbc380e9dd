import fc from 'fast-check';
import { visibleSeconds } from '../../../shared/visible-time.ts';
import { dayMs, hourMs } from '../clock.ts';
import type { Signing } from './signed-hits.ts';

export const minuteMs = 60_000;

export const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Africa/Cairo',
];
export const userAgents = {
  human: [
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  ],
  ai: [
    'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    'Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)',
    'Mozilla/5.0 (compatible; ExaSearchBot/1.0)',
  ],
  bot: ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'],
};

export interface Sent {
  kind: keyof typeof userAgents;
  userAgent: string;
  ip: string;
  path: string;
  /** What follows the path. */
  query: string;
  /** `Accept-Language`, where the report has it. */
  language: string | undefined;
  referrer: string | undefined;
  /** Milliseconds before the moment of sending. */
  ageMs: number;
  /** The status of the response, where the report has it. */
  status: number | undefined;
  bytes: number | undefined;
  type: string | undefined;
  /** Of the one client that may sign. */
  signing: Signing | undefined;
}

const sent: fc.Arbitrary<Sent> = fc
  .record({
    kind: fc.constantFrom('human', 'human', 'ai', 'bot'),
    ip: fc.constantFrom(
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8:0:1::1',
    ),
    path: fc.constantFrom('/', '/a', '/b', '/b/', '/%62', '/robots.txt', '/llms.txt'),
    query: fc.constantFrom(
      '',
      '?utm_campaign=spring&utm_source=letter&utm_medium=mail',
      '?ref=partner',
      '?utm_source=letter&ref=',
    ),
    language: fc.constantFrom(undefined, 'de-at,de;q=0.9', 'fr', '*'),
    // Outside, outside, nothing, and the site itself.
    referrer: fc.constantFrom(
      'https://news.example/x',
      'https://chatgpt.com/',
      undefined,
      'https://example.com/b',
    ),
    // Whether it is too old depends on the clock of the node that it comes to.
    ageMs: fc.integer({ min: 0, max: 30 * hourMs }).filter((age) => Math.abs(age - dayMs) > minuteMs),
    userAgent: fc.constant(''),
    status: fc.constantFrom(undefined, 200, 301, 404, 503),
    bytes: fc.constantFrom(undefined, 0, 1_000, 200_000),
    type: fc.constantFrom(undefined, 'text/markdown'),
    signing: fc.constantFrom(undefined, 'valid', 'expired', 'not signed'),
  })
  .chain((hit) => fc.constantFrom(...userAgents[hit.kind]).map((userAgent) => ({ ...hit, userAgent })))
  .map((hit) => ({ ...hit, signing: hit.userAgent.includes('Exa') ? hit.signing : undefined }));

/** A person who followed a link to a text fragment, reported by the script, or by the image without scripts. */
const landing = fc.record({
  way: fc.constantFrom<'script' | 'image'>('script', 'script', 'image'),
  ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2'),
  path: fc.constantFrom('/', '/a'),
  passage: fc.constantFrom('one', 'two'),
  /** Of the window, in 256 pixels. */
  width: fc.constantFrom(undefined, 1, 2, 9),
  /** Steps of how long it was seen then. */
  steps: fc.integer({ min: 0, max: visibleSeconds.length }),
});
export type Landing = typeof landing extends fc.Arbitrary<infer T> ? T : never;

/** An event, reported by the site's server. */
const happening = fc.record({
  ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'),
  kind: fc.constantFrom('human', 'ai', 'bot'),
  name: fc.constantFrom('Sign up', 'Download'),
  properties: fc.dictionary(fc.constantFrom('plan', 'seats'), fc.constantFrom('a', 'b'), { maxKeys: 2 }),
});
export type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

export interface Batch {
  waitMs: number;
  hits: Sent[];
  landings: Landing[];
  happenings: Happening[];
}

/** Batches, each with the time that passes before it; full ones, as all reports of each stream have to be asked for. */
export const stream: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 0, max: 20 * hourMs }),
    hits: fc.array(sent, { maxLength: 18 }),
    landings: fc.array(landing, { maxLength: 9 }),
    happenings: fc.array(happening, { maxLength: 9 }),
  }),
  { minLength: 1, maxLength: 8 },
);

// Near the days on which clocks are turned in one zone or another.
export const begin = fc.constantFrom(
  '2026-03-06T00:00:00Z',
  '2026-03-27T13:00:00Z',
  '2026-10-23T22:30:00Z',
  '2026-12-30T01:00:00Z',
);
