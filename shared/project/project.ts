import { z } from 'zod';
import { cleanedName, name, notPlain, plainText } from '../name.ts';
import { isPlain, plain } from '../plain-text.ts';
import { channelNames, readChannelRule } from '../reports/channels.ts';
import { betweenSteps, stepsOf } from './goals.ts';
import { hostAsSent } from './host.ts';
import { jobSettings } from './job-settings.ts';
import { outboxSettings } from './outbox-settings.ts';
import { findCircle, findRenameFault, lineOf, maxRenames, renameOf } from './renames.ts';
import { sectionOf } from './sections.ts';
import { editor, owner, ownerHere, ruleOf, type SettingRule, server } from './setting.ts';

/** Goals are evaluated for each day: the more, the longer it takes to seal one. */
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

const isEachOnce = (texts: readonly string[]) => new Set(texts).size === texts.length;

const list = (item: z.ZodType<string, string>, max: number, words: string) =>
  z
    .array(item)
    .max(max, `must be at most ${max}`)
    .refine(isEachOnce, `must name each ${words} once`)
    .default([]);

/** Each is counted by itself when a day is closed. */
const maxSections = 200;

const section = z
  .string()
  .max(1024, 'must have at most 1,024 characters')
  .refine(isPlain, notPlain)
  .overwrite((line) => {
    const { path, name } = sectionOf(line);
    return `${path} ${name}`.trim();
  })
  .refine((line) => {
    const { path, name } = sectionOf(line);
    return path.startsWith('/') && name !== '';
  }, 'must be a path or a glob of paths, a space and a name, such as /docs/** Documentation')
  .refine(
    (line) => sectionOf(line).name.toLowerCase() !== '(other)',
    'must have another name: (other) stands for pages in no section',
  );

const sections = z
  .array(section)
  .max(maxSections, `must be at most ${maxSections} sections`)
  .refine((lines) => isEachOnce(lines.map((line) => sectionOf(line).path)), 'must name each glob once')
  .refine(
    (lines) => isEachOnce(lines.map((line) => sectionOf(line).name.toLowerCase())),
    'must give each name once',
  )
  .default([]);

const renamedPaths = z
  .array(
    z
      .string()
      .max(2100, 'must have at most 2,100 characters')
      .refine(isPlain, notPlain)
      .overwrite((line) => lineOf(renameOf(line)))
      .superRefine((line, { addIssue }) => {
        const message = findRenameFault(renameOf(line));
        if (message !== undefined) addIssue({ code: 'custom', message });
      }),
  )
  .max(maxRenames, { error: `must be at most ${maxRenames} renames`, abort: true })
  .refine((lines) => isEachOnce(lines.map((line) => renameOf(line).from)), 'must rename each path once')
  .superRefine((lines, { addIssue }) => {
    const circle = findCircle(lines.map(renameOf));
    if (circle)
      addIssue({
        code: 'custom',
        message: `must not lead in a circle: "${lineOf(circle)}" comes back to itself, so leave it out, or undo an earlier one`,
      });
  })
  .default([]);

/**
 * What people are to do, and in which order on one day. How many made the steps of a funnel is counted from the first whole
 * day on, and of what is added to others from the day before, if that is not sealed; goals also have their past.
 */
export const goalSettings = {
  goals: editor(list(goal, maxGoals, 'goal'), {
    option: 'goal <goal>',
    says: `what people are to do: the name of an event, such as "Sign up", or a path or
glob, such as /thanks; of the past as far as it is known`,
  }),
  funnels: editor(list(funnel, maxFunnels, 'funnel'), {
    option: 'funnel <steps>',
    says: `2 to 5 goals that people are to reach one after the other on one day, such as
"/prices > /cart > Order"`,
  }),
};

const channelRule = plainText
  .max(200, 'must have at most 200 characters')
  .refine(
    (text) => readChannelRule(text) !== undefined,
    `must be a source or a glob, = and one of ${channelNames.join(', ')}, such as "*.example.org = social"`,
  );

const channels = z
  .array(channelRule)
  .max(200, 'must be at most 200')
  .refine(
    (rules) => isEachOnce(rules.map((rule) => readChannelRule(rule)?.source.toLowerCase() ?? rule)),
    'must name each source once',
  )
  .default([]);

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
  .max(1024, 'must have at most 1,024 characters')
  .startsWith('/', 'must be a path glob that begins with a slash, such as /admin/**')
  .refine(isPlain, notPlain);

/** IPv4 or IPv6, alone or with a prefix length (CIDR, RFC 4632 and RFC 4291). */
export const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address or a range such as 192.0.2.0/24 or 2001:db8::/32',
});

/** A word or a part of a user agent; with * in it, all of one. Three letters, so that no slip leaves out everybody. */
const userAgentPart = plainText
  .max(200, 'must have at most 200 characters')
  .refine(
    (text) => text.replaceAll('*', '').trim().length >= 3,
    'must have at least 3 characters besides *, as it would leave out everybody',
  );

