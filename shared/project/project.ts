import { z } from 'zod';
import { cleanedName, name, notPlain, plainText } from '../name.ts';
import { isPlain, plain } from '../plain-text.ts';
import { betweenSteps, stepsOf } from './goals.ts';
import { hostAsSent } from './host.ts';
import { jobSettings } from './job-settings.ts';
import { outboxSettings } from './outbox-settings.ts';

/** What each day is asked about: the more, the longer it takes to seal one. */
const maxGoals = 20;
const maxFunnels = 10;
const maxSteps = 5;

/** What begins with a slash is a path, or a glob of paths; all else is the name of an event. */
const goal = plainText
  .min(1, 'must be the name of an event, such as Sign up, or a path, such as /thanks')
  .max(1024, 'must have at most 1,024 characters')
  .refine(
    (text) => text.startsWith('/') || text.length <= 100,
    'must have at most 100 characters, as the name of an event',
  );

const funnel = z
  .string()
  .overwrite((text) =>
    text
      .split('>')
      .map((step) => step.trim())
      .join(betweenSteps),
  )
  .refine((text) => {
    const steps = stepsOf(text);
    const areGoals = steps.every((step) => goal.safeParse(step).success);
    return areGoals && steps.length >= 2 && steps.length <= maxSteps;
  }, `must be 2 to ${maxSteps} events or paths with > between them, such as /prices > /cart > Order`);

const list = (item: z.ZodType<string, string>, max: number, words: string) =>
  z
    .array(item)
    .max(max, `must be at most ${max}`)
    .refine((texts) => new Set(texts).size === texts.length, `must name each ${words} once`)
    .default([]);

/**
 * What people are to do, and in which order on one day: how many did is counted from the first whole day on, and of what
 * is added to others from the day before, if that is not sealed.
 */
export const goalSettings = {
  goals: list(goal, maxGoals, 'goal'),
  funnels: list(funnel, maxFunnels, 'funnel'),
};

const hostName = z
  .string()
  .overwrite((text) => hostAsSent(text) ?? text)
  .regex(
    /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/,
    'must be a host name such as example.com or *.example.com, without scheme, port or path',
  );

/** Of Intl the first question about a zone loads all languages that Node knows: 4 MB. */
function isTimeZone(name: string): boolean {
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    // Temporal takes a whole time for its zone, too.
    return timeZoneId.toLowerCase() === name.toLowerCase() || /^[+-]\d\d(?::?\d\d)?$/.test(name);
  } catch {
    return false;
  }
}

const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin or UTC');

const pathGlob = z
  .string()
  .min(1)
  .max(1024)
  .startsWith('/', 'must be a path glob that begins with a slash, such as /admin/**')
  .refine(isPlain, notPlain);

/** IPv4 or IPv6, alone or with a prefix length (CIDR, RFC 4632 and RFC 4291). */
export const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address or a range such as 192.0.2.0/24 or 2001:db8::/32',
});

const months = z
  .int('must be a number of months')
  .min(1, 'must be at least 1')
  .max(1200, 'must be at most 1200');

/** Of the sums of hours: those of today and yesterday are there anyway, and a year can be laid beside the year before. */
export const maxHoursDays = 400;

const hoursDays = z
  .int('must be a number of days')
  .min(2, 'must be at least 2, as the hours of today and yesterday are kept anyway')
  .max(maxHoursDays, `must be at most ${maxHoursDays}`);

const siteHost = z
  .string()
  .overwrite((text) => hostAsSent(text) ?? text)
  .max(253, 'must have at most 253 characters')
  .regex(
    /^(?:[a-z0-9_-]+\.)+(?!\d+$)[a-z0-9-]+$/,
    'must be a public host name such as www.example.com, without scheme, port or path',
  );

/** Names, IPv4 and IPv6 without wildcards: `URL` also takes `*`, `;` and other signs that mean something in a policy. */
const originForm = /^https?:\/\/(?:(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\])(?::\d+)?$/;

/** As browsers write it, so that it can stand in a header as it is; the slash behind it in an address bar is no path. */
const origin = z
  .string()
  .trim()
  .overwrite((text) => originAsSent(text) ?? text)
  .max(300, 'must have at most 300 characters')
  .refine(
    (text) => originForm.test(text) && URL.parse(text)?.origin === text,
    'must be an origin such as https://www.example.com, without a path or a wildcard',
  );

