import { z } from 'zod';
import { waysIn } from '../reports/tallies.ts';
import { talliedReason } from './hit.ts';

export const number = z.int().min(0);
export const hasMore = z.boolean().describe('Whether there are rows after these.');

export const count = z
  .object({
    human: number,
    ai: number,
    total: number.describe('Those of either kind, once.'),
  })
  .meta({ id: 'Count' });

/** How many: `total` counts those of either kind once. */
export type Count = z.infer<typeof count>;

export const measured = z
  .object({
    people: z.boolean().nullable().describe('Whether people could be counted; null: nothing tells.'),
    ai: z
      .boolean()
      .nullable()
      .describe('The same of AI clients that run no scripts. `false`: a zero means that nobody measured.'),
    ways: z
      .array(z.enum(waysIn))
      .describe('How hits came in; `history`: days that another tool counted, of people alone.'),
  })
  .meta({ id: 'Measured' });

/** What could be counted in a range. */
export type Measured = z.infer<typeof measured>;

interface ByPath {
  totals: Count;
  hasMore: boolean;
}

type PathCount = Count & { path: string };

/** `GET /v1/analytics/{projectId}/visitors` */
export type VisitorsReply = ByPath & { visitors: PathCount[] };

/** `GET /v1/analytics/{projectId}/views` */
export type ViewsReply = ByPath & { views: PathCount[] };

/** Why what a client says of itself is not proved, as far as it is known now. */
const claimCheck = z
  .enum([
    'not_listed',
    'nothing_published',
    'list_not_loaded',
    'not_in_list',
    'name_not_confirmed',
    'not_signed',
    'user_machine',
  ])
  .meta({ id: 'ClaimCheck' });

export type ClaimCheck = z.infer<typeof claimCheck>;

export const clientsReply = z
  .object({
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
        check: claimCheck
          .nullable()
          .describe(
            'Why nothing proved a claim: it is in no list of AI clients, so that nothing is known to check it by; its operator publishes nothing to check by; publishes a list of addresses, which this server has not loaded, or which the address was not in; its host name was not confirmed; it did not sign; or it runs where its user is.',
          ),
        visitors: number,
        views: number,
      }),
    ),
    hasMore,
    measured,
  })
  .meta({ id: 'AiClients' });

/** `GET /v1/analytics/{projectId}/ai-clients` */
export type ClientsReply = z.infer<typeof clientsReply>;

export const clientPathsReply = z
  .object({
    paths: z.array(z.object({ path: z.string(), visitors: number, views: number })),
    hasMore,
    measured,
  })
  .meta({ id: 'AiClientPaths' });

/** `GET /v1/analytics/{projectId}/ai-clients/{client}/paths` */
export type ClientPathsReply = z.infer<typeof clientPathsReply>;

export const landingsReply = z
  .object({
    landings: z.array(z.object({ assistant: z.string(), path: z.string(), visitors: number, views: number })),
    hasMore,
    measured,
  })
  .meta({ id: 'AssistantLandings' });

const visitCounts = z.object({
  ...count.shape,
  singlePageHuman: number.describe('Visits in which people saw only one page.'),
  singlePageAi: number,
  singlePageTotal: number,
});

export const visitPagesReply = z
  .object({
    totals: visitCounts.describe('All visits of the whole range, whatever the page and the search.'),
    unmeasured: z
      .object({ days: number, first: z.iso.date(), last: z.iso.date() })
      .nullable()
      .describe(
        'Days of the range that have views but are missing from these sums, because it was not measured where visits began and ended, or because the details of the day are deleted; null: no such days.',
      ),
    pages: z.array(z.object({ path: z.string(), ...visitCounts.shape })),
    hasMore,
    measured,
  })
  .meta({ id: 'VisitPages' });

/** `GET /v1/analytics/{projectId}/entry-pages` and `exit-pages`: visits by the page on which they began or ended. */
export type VisitPagesReply = z.infer<typeof visitPagesReply>;

export const timeReply = z
  .object({
    pages: z.array(
      z.object({
        path: z.string(),
        seen10: number.describe(
          'Views by people during which the page was in sight for 10 seconds at least.',
        ),
        seen30: number,
        seen60: number,
        seen180: number,
        seen600: number,
      }),
    ),
    hasMore,
  })
  .meta({ id: 'TimeOnPage' });

/** `GET /v1/analytics/{projectId}/time-on-page` */
export type TimeReply = z.infer<typeof timeReply>;

const eventSums = {
  ...count.shape,
  humanEvents: number.describe('How often people did it.'),
  aiEvents: number,
  events: number,
};

export const eventsReply = z
  .object({
    totals: count.describe('Visitors of the site in the whole range, whatever the page and the search.'),
    events: z
      .array(z.object({ event: z.string(), ...eventSums }))
      .describe('`human`, `ai` and `total` are visitors by whom the event happened, each once a day.'),
    hasMore,
    measured,
  })
  .meta({ id: 'PageEvents' });

/** `GET /v1/analytics/{projectId}/events` */
export type EventsReply = z.infer<typeof eventsReply>;

export const propertiesReply = z
  .object({
    totals: count.describe('Visitors by whom the event happened, whatever the page and the search.'),
    properties: z.array(z.object({ property: z.string(), value: z.string(), ...eventSums })),
    hasMore,
    measured,
  })
  .meta({ id: 'EventProperties' });

/** `GET /v1/analytics/{projectId}/events/{event}/properties` */
export type PropertiesReply = z.infer<typeof propertiesReply>;

export const droppedReply = z
  .object({
    dropped: z.array(
      z.object({
        reason: talliedReason.describe(
          'As it was stored: days that an older version counted may have others that it gave.',
        ),
        family: z.string().nullable(),
        hits: number,
      }),
    ),
    hasMore,
  })
  .meta({ id: 'Dropped' });

/** `GET /v1/analytics/{projectId}/dropped` */
export type DroppedReply = z.infer<typeof droppedReply>;

export const nameCapsReply = z
  .object({
    nameCaps: z.array(
      z.object({
        names: z.string(),
        cap: z.string(),
        kind: z.string().nullable(),
        client: z.string().nullable(),
        views: number,
      }),
    ),
    hasMore,
  })
  .meta({ id: 'NameCaps' });

export const filtersReply = z
  .object({
    reports: z.array(
      z.object({
        report: z.string(),
        filters: z.array(z.array(z.string())).describe('Parameters that can be given, alone or together.'),
      }),
    ),
  })
  .meta({ id: 'Filters' });

/** `GET /v1/analytics/{projectId}/filters` */
export type FiltersReply = z.infer<typeof filtersReply>;

/** `GET /v1/analytics/{projectId}/now`: visitors of the last five minutes, and what could be counted yesterday and today. */
export const nowReply = z.object({ visitors: count, measured }).meta({ id: 'Now' });

export type NowReply = z.infer<typeof nowReply>;
