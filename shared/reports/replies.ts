import { z } from 'zod';
import { countedDropReason } from '../hit.ts';
import { lazily, type Reply, reply } from '../reply.ts';
import { dataSources } from './counters.ts';
import type { Report } from './report.ts';
import { type CountedPath, reports } from './reports.ts';

export const number = z.int().min(0);
export const hasMore = z.boolean().describe('Whether there are rows after these.');

export const count = reply('Count', () => ({
  human: number,
  ai: number,
  total: number.describe('Those of either kind, once.'),
}));

/** How many: `total` counts those of either kind once. */
export type Count = Reply<typeof count>;

const fromTo = lazily(() => z.object({ from: number, to: number }));

export const bounds = reply('Bounds', () => ({ human: fromTo(), ai: fromTo(), total: fromTo() }));

/** The least there can be, where what is kept of closed days has no exact number; null: nothing is known but the most. */
const boundedCount = reply('BoundedCount', () => {
  const known = number.nullable().describe('Null: not known, as of days in `unmeasured`; that is not zero.');
  return { human: known, ai: known, total: known, ...boundedBy() };
});

export type BoundedCount =
  | (Count & { bounds?: undefined })
  | (Record<keyof Count, number | null> & { bounds: Reply<typeof bounds> });

export const measured = reply('Measured', () => ({
  people: z.boolean().nullable().describe('Whether people could be counted; null: not known.'),
  ai: z
    .boolean()
    .nullable()
    .describe('The same of AI clients that run no scripts. `false`: a zero means that nobody measured.'),
  ways: z
    .array(z.enum(dataSources))
    .describe('How hits came in; `history`: days that another tool counted, of people alone.'),
}));

/** Which kinds of visitors could be counted in a range. */
export type Measured = Reply<typeof measured>;

interface ByPath {
  totals: BoundedCount;
  hasMore: boolean;
  unmeasured?: UnmeasuredDays | null | undefined;
}

type PathCount = BoundedCount & { path: string };

/** `GET /v1/analytics/{projectId}/visitors` */
export type VisitorsReply = ByPath & { visitors: PathCount[] };

/** `GET /v1/analytics/{projectId}/views` */
export type ViewsReply = ByPath & { views: PathCount[] };

/** Why the claim of a client is not proved, as far as it is known now. */
const claimCheck = lazily(() =>
  z
    .enum([
      'not_listed',
      'nothing_published',
      'list_not_loaded',
      'not_in_list',
      'name_not_confirmed',
      'not_signed',
      'user_machine',
    ])
    .meta({ id: 'ClaimCheck' }),
);

export type ClaimCheck = Reply<typeof claimCheck>;

const unmeasuredDays = reply('UnmeasuredDays', () => ({
  days: number,
  first: z.iso.date(),
  last: z.iso.date(),
  message: z.string().describe('A sentence that says why.'),
  isOfSection: z
    .boolean()
    .describe('Whether only visitors are not known, as the section was not declared; views are exact.'),
}));

/** Days of a range that a reply knows nothing of; with a message, where that is because of filters together. */
export type UnmeasuredDays = Pick<Reply<typeof unmeasuredDays>, 'days' | 'first' | 'last'> &
  Partial<Reply<typeof unmeasuredDays>>;

/** What filters together add to a reply. */
const combinedFields = lazily(() => ({
  unmeasured: unmeasuredDays()
    .nullable()
    .optional()
    .describe(
      'With filters together: days of which they are not known, as they were counted before this was kept, or by another tool. Counts leave them out, and are null where nothing is left; bounds are those of each filter alone. Null: none.',
    ),
}));

const boundedBy = lazily(() => ({
  bounds: bounds()
    .optional()
    .describe(
      'The least and the most there can be, as closed days keep no values that few visitors share. Missing: the count is exact.',
    ),
}));

export const past = lazily(() => ({
  includesExcluded: z
    .string()
    .optional()
    .describe('A sentence, where countries that are excluded cannot be left out of earlier days.'),
  lacksDetails: z
    .string()
    .optional()
    .describe('A sentence, where rows leave out days of which only totals are kept.'),
}));

const boundsOfRow = lazily(() => ({
  bounds: z
    .object({ visitors: fromTo(), views: fromTo() })
    .optional()
    .describe('As in other reports, with filters together, or of a page that was renamed.'),
}));