function originAsSent(text: string): string | undefined {
  const [, scheme = '', name = '', port = ''] = /^(https?):\/\/([^/?#@]+?)(:\d+)?\/?$/i.exec(text) ?? [];
  const host = hostAsSent(name);
  return host && URL.parse(`${scheme}://${host}${port}`)?.origin;
}

/** Everything a person decides about a project. New fields need a default, as older rows lack them. */
export const projectSettings = z.object({
  name,
  /** Hits from pages on other hosts are dropped; none given: any host. */
  hosts: z.array(hostName).max(100).default([]),
  /** The public site, whose robots.txt and sitemap are fetched once a day; null: nothing is fetched. */
  siteHost: siteHost.nullable().default(null),
  /** On which the pages are that were counted, up to 20 and 5 private ones. Noted by the server, and by nobody else. */
  seenHosts: z
    .array(
      z
        .string()
        .max(253)
        .overwrite((text) => hostAsSent(text) ?? text),
    )
    .max(100)
    .overwrite((hosts) => [...new Set(hosts)])
    .default([]),
  /** Days begin and end here. */
  timeZone: timeZone.default('UTC'),
  excludedPaths: z.array(pathGlob).max(100).default([]),
  excludedAddresses: z.array(addressRange).max(1000).default([]),
  /** Query parameters that stay part of a path, in this order. */
  keptParameters: z.array(z.string().min(1).max(100).refine(isPlain, notPlain)).max(20).default([]),
  ...goalSettings,
  /** What `/page.md` and `/llms.txt` count as, where a server or a log reports them: the page they stand for, or themselves. */
  countTwinsAs: z.enum(['page', 'file'], { error: 'must be "page" or "file"' }).default('page'),
  /** What becomes of e-mail addresses, UUIDs and long random tokens in a path: `:email`, `:id` and `:token`, or nothing. */
  personalPaths: z.enum(['mask', 'keep'], { error: 'must be "mask" or "keep"' }).default('mask'),
  /** After so many months a day keeps its sums of the site alone; null: it keeps all for good. */
  keepDetailsMonths: months.nullable().default(null),
  /** After so many months a day is forgotten. */
  keepCountsMonths: months.nullable().default(null),
  /** So many days before today keep their sums by the hour; null: those that are not sealed. */
  keepHoursDays: hoursDays.nullable().default(null),
  /** What a GB (1,000,000,000 bytes) of traffic costs, in whatever currency; null: nothing is said of costs. */
  trafficPrice: z
    .number('must be a number, such as 0.09')
    .min(0, 'must be at least 0')
    .max(1000, 'must be at most 1000')
    .nullable()
    .default(null),
  /** Whose pages may show a shared page in a frame; none given: nobody's. */
  embedOrigins: z.array(origin).max(20, 'must be at most 20').default([]),
  ...outboxSettings,
  ...jobSettings,
});

export type ProjectSettings = z.infer<typeof projectSettings>;

/** What may hold characters that are refused by now. */
const olderTexts = [
  ...(['goals', 'funnels', 'excludedPaths', 'keptParameters', 'labels', 'agentPaths'] as const),
  ...(['commitAuthor', 'docsFolder'] as const),
];

/** Settings as an older version stored them: what was accepted then and is not any more is cleaned, or else left out. */
export function cleanOlder(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null) return stored;
  const cleaned: Record<string, unknown> = { ...stored };
  cleaned.name = cleanedName(cleaned.name);
  for (const field of olderTexts) {
    const value = cleaned[field];
    if (typeof value === 'string') cleaned[field] = plain(value);
    else if (Array.isArray(value))
      cleaned[field] = [...new Set(value.map(plainItem))].filter((text) => text !== '');
  }
  if (Array.isArray(cleaned.hosts)) {
    // Without any host a project would count all of them.
    cleaned.hosts = cleaned.hosts.map((text) => (hostName.safeParse(text).success ? text : 'host.invalid'));
  }
  if (!siteHost.safeParse(cleaned.siteHost).success) cleaned.siteHost = null;
  if (Array.isArray(cleaned.embedOrigins)) {
    cleaned.embedOrigins = cleaned.embedOrigins.filter((text) => origin.safeParse(text).success);
  }
  return cleaned;
}

const plainItem = (item: unknown) => (typeof item === 'string' ? plain(item).trim() : item);

/** Leaves out what cannot be used, and of a list only such items, so that one row never stops all projects. */
export function readStoredSettings(
  stored: unknown,
  onUnusable: (setting: string, why: string) => void = () => undefined,
): ProjectSettings {
  const read = projectSettings.safeParse(stored);
  if (read.success) return read.data;
  const cleaned = cleanOlder(stored);
  const { data, error } = projectSettings.safeParse(cleaned);
  if (data) return data;
  for (const { path, message } of error.issues) onUnusable(String(path[0]), message);
  const usable = withoutItems(cleaned, error.issues);
  const { error: rest } = projectSettings.safeParse(usable);
  const unusable = new Set(rest?.issues.map(({ path }) => String(path[0])));
  return projectSettings.parse({
    ...Object.fromEntries(Object.entries(usable).filter(([setting]) => !unusable.has(setting))),
    ...(unusable.has('name') && { name: '?' }),
    // Without any host a project would count all of them.
    ...(unusable.has('hosts') && { hosts: ['host.invalid'] }),
  });
}

/** The settings without those items of lists that issues are about. */
function withoutItems(settings: unknown, issues: readonly z.core.$ZodIssue[]): Record<string, unknown> {
  const isUnusable = (setting: string, index: number) =>
    issues.some(({ path }) => path[0] === setting && path[1] === index);
  return Object.fromEntries(
    Object.entries(settings ?? {}).map(([setting, value]) => [
      setting,
      Array.isArray(value) ? value.filter((_, index) => !isUnusable(setting, index)) : value,
    ]),
  );
}