const queryRule = plainText
  .max(200, 'must have at most 200 characters')
  .regex(
    /^[^=&?#\s][^&?#]*$/,
    'must be the name of a query parameter, or a name, = and a value, such as preview=1',
  );

const country = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, 'must be the code of a country in two letters, such as DE');

const asNumber = z
  .string()
  .overwrite((text) => `AS${text.trim().replace(/^as/i, '')}`)
  .regex(/^AS[1-9]\d{0,9}$/, 'must be the number of an autonomous system, such as AS64496');

const months = z
  .int('must be a number of months')
  .min(1, 'must be at least 1')
  .max(1200, 'must be at most 1200');

/** Visitors of a closed day whose values are kept together, where a project has not set it. */
export const usualMinimumGroup = 3;

/** Days with sums of hours: today and yesterday always have them, and a year can be compared with the year before. */
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

/** As browsers write it, so that a header can have it unchanged; the slash after it in an address bar is no path. */
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
  name: editor(name, { option: 'name <name>', says: 'the name that people see' }),
  /** Hits from pages on other hosts are dropped; none given: any host. */
  hosts: ownerHere(z.array(hostName).max(100).default([]), {
    option: 'host <host>',
    says: `accept hits from pages on this host only; *.example.com stands for
all hosts below example.com. None given: any host`,
  }),
  /** The public site, whose robots.txt and sitemap are fetched once a day; null: nothing is fetched. */
  siteHost: ownerHere(siteHost.nullable().default(null), {
    option: 'site-host <host>',
    says: `fetch robots.txt and sitemap of this site once a day, such as
www.example.com, to say what AI clients make of them; "": fetch nothing`,
  }),
  /** On which the pages are that were counted, up to 20 and 5 private ones. Noted by the server, and by nobody else. */
  seenHosts: server(
    z
      .array(
        z
          .string()
          .max(253)
          .overwrite((text) => hostAsSent(text) ?? text),
      )
      .max(100)
      .overwrite((hosts) => [...new Set(hosts)])
      .default([]),
    null,
  ),
  /** Days begin and end here. */
  timeZone: editor(timeZone.default('UTC'), {
    option: 'time-zone <zone>',
    says: 'where its days begin and end, such as Europe/Berlin (UTC)',
  }),
  excludedPaths: editor(z.array(pathGlob).max(100).default([]), {
    option: 'exclude-path <glob>',
    says: 'do not count these paths, such as "/admin/**"',
  }),
  excludedAddresses: editor(z.array(addressRange).max(1000).default([]), {
    option: 'exclude-ip <range>',
    says: 'do not count visitors from there, such as 192.0.2.0/24',
  }),
  excludedHosts: editor(list(hostName, 100, 'host'), {
    option: 'exclude-host <host>',
    says: `do not count pages on this host, such as staging.example.com or
*.example.net`,
  }),
  excludedQueries: editor(list(queryRule, 100, 'parameter'), {
    option: 'exclude-query <parameter>',
    says: `do not count addresses with this query parameter, or with this value
of it, such as preview or preview=1`,
  }),
  excludedUserAgents: editor(list(userAgentPart, 100, 'user agent'), {
    option: 'exclude-user-agent <text>',
    says: `do not count user agents that have this in them; with * it stands
for all of one`,
  }),
  excludedCountries: editor(list(country, 249, 'country'), {
    option: 'exclude-country <code>',
    says: 'do not count visitors from this country, such as US',
  }),
  /** Reports leave them out, as nothing that is stored changes; so it can be taken back at any time. */
  excludesPast: editor(z.boolean().default(false), {
    option: 'exclude-past',
    says: `leave excluded countries out of what was counted before, too,
where it can be known`,
  }),
  /** By the server's database of networks. */
  excludedAsNumbers: editor(list(asNumber, 100, 'autonomous system'), {
    option: 'exclude-as <number>',
    says: `do not count visitors from this autonomous system, such as AS64496
(needs HEADCOUNT_ASN_DATABASE)`,
  }),
  excludesDataCenters: editor(z.boolean().default(false), {
    option: 'exclude-data-centers',
    says: `do not count people in networks where anybody rents
machines (needs HEADCOUNT_ASN_DATABASE)`,
  }),
  /** Query parameters that stay part of a path, in this order. */
  keptParameters: editor(z.array(z.string().min(1).max(100).refine(isPlain, notPlain)).max(20).default([]), {
    option: 'keep-parameter <name>',
    says: 'keep this query parameter as part of the path, such as page',
  }),
  ...goalSettings,
  /** Before the usual ones; read with each report, so that they are of the past, too. */
  channels: editor(channels, {
    option: 'channel <rule>',
    says: `the channel of a source, or of a glob of sources, such as
"*.example.org = social"; for the past, too`,
  }),
  /** Parts of the site whose visitors are counted, from the day on on which they are set. */
  sections: editor(sections, {
    option: 'section <section>',
    says: `count visitors of a part of the site from today on: a glob and a
name, such as "/docs/** Documentation"`,
  }),
  /** Old paths of pages, each with the new one; reports join them, and nothing that was counted changes. */
  renamedPaths: editor(renamedPaths, {
    option: 'rename-path <paths>',
    says: `count an old path as a new one, for the past too, such as "/old /new" or
"/docs/v1/** /docs/**"; what is left out again is undone`,
  }),
  /** How `/page.md` and `/llms.txt` are counted, in reports of servers and logs: as their page, or as themselves. */
  countTwinsAs: editor(z.enum(['page', 'file'], { error: 'must be "page" or "file"' }).default('page'), {
    option: 'count-twins-as <what>',
    says: `what /page.md and /llms.txt that a server or a log reports count as:
page (the page they stand for, /page and /) or file (themselves)`,
  }),
  /** Whether e-mail addresses, UUIDs and long random tokens in a path are replaced by `:email`, `:id` and `:token`. */
  personalPaths: owner(z.enum(['mask', 'keep'], { error: 'must be "mask" or "keep"' }).default('mask'), {
    option: 'personal-paths <what>',
    says: `what becomes of e-mail addresses, UUIDs and long random tokens in
paths: mask (they count as :email, :id and :token) or keep`,
  }),
  /** After so many months a day keeps its sums of the site alone; null: it keeps all for good. */
  keepDetailsMonths: owner(months.nullable().default(null), {
    option: 'keep-details <months>',
    says: `after so many months a day keeps its sums of the site alone, and nothing by path,
source, AI client and so on (all: for good)`,
    none: 'all',
  }),
  /** After so many months a day is forgotten. */
  keepCountsMonths: owner(months.nullable().default(null), {
    option: 'keep-counts <months>',
    says: 'after so many months all that was counted on a day is deleted (all: for good)',
    none: 'all',
  }),
  /** So many days before today keep their sums by the hour; null: those that are not sealed. */
  keepHoursDays: owner(hoursDays.nullable().default(null), {
    option: 'keep-hours <days>',
    says: `keep the sums of hours of so many days before today, 2 to 400
("": until a day is sealed, 24 hours after its end)`,
  }),
  /** Values that fewer visitors of a day share are not kept together when it is closed. */
  minimumGroup: owner(
    z
      .int('must be a number of visitors')
      .min(1, 'must be at least 1, which keeps everything')
      .max(1000, 'must be at most 1000')
      .default(usualMinimumGroup),
    {
      option: 'minimum-group <visitors>',
      says: `when a day is closed, keep together only values that so many of its visitors
share, 1 to 1000 (${usualMinimumGroup}); 1 keeps all, and with it what single visitors did`,
    },
  ),
  /** Price of a GB (1,000,000,000 bytes) of traffic, in any currency; null: no costs are reported. */
  trafficPrice: editor(
    z
      .number('must be a number, such as 0.09')
      .min(0, 'must be at least 0')
      .max(1000, 'must be at most 1000')
      .nullable()
      .default(null),
    {
      option: 'traffic-price <price>',
      says: `what a GB of traffic costs, such as 0.09, to say what AI clients cost
("": no costs)`,
    },
  ),
  /** Whose pages may show a shared page in a frame; none given: nobody's. */
  embedOrigins: ownerHere(z.array(origin).max(20, 'must be at most 20').default([]), {
    option: 'embed-origin <origin>',
    says: `pages of this origin, such as https://www.example.com, may show a shared
page in a frame. None given: nobody's`,
  }),
  ...outboxSettings,
  ...jobSettings,
});

export type ProjectSettings = z.infer<typeof projectSettings>;
export type SettingName = keyof ProjectSettings;

/**
 * Of each setting, the least role that may change it, and whether it comes with an imported project. Read by HTTP, commands,
 * the dashboard and the import; docs/people.md says the same in words, which a test compares.
 */
export const settingRules = Object.fromEntries(
  Object.entries(projectSettings.shape).map(([name, schema]) => [name, ruleOf(schema)]),
) as Record<SettingName, SettingRule>;

/** Settings that may hold characters which are no longer accepted. */
const olderTexts = [
  ...([
    'goals',
    'funnels',
    'sections',
    'renamedPaths',
    'excludedPaths',
    'excludedUserAgents',
    'excludedQueries',
    'keptParameters',
    'labels',
    'agentPaths',
  ] as const),
  ...(['commitAuthor', 'docsFolder'] as const),
];

/** Settings as an older version stored them: values that are no longer accepted are cleaned, or else left out. */
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