export const clientsReply = reply('AiClients', () => ({
  clients: z.array(
    z.object({
      client: z.string(),
      operator: z.string().nullable(),
      purpose: z.string().nullable(),
      proof: z
        .string()
        .nullable()
        .describe(
          'How sure it is: `verified`, `claimed` or `inferred`; null with `path`, where it is not kept.',
        ),
      check: claimCheck()
        .nullable()
        .describe(
          "Why nothing proved a claim: it is in no list of AI clients; its operator publishes nothing to check by; this server has not loaded the operator's list of addresses, or the address is not in it; its host name was not confirmed; it did not sign; or it runs where its user is.",
        ),
      visitors: number.nullable(),
      views: number.nullable(),
      ...boundsOfRow(),
    }),
  ),
  hasMore,
  measured: measured(),
  ...combinedFields(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/ai-clients` */
export type ClientsReply = Reply<typeof clientsReply>;

export const clientPathsReply = reply('AiClientPaths', () => ({
  paths: z.array(
    z.object({
      ...{ path: z.string(), visitors: number, views: number },
      humanViews: number.nullable().describe('Views of the page by people; null: they were not measured.'),
      bounds: z
        .object({ visitors: fromTo(), views: fromTo(), humanViews: fromTo().optional() })
        .optional()
        .describe(
          'Of a page that was renamed, or where views of people counted as `(other)`. Without `humanViews` where it is null.',
        ),
    }),
  ),
  lacksPeople: z.string().optional().describe('A sentence, where people were not measured on all days.'),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/ai-clients/{client}/paths` */
export type ClientPathsReply = Reply<typeof clientPathsReply>;

export const landingsReply = reply('AssistantLandings', () => ({
  landings: z.array(
    z.object({ assistant: z.string(), path: z.string(), visitors: number, views: number, ...boundsOfRow() }),
  ),
  hasMore,
  measured: measured(),
  ...past(),
}));

const visitCounts = lazily(() =>
  z.object({
    ...count().shape,
    singlePageHuman: number.describe('Visits in which people saw only one page.'),
    singlePageAi: number,
    singlePageTotal: number,
  }),
);

export const visitPagesReply = reply('VisitPages', () => ({
  totals: visitCounts().describe('All visits of the whole range, whatever the page and the search.'),
  unmeasured: z
    .object({ days: number, first: z.iso.date(), last: z.iso.date() })
    .nullable()
    .describe(
      'Days that are not in these sums, as their visits were not measured or their details are deleted; null: none.',
    ),
  pages: z.array(z.object({ path: z.string(), ...visitCounts().shape })),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/entry-pages` and `exit-pages`: visits by the page on which they began or ended. */
export type VisitPagesReply = Reply<typeof visitPagesReply>;

export const timeReply = reply('TimeOnPage', () => ({
  pages: z.array(
    z.object({
      path: z.string(),
      seen10: number.describe('Views by people during which the page was in sight for 10 seconds at least.'),
      seen30: number,
      seen60: number,
      seen180: number,
      seen600: number,
    }),
  ),
  hasMore,
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/time-on-page` */
export type TimeReply = Reply<typeof timeReply>;

const eventSums = lazily(() => ({
  ...count().shape,
  humanEvents: number.describe('How often people did it.'),
  aiEvents: number,
  events: number,
}));

export const eventsReply = reply('PageEvents', () => ({
  totals: count().describe('Visitors of the site in the whole range, whatever the page and the search.'),
  events: z
    .array(z.object({ event: z.string(), ...eventSums() }))
    .describe('`human`, `ai` and `total` are visitors by whom the event happened, each once a day.'),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/events` */
export type EventsReply = Reply<typeof eventsReply>;

export const propertiesReply = reply('EventProperties', () => ({
  totals: count().describe('Visitors by whom the event happened, whatever the page and the search.'),
  properties: z.array(z.object({ property: z.string(), value: z.string(), ...eventSums() })),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/events/{event}/properties` */
export type PropertiesReply = Reply<typeof propertiesReply>;

export const droppedReply = reply('Dropped', () => ({
  dropped: z.array(
    z.object({
      reason: countedDropReason.describe(
        'As it was stored: days that an older version counted may have others that it gave.',
      ),
      family: z.string().nullable(),
      hits: number,
    }),
  ),
  hasMore,
  measured: measured(),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/dropped` */
export type DroppedReply = Reply<typeof droppedReply>;

export const cardinalityLimitsReply = reply('CardinalityLimits', () => ({
  cardinalityLimits: z.array(
    z.object({
      names: z.string(),
      cap: z.string(),
      kind: z.string().nullable(),
      client: z.string().nullable(),
      views: number,
    }),
  ),
  hasMore,
  ...past(),
}));

export const filtersReply = reply('Filters', () => ({
  reports: z.array(
    z.object({
      report: z.string(),
      filters: z.array(z.array(z.string())).describe('Parameters that can be given, alone or together.'),
      combined: z
        .array(z.string())
        .describe('Parameters of which any can be given together, also with several values and with `!`.'),
    }),
  ),
}));

/** `GET /v1/analytics/{projectId}/filters` */
export type FiltersReply = Reply<typeof filtersReply>;

export const sectionSuggestionsReply = reply('SectionSuggestions', () => ({
  suggestions: z.array(
    z.object({
      path: z.string().describe('A glob.'),
      name: z.string(),
      pages: number,
      views: number.describe('Of the last 28 days.'),
    }),
  ),
}));

/** `GET /v1/analytics/{projectId}/section-suggestions` */
export type SectionSuggestionsReply = Reply<typeof sectionSuggestionsReply>;

/** `GET /v1/analytics/{projectId}/now`: visitors of the last five minutes, and what could be counted yesterday and today. */
export const nowReply = reply('Now', () => ({
  visitors: count(),
  measured: measured(),
  includesExcluded: past().includesExcluded,
}));

export type NowReply = Reply<typeof nowReply>;

const liveRows = <const Name extends string>(name: Name) =>
  z.array(
    z.object({ [name]: z.string(), human: number, ai: number, total: number } as Record<Name, z.ZodString> & {
      [kind in keyof Count]: typeof number;
    }),
  );

/** `GET /v1/analytics/{projectId}/live`: visitors of the last five minutes by what they read and where they come from. */
export const liveReply = reply('Live', () => ({
  visitors: count(),
  perMinute: z
    .array(z.object({ human: number, ai: number }))
    .describe('Views of each of the last 30 minutes, the oldest first; the last one is not over.'),
  paths: liveRows('path'),
  sources: liveRows('source'),
  countries: liveRows('country'),
  clients: liveRows('client'),
  measured: measured(),
  ...past(),
}));

export type LiveReply = Reply<typeof liveReply>;

const visitors = z.array(z.int().min(0));
const known = z.array(z.int().min(0).nullable());

const project = lazily(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().describe('In which its days begin and end.'),
    totals: z.object({ visitors: count(), views: count() }).describe('Of the whole range.'),
    firstDay: z.iso.date().describe('Of the range.'),
    daily: z
      .object({ human: known, ai: known, total: visitors })
      .describe('Visitors of each day, the oldest first; null where hits came in and nobody measured these.'),
    measured: measured(),
    ...past(),
  }),
);

export const glanceReply = reply('Glance', () => ({
  projects: z.array(project()),
  hasMore: z.boolean().describe('Whether there are projects after these.'),
}));

/** `GET /v1/analytics` */
export type GlanceReply = Reply<typeof glanceReply>;

const conversionTotals = lazily(() => ({
  people: number
    .nullable()
    .describe('People of the days on which the goal was measured, each once a day; null: on no day.'),
  conversions: number.nullable().describe('Those of them who reached it, each once a day.'),
  measuredDays: number.describe(
    'Days of the range with people on which it was measured, from beginning to end.',
  ),
  unmeasuredDays: number.describe(
    'Those on which it was not, as it was not set or their details are deleted; by device also those that an earlier version closed. No number includes them.',
  ),
}));

export const sectionsReply = reply('Sections', () => ({
  totals: count().describe('Visitors of the site in the whole range, each once a day.'),
  cappedViews: number.describe(
    'Views in the range whose page counts as `(other)`, so that they are in no section.',
  ),
  sections: z
    .array(
      z.object({
        section: z.string().describe('Its name; `(other)`: pages in no section.'),
        path: z.string().nullable().describe('Its glob, which `path` takes as a filter; null: `(other)`.'),
        human: number.nullable().describe('Of the measured days; null: of none.'),
        ai: number.nullable(),
        total: number.nullable(),
        measuredDays: number.describe('Days of the range with views on which it was measured.'),
        unmeasuredDays: number.describe(
          'Those on which it was not: not declared, pages moved, or details deleted. No number includes them.',
        ),
      }),
    )
    .describe('In the order in which they are declared. A visitor who read pages of several counts in each.'),
  hasMore,
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/sections` */
export type SectionsReply = Reply<typeof sectionsReply>;

export const goalsReply = reply('Goals', () => ({
  cappedViews: number.describe(
    'Views and events of people in the range whose page or name counts as `(other)`, so that they reach no goal.',
  ),
  goals: z
    .array(z.object({ goal: z.string(), ...conversionTotals() }))
    .describe('Those that are set, in the order in which they are.'),
  hasMore,
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/goals` */
export type GoalsReply = Reply<typeof goalsReply>;

/** `GET /v1/analytics/{projectId}/goals/{goal}/entry-pages` and the like */
export function conversionsReply(
  field: string,
  by: string,
  more: z.ZodRawShape = {},
  head: z.ZodRawShape = {},
) {
  const row = z.object({ [by]: z.string(), ...more, people: number, conversions: number });
  return z
    .object({
      totals: z
        .object(conversionTotals())
        .describe(
          'Whatever the page and the search. People without a view on the day are counted here, but in none of the rows.',
        ),
      ...head,
      [field]: z
        .array(row)
        .describe(
          '`people` are those whose visits began so on the same days; rows without conversions are left out.',
        ),
      hasMore,
      ...past(),
    })
    .meta({ id: `GoalBy${by[0]?.toUpperCase()}${by.slice(1)}` });
}

export interface ConversionsReply {
  /** By section. */
  cappedViews?: number;
  totals: z.infer<z.ZodObject<ReturnType<typeof conversionTotals>>>;
  hasMore: boolean;
  [field: string]: unknown;
}

export const funnelsReply = reply('Funnels', () => ({
  funnels: z
    .array(
      z.object({
        funnel: z.string(),
        step: z.int().min(1),
        goal: z.string().describe('The event or path that the step is.'),
        began: number.nullable().describe('People who made the first step.'),
        ...conversionTotals(),
        conversions: number
          .nullable()
          .describe('People who made this step and all before it on one day, each once a day.'),
      }),
    )
    .describe('A row for each step of each funnel that is set, in the order in which they are.'),
  hasMore,
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/funnels` */
export type FunnelsReply = Reply<typeof funnelsReply>;

const dayCount = lazily(() => z.object({ visitors: count(), views: count() }));

const boundedDay = lazily(() => ({ visitors: boundedCount(), views: boundedCount() }));

export type DayCount = Reply<typeof dayCount>;

/** Visitors and views that meet several conditions. */
export type CombinedCount = Record<keyof DayCount, BoundedCount>;

/** Counts of people and AI. */
export type Measure = keyof DayCount;

const coverage = lazily(() =>
  z.object({
    way: z.enum(dataSources),
    from: z.iso.date().describe('The first day of the run.'),
    to: z.iso.date().describe('The last one.'),
    tool: z.string().optional().describe('Of history: the tool that counted these days.'),
  }),
);

/** A run of days on which something came in that way. */
export type Coverage = Reply<typeof coverage>;

const measuredDay = lazily(() =>
  measured()
    .pick({ people: true, ai: true })
    .describe('What could be counted on this day: a way in may have joined later, or ended.'),
);

export const seriesReply = reply('Series', () => ({
  totals: z.object(boundedDay()).describe('Sums of the days.'),
  days: z
    .array(
      z.object({
        date: z.iso.date(),
        ...boundedDay(),
        measured: measuredDay(),
      }),
    )
    .describe('Every day of the range, oldest first; without a range from the first counted day to today.'),
  measured: measured(),
  ...combinedFields(),
  ...past(),
  coverage: z.array(coverage()).describe('Runs of days on which hits came in, by way.'),
  omitted: z
    .object({
      first: z.iso.date().describe('The first counted day.'),
      last: z.iso.date().describe('The day before the first of `days`.'),
    })
    .optional()
    .describe('Without `dateFrom`: counted days before the 10,000 that are listed; totals leave them out.'),
}));

/** `GET /v1/analytics/{projectId}/series`, with filters together too. */
export type CombinedSeriesReply = Omit<Reply<typeof seriesReply>, 'totals' | 'days'> & {
  totals: CombinedCount;
  days: (Pick<Reply<typeof seriesReply>['days'][number], 'date' | 'measured'> & CombinedCount)[];
};

/** The same of the site, or with a filter of which there are sums. */
export type SeriesReply = Omit<CombinedSeriesReply, 'totals' | 'days'> & {
  totals: DayCount;
  days: (Pick<CombinedSeriesReply['days'][number], 'date' | 'measured'> & DayCount)[];
};

export const hoursReply = reply('Hours', () => ({
  now: z
    .object({ date: z.iso.date(), hour: z.int() })
    .describe("Which hour it is in the project's time zone; it has not ended."),
  days: z
    .array(
      z.object({
        date: z.iso.date(),
        hours: z.array(z.object({ hour: z.int().min(0).max(23), ...dayCount().shape })),
        measured: measuredDay(),
      }),
    )
    .describe(
      'Days with hours for all of their views, oldest first, without a range mostly two: today up to now, yesterday, and those before it within `keepHoursDays`. A visitor counts in the hour of its first view of the day.',
    ),
  ...past(),
}));

/** `GET /v1/analytics/{projectId}/hours` */
export type HoursReply = Reply<typeof hoursReply>;

/** Replies that are more than rows. */
const own = lazily(
  (): Partial<Record<CountedPath, z.ZodType<object>>> => ({
    'ai-clients': clientsReply(),
    'ai-clients/:client/paths': clientPathsReply(),
    'assistant-landings': landingsReply(),
    'entry-pages': visitPagesReply(),
    'exit-pages': visitPagesReply(),
    'time-on-page': timeReply(),
    events: eventsReply(),
    'events/:event/properties': propertiesReply(),
    sections: sectionsReply(),
    goals: goalsReply(),
    'goals/:goal/entry-pages': conversionsReply('pages', 'path'),
    'goals/:goal/sources': conversionsReply('sources', 'source'),
    'goals/:goal/countries': conversionsReply('countries', 'country'),
    'goals/:goal/devices': conversionsReply('devices', 'device'),
    'goals/:goal/channels': conversionsReply('channels', 'channel', {
      bounds: z
        .object({ people: fromTo(), conversions: fromTo() })
        .optional()
        .describe(
          'The least and the most there can be, as `utm_medium` may say another channel than the source. Missing: it is exact.',
        ),
    }),
    'goals/:goal/sections': conversionsReply(
      'sections',
      'section',
      {
        path: z
          .string()
          .nullable()
          .describe('Its glob; null: pages in no section, and those beyond the limit of names of a day.'),
      },
      { cappedViews: number.describe('Views by people in the range beyond that limit.') },
    ),
    funnels: funnelsReply(),
    dropped: droppedReply(),
    'cardinality-limits': cardinalityLimitsReply(),
  }),
);

/** A column means the same in all of these; any other is a text. */
const columnTypes = lazily(
  (): Readonly<Record<string, z.ZodType>> => ({
    ...count().shape,
    visitors: number,
    views: number,
    requests: number,
    hits: number,
    bytes: number,
    cost: z.number().min(0).nullable().describe('By the price of the project; null: it names none.'),
  }),
);

/** The reply of a report. */
export const replyOf = (path: CountedPath): z.ZodType<object> => own()[path] ?? rowsReply(reports[path]);

/** Rows of the columns, and totals of people and AI. */
function rowsReply({ field = 'rows', columns = [], hasMeasured, combines }: Report): z.ZodType<object> {
  const more = combines ? boundedCount().shape : {};
  const types: Readonly<Record<string, z.ZodType>> = { ...columnTypes(), ...more };
  const row = Object.fromEntries(columns.map((name) => [name, types[name] ?? z.string()]));
  return z.object({
    ...(columns.includes('total') && {
      totals: (combines ? boundedCount() : count()).describe(
        'Of the whole range, whatever the page and the search.',
      ),
    }),
    [field]: z.array(z.object({ ...row, ...(combines && boundedBy()) })),
    hasMore,
    ...(combines && combinedFields()),
    ...(hasMeasured && { measured: measured() }),
    ...past(),
  });
}
