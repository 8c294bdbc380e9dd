// Built from the description of the API.

/** What means the same wherever it is taken. */
export interface Parameters {
  /** Id of the project. */
  projectId: string;
  /** The first day: `YYYY-MM-DD`, or an ISO 8601 date-time, which stands for the day it falls on in the project's time zone. Left out: from the beginning; for `hours` yesterday, as a rule, and for all projects at once 29 days before the last. */
  dateFrom?: string;
  /** The day after the last one, in the same forms. Left out: to the end. */
  dateTo?: string;
  /** Rows of a page. */
  limit?: number;
  /** Rows before the page. */
  offset?: number;
  /** Only rows with a name that contains this, whatever the case; `totals` are those of all rows. */
  search?: string;
  /** For rows of people and AI, descending: `aiShare` is (ai + 1) / (human + 1), what AI reads most against people. Other rows have an order of their own. */
  sort?: "total" | "human" | "ai" | "aiShare";
  /** Only views of this page. */
  path?: string;
  /** Only views by this AI client. */
  client?: string;
  /** Only views with this name in the report `sources`. */
  source?: string;
  /** Only views with this name in the report `countries`. */
  country?: string;
  /** Only views with this name in the report `regions`. */
  region?: string;
  /** Only views with this name in the report `cities`. */
  city?: string;
  /** Only views with this name in the report `languages`. */
  language?: string;
  /** Only views with this name in the report `devices`. */
  device?: string;
  /** Only views with this name in the report `browsers`. */
  browser?: string;
  /** Only views with this name in the report `systems`. */
  system?: string;
  /** Only views with this name in the report `screens`. */
  screen?: string;
  /** Only views with this name in the report `utm-campaigns`. */
  utmCampaign?: string;
  /** Only views with this name in the report `utm-sources`. */
  utmSource?: string;
  /** Only views with this name in the report `utm-mediums`. */
  utmMedium?: string;
  /** Only views with this name in the report `refs`. */
  ref?: string;
  /** The goal as it is set: the name of an event, or a path. */
  goal: string;
  /** Only numbers of this tool. */
  tool?: "search-console" | "bing" | "bing-ai";
  /** Id of the job. */
  jobId: string;
  /** Id of the automation. */
  automationId: string;
  /** Id of the user. */
  userId: string;
  /** What the link ends in. */
  token: string;
}

export interface Operations {
  /** Send a view from a page */
  'POST /v1/hit': {
    given: {
      body: {
        /** Project id. */
        p: string;
        /** Address of the page. */
        u: string;
        /** Referrer; for a navigation inside the page its address before. Behind that of a landing stands the fragment directive, from `:~` on, where the browser tells it. */
        r?: string;
        /** There at all: routes live in the fragment, which then counts as part of the path. */
        h?: unknown;
        /** Letters for what the page knows of a program at work in it: `w` webdriver, others name an AI client. */
        a?: string;
        /** How often 256 pixels go into the width of the viewport. Anything else than a whole number is ignored. */
        s?: unknown;
        /** Name of an event: no view, but something that happened on the page. */
        e?: string;
        /** Properties of the event, at most 10, each a text, a number or a boolean. */
        v?: Record<string, string | number | boolean>;
        /** No view, but that the page has been in sight for so many seconds since its view. */
        t?: 10 | 30 | 60 | 180 | 600;
      };
    };
    reply: undefined;
  };
  /** Send up to 1,000 views that a server saw */
  'POST /v1/hits': {
    given: {
      headers?: {
        /** Makes it safe to send the batch again within 24 hours: the same key and batch count once, and get the first answer. */
        'Idempotency-Key'?: string;
      };
      body: {
        /** Needed with a key that is good for all projects. */
        project?: string;
        /** `skip`: people are counted by the script, the reports are for AI. Left out: `count`. */
        people?: "count" | "skip";
        /** As in HEADCOUNT_TRUSTED_PROXIES: the X-Forwarded-For, -Proto and -Host among the headers of a hit are believed if its `ip` is one of these. Left out: none. */
        trustedProxies?: string;
        hits: {
          /** Absolute address of the page. */
          url: string;
          /** Request method; left out: GET. */
          method?: string;
          /** The visitor's address, IPv4 or IPv6; where the batch names trusted proxies, that of whoever connected. */
          ip: string;
          userAgent: string;
          referrer?: string | null;
          /** When it was seen (RFC 3339); left out: now. At most 24 hours back. */
          at?: string;
          /** Request headers that tell who it is, by lower-case name: accept, accept-language, sec-fetch-mode, signature and such. */
          headers?: Record<string, string>;
          /** How it was answered; left out: with a page. An answer that is not a page is not counted as a view, but tells what AI clients could not read. */
          status?: number;
          /** Media type of what was sent, such as `text/markdown`. */
          type?: string;
          /** Length of the body that was sent, where it is known. */
          bytes?: number;
          /** Something that happened on the page: it is counted by its name, and not as a view. */
          event?: {
            /** What happened, such as `Sign up`; cut after 100 characters. */
            name: string;
            /** At most 10; values are texts, numbers or booleans, cut after 100 characters. */
            properties?: Record<string, string | number | boolean>;
          };
        }[];
      };
    };
    reply: Batch;
  };
  /** Visitors by path */
  'GET /v1/analytics/{projectId}/visitors': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client' | 'source' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      visitors: {
        path: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
    };
  };
  /** Page views by path */
  'GET /v1/analytics/{projectId}/views': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client' | 'source' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      views: {
        path: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
    };
  };
  /** Visitors by source */
  'GET /v1/analytics/{projectId}/sources': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'source'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      sources: {
        source: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by country */
  'GET /v1/analytics/{projectId}/countries': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      countries: {
        country: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by region */
  'GET /v1/analytics/{projectId}/regions': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'region'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      regions: {
        region: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by city */
  'GET /v1/analytics/{projectId}/cities': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'city'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      cities: {
        city: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by language */
  'GET /v1/analytics/{projectId}/languages': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'language'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      languages: {
        language: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by device */
  'GET /v1/analytics/{projectId}/devices': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'device'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      devices: {
        device: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by browser */
  'GET /v1/analytics/{projectId}/browsers': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'browser'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      browsers: {
        browser: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by system */
  'GET /v1/analytics/{projectId}/systems': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'system'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      systems: {
        system: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by screen */
  'GET /v1/analytics/{projectId}/screens': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'screen'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      screens: {
        screen: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmCampaign */
  'GET /v1/analytics/{projectId}/utm-campaigns': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmCampaign'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmCampaigns: {
        utmCampaign: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmSource */
  'GET /v1/analytics/{projectId}/utm-sources': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmSource'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmSources: {
        utmSource: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmMedium */
  'GET /v1/analytics/{projectId}/utm-mediums': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmMedium'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmMediums: {
        utmMedium: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by ref */
  'GET /v1/analytics/{projectId}/refs': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'ref'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      refs: {
        ref: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** AI clients, and how much each of them read */
  'GET /v1/analytics/{projectId}/ai-clients': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: AiClients;
  };
  /** What one AI client read */
  'GET /v1/analytics/{projectId}/ai-clients/{client}/paths': {
    given: {
      path: Pick<Parameters, 'projectId'> & {
        /** Name of the AI client, such as `GPTBot`. */
        client: string;
      };
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: AiClientPaths;
  };
  /** Pages to which AI assistants sent people */
  'GET /v1/analytics/{projectId}/assistant-landings': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'source'>;
    };
    reply: AssistantLandings;
  };
  /** Pages on which visits began */
  'GET /v1/analytics/{projectId}/entry-pages': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: VisitPages;
  };
  /** Pages on which visits ended */
  'GET /v1/analytics/{projectId}/exit-pages': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: VisitPages;
  };
  /** How long people see pages: views that were seen for 10, 30, 60, 180 and 600 seconds at least */
  'GET /v1/analytics/{projectId}/time-on-page': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: TimeOnPage;
  };
  /** What happened on pages: visitors by event, and how often */
  'GET /v1/analytics/{projectId}/events': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: PageEvents;
  };
  /** Properties of an event, by their values */
  'GET /v1/analytics/{projectId}/events/{event}/properties': {
    given: {
      path: Pick<Parameters, 'projectId'> & {
        /** Name of the event, such as `Sign up`. */
        event: string;
      };
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: EventProperties;
  };
  /** How many people reached each goal of the project */
  'GET /v1/analytics/{projectId}/goals': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: Goals;
  };
  /** People who reached a goal, by the page on which their visits began */
  'GET /v1/analytics/{projectId}/goals/{goal}/entry-pages': {
    given: {
      path: Pick<Parameters, 'projectId' | 'goal'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: GoalByPath;
  };
  /** People who reached a goal, by the source of their visits */
  'GET /v1/analytics/{projectId}/goals/{goal}/sources': {
    given: {
      path: Pick<Parameters, 'projectId' | 'goal'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: GoalBySource;
  };
  /** People who reached a goal, by country */
  'GET /v1/analytics/{projectId}/goals/{goal}/countries': {
    given: {
      path: Pick<Parameters, 'projectId' | 'goal'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: GoalByCountry;
  };
  /** How many people made each step of the funnels of the project, on one day */
  'GET /v1/analytics/{projectId}/funnels': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: Funnels;
  };
  /** Views that were not counted, and why */
  'GET /v1/analytics/{projectId}/dropped': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'sort'>;
    };
    reply: Dropped;
  };
  /** Views that count as `(other)`, and whose part of the day's new names was used up */
  'GET /v1/analytics/{projectId}/name-caps': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'sort'>;
    };
    reply: NameCaps;
  };
  /** What AI clients could not read: errors, refusals and redirects that they were answered */
  'GET /v1/analytics/{projectId}/ai-failures': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: {
      failures: {
        client: string;
        status: string;
        path: string;
        requests: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** In which form AI clients read: HTML, Markdown, `llms.txt` or `llms-full.txt` */
  'GET /v1/analytics/{projectId}/ai-forms': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'client'>;
    };
    reply: {
      forms: {
        client: string;
        form: string;
        views: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Bytes that AI clients were sent, where a report or a log knows the length */
  'GET /v1/analytics/{projectId}/ai-bytes': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'client'>;
    };
    reply: {
      clients: {
        client: string;
        requests: number;
        bytes: number;
        /** By the price of the project; null: it names none. */
        cost: number | null;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Files for machines that AI clients asked for, such as `/robots.txt` and `/llms.txt` */
  'GET /v1/analytics/{projectId}/ai-surfaces': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: {
      surfaces: {
        client: string;
        status: string;
        path: string;
        requests: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Pages that AI clients read although the site's robots.txt asks them not to */
  'GET /v1/analytics/{projectId}/ai-disallowed': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: {
      disallowed: {
        client: string;
        path: string;
        views: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Hits by the way they came in: script, image, report or log; and history, days that another tool counted */
  'GET /v1/analytics/{projectId}/ways-in': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: {
      ways: {
        way: string;
        kind: string;
        hits: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
    };
  };
  /** Pages that AI clients read and that are longer than they are known to take */
  'GET /v1/analytics/{projectId}/ai-cut-off': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: {
      pages: {
        client: string;
        path: string;
        views: number;
        bytes: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Signed requests by operator: valid, or why not */
  'GET /v1/analytics/{projectId}/signatures': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort'>;
    };
    reply: {
      signatures: {
        operator: string;
        result: string;
        requests: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Passages of pages that links were to (text fragments), where three visitors of a day share one */
  'GET /v1/analytics/{projectId}/quoted': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'source'>;
    };
    reply: {
      passages: {
        source: string;
        passage: string;
        path: string;
        visitors: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Whose network AI clients came from that nothing proved, where the server has a database of networks */
  'GET /v1/analytics/{projectId}/ai-networks': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'client'>;
    };
    reply: {
      networks: {
        client: string;
        network: string;
        views: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Every day of the range */
  'GET /v1/analytics/{projectId}/series': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'path' | 'client' | 'source' | 'country' | 'region' | 'city' | 'language' | 'device' | 'browser' | 'system' | 'screen' | 'utmCampaign' | 'utmSource' | 'utmMedium' | 'ref'>;
    };
    reply: Series;
  };
  /** Every hour of yesterday and today, and of days that keep their hours */
  'GET /v1/analytics/{projectId}/hours': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo'>;
    };
    reply: Hours;
  };
  /** Visitors of the last five minutes */
  'GET /v1/analytics/{projectId}/now': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Now;
  };
  /** What each report can be limited to */
  'GET /v1/analytics/{projectId}/filters': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Filters;
  };
  /** All projects at a glance: their visitors day by day */
  'GET /v1/analytics': {
    given: {
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset'>;
    };
    reply: Glance;
  };
  /** When AI clients read the pages of the site's sitemap */
  'GET /v1/analytics/{projectId}/freshness': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'search' | 'limit' | 'offset'> & {
        /** When this AI client read each page, or with `*` each of those that ever came; left out: any of them. */
        client?: string;
        /** Only pages that were not read for so many days, today included; not with `client=*`. */
        unreadFor?: number;
      };
    };
    reply: Freshness;
  };
  /** Rules for AI clients, to paste into robots.txt or the settings of a server */
  'GET /v1/analytics/{projectId}/ai-rules': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: {
        /** Where the rules are pasted: robots.txt, nginx, Caddy, or a Cloudflare Worker. */
        target?: "robots" | "nginx" | "caddy" | "worker";
        /** For clients that read for training: allow, slow down, refuse (403), or ask for payment (402). */
        training?: "allow" | "slow" | "refuse" | "pay";
        /** For clients that read for search: allow, slow down, refuse (403), or ask for payment (402). */
        search?: "allow" | "slow" | "refuse" | "pay";
        /** For clients that read for somebody who asked: allow, slow down, refuse (403), or ask for payment (402). */
        assistant?: "allow" | "slow" | "refuse" | "pay";
        /** For clients that read for an agent that codes: allow, slow down, refuse (403), or ask for payment (402). */
        coding?: "allow" | "slow" | "refuse" | "pay";
        /** For clients that read for an agent in a person's browser: allow, slow down, refuse (403), or ask for payment (402). */
        browser?: "allow" | "slow" | "refuse" | "pay";
        /** Exceptions by client, such as `GPTBot:refuse,ClaudeBot:slow`. */
        clients?: string;
      };
    };
    reply: AiRules;
  };
  /** AI views of each operator against people who came from its assistants */
  'GET /v1/analytics/{projectId}/operators': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset'> & {
        /** A row for each operator in the whole range, in each week (from Monday), or on each day. */
        by?: "range" | "week" | "day";
        /** Only rows of this operator. */
        operator?: string;
        /** Which week or day comes first. */
        sort?: "oldest" | "newest";
      };
    };
    reply: Operators;
  };
  /** AI clients that came regularly and have stopped */
  'GET /v1/analytics/{projectId}/silent-clients': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'limit' | 'offset'>;
    };
    reply: SilentClients;
  };
  /** Releases, merged pull requests and changes of the rules, the newest first */
  'GET /v1/analytics/{projectId}/changes': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset'>;
    };
    reply: Changes;
  };
  /** Whether a change helped: touched pages against the others, before and after */
  'GET /v1/analytics/{projectId}/changes/{changeId}/effect': {
    given: {
      path: Pick<Parameters, 'projectId'> & {
        /** Id of the change: of a mark. */
        changeId: string;
      };
    };
    reply: Effect;
  };
  /** Pages to work on for AI clients, each with a prompt for a job */
  'GET /v1/analytics/{projectId}/gaps': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset'> & {
        /** Only gaps of this kind. */
        kind?: "failing" | "ignored" | "ai_heavy";
      };
    };
    reply: Gaps;
  };
  /** Releases and notes that were marked, and merged pull requests of jobs */
  'GET /v1/analytics/{projectId}/marks': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset'>;
    };
    reply: Marks;
  };
  /** Mark a release, or note what else happened */
  'POST /v1/analytics/{projectId}/marks': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      body: {
        /** `note`: anything else that explains the counts, such as a campaign. */
        kind?: "release" | "note";
        /** The day in the project's time zone; left out: today. */
        date?: string;
        /** What was released, or happened, for the chart. */
        text: string;
        /** Of a release: pages that it touched; `/docs/*` stands for all below. Without any its effect is not told. */
        paths?: string[];
      };
    };
    reply: Mark;
  };
  /** Remove a mark */
  'DELETE /v1/analytics/{projectId}/marks/{markId}': {
    given: {
      path: Pick<Parameters, 'projectId'> & {
        /** Id of the mark. */
        markId: string;
      };
    };
    reply: undefined;
  };
  /** Clicks, impressions and citations that search engines tell, beside people who came from there */
  'GET /v1/analytics/{projectId}/search-engines': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'tool' | 'limit' | 'offset'> & {
        /** A row for each tool in the whole range, or on each day. */
        by?: "range" | "day";
      };
    };
    reply: SearchEngines;
  };
  /** Queries, pages, countries and devices, as search engines tell them */
  'GET /v1/analytics/{projectId}/search-names': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'tool' | 'limit' | 'offset'> & {
        /** What the rows are of. */
        of?: "query" | "page" | "country" | "device";
      };
    };
    reply: SearchNames;
  };
  /** Create a job */
  'POST /v2/agent/{projectId}/job': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      headers?: {
        /** Makes it safe to send the request again within 24 hours: the same key and prompt answer with the same job. */
        'Idempotency-Key'?: string;
      };
      body: {
        /** What the agent shall do; with a recipe, what more than that. One of both is needed. */
        prompt?: string;
        /** Work that documentation needs again and again, in place of a prompt. */
        recipe?: "missing-pages" | "examples-for-ai" | "texts-for-ai" | "broken-links" | "changelog" | "still-true";
        /** What the agent sees besides, and may put into the repository. */
        images?: {
          /** What people call it, such as the name of its file. */
          name: string;
          /** A PNG, JPEG, GIF or WebP in base64; its first bytes tell which. */
          content: string;
        }[];
        /** Whether its pull request is opened as a draft; left out, as the project is set. */
        asDraft?: boolean;
      };
    };
    reply: Job;
  };
  /** List jobs, the newest first */
  'GET /v2/agent/{projectId}/jobs': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'limit' | 'offset'> & {
        /** Only jobs in this state. */
        status?: "active" | "completed" | "archived" | "failed";
      };
    };
    reply: Jobs;
  };
  /** Read a job, to follow it */
  'GET /v2/agent/{projectId}/job/{jobId}': {
    given: {
      path: Pick<Parameters, 'projectId' | 'jobId'>;
    };
    reply: Job;
  };
  /** Read or follow a job's transcript */
  'GET /v2/agent/{projectId}/job/{jobId}/events': {
    given: {
      path: Pick<Parameters, 'projectId' | 'jobId'>;
      query?: Pick<Parameters, 'limit'> & {
        /** The number of an event: those that came later are wanted. */
        after?: number;
      };
      headers?: {
        /** Of a stream that broke off: it goes on after this event. */
        'Last-Event-ID'?: string;
      };
    };
    reply: Events;
  };
  /** Send a follow-up, handled in order */
  'POST /v2/agent/{projectId}/job/{jobId}/message': {
    given: {
      path: Pick<Parameters, 'projectId' | 'jobId'>;
      headers?: {
        /** Makes it safe to send the request again within 24 hours: the same key and prompt answer with the same job. */
        'Idempotency-Key'?: string;
      };
      body: {
        /** What the agent shall do. */
        prompt: string;
        /** What the agent sees besides, and may put into the repository. */
        images?: {
          /** What people call it, such as the name of its file. */
          name: string;
          /** A PNG, JPEG, GIF or WebP in base64; its first bytes tell which. */
          content: string;
        }[];
      };
    };
    reply: Job;
  };
  /** End a job for good */
  'POST /v2/agent/{projectId}/job/{jobId}/archive': {
    given: {
      path: Pick<Parameters, 'projectId' | 'jobId'>;
    };
    reply: Job;
  };
  /** Take back what a job has merged */
  'POST /v2/agent/{projectId}/job/{jobId}/revert': {
    given: {
      path: Pick<Parameters, 'projectId' | 'jobId'>;
    };
    reply: Job;
  };
  /** Tell that something happened at a pull request */
  'POST /v2/agent/{projectId}/webhook': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      headers?: {
        /** By GitHub. */
        'X-Hub-Signature-256'?: string;
        /** By Gitea and Forgejo. */
        'X-Gitea-Signature'?: string;
        /** By Bitbucket. */
        'X-Hub-Signature'?: string;
        /** By GitLab; or `webhook-signature`, with `webhook-id` and `webhook-timestamp`. */
        'X-Gitlab-Token'?: string;
      };
    };
    reply: undefined;
  };
  /** Work that documentation needs again and again */
  'GET /v2/agent/{projectId}/recipes': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Recipes;
  };
  /** What starts jobs by itself */
  'GET /v2/agent/{projectId}/automations': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Automations;
  };
  /** Have jobs started at times, or when something happens */
  'POST /v2/agent/{projectId}/automations': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      body: {
        name: string;
        when: {
          kind: "weekly";
          weekdays: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
          /** In the project's time zone. */
          hour: number;
        } | {
          kind: "monthly";
          /** Of the month; where that is shorter, its last day. */
          day: number;
          /** In the project's time zone. */
          hour: number;
        } | {
          kind: "missing_page";
          /** By AI clients, for one path within 14 days. */
          requests?: number;
        } | {
          kind: "unread_page";
          /** Without a view by any AI client. */
          days?: number;
        } | {
          kind: "release";
          /** Whose tags are watched; it is read without a token. */
          repository: string;
        };
        /** What the agent shall do, where it is one of the recipes. */
        recipe?: "missing-pages" | "examples-for-ai" | "texts-for-ai" | "broken-links" | "changelog" | "still-true" | null;
        /** What it shall do, or what more than the recipe says. */
        prompt?: string | null;
        /** How many jobs it may start in any 7 days. */
        jobsPerWeek?: number;
        /** Whether it starts jobs. */
        enabled?: boolean;
      };
    };
    reply: Automation;
  };
  /** Change it, or turn it on and off */
  'PATCH /v2/agent/{projectId}/automations/{automationId}': {
    given: {
      path: Pick<Parameters, 'projectId' | 'automationId'>;
      body: {
        name?: string;
        when?: {
          kind: "weekly";
          weekdays: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
          /** In the project's time zone. */
          hour: number;
        } | {
          kind: "monthly";
          /** Of the month; where that is shorter, its last day. */
          day: number;
          /** In the project's time zone. */
          hour: number;
        } | {
          kind: "missing_page";
          /** By AI clients, for one path within 14 days. */
          requests?: number;
        } | {
          kind: "unread_page";
          /** Without a view by any AI client. */
          days?: number;
        } | {
          kind: "release";
          /** Whose tags are watched; it is read without a token. */
          repository: string;
        };
        /** What the agent shall do, where it is one of the recipes. */
        recipe?: "missing-pages" | "examples-for-ai" | "texts-for-ai" | "broken-links" | "changelog" | "still-true" | null;
        /** What it shall do, or what more than the recipe says. */
        prompt?: string | null;
        /** How many jobs it may start in any 7 days. */
        jobsPerWeek?: number;
        /** Whether it starts jobs. */
        enabled?: boolean;
      };
    };
    reply: Automation;
  };
  /** Remove it, with what it remembers */
  'DELETE /v2/agent/{projectId}/automations/{automationId}': {
    given: {
      path: Pick<Parameters, 'projectId' | 'automationId'>;
    };
    reply: undefined;
  };
  /** What it did, and why it did not */
  'GET /v2/agent/{projectId}/automations/{automationId}/runs': {
    given: {
      path: Pick<Parameters, 'projectId' | 'automationId'>;
      query?: Pick<Parameters, 'limit' | 'offset'>;
    };
    reply: Runs;
  };
  /** List the projects that the key covers */
  'GET /v1/projects': {
    given: Record<string, never>;
    reply: ManagedProjects;
  };
  /** Make a project */
  'POST /v1/projects': {
    given: {
      body: {
        name: string;
        hosts?: string[];
        siteHost?: string | null;
        seenHosts?: string[];
        timeZone?: string;
        excludedPaths?: string[];
        excludedAddresses?: string[];
        keptParameters?: string[];
        goals?: string[];
        funnels?: string[];
        countTwinsAs?: "page" | "file";
        personalPaths?: "mask" | "keep";
        keepDetailsMonths?: number | null;
        keepCountsMonths?: number | null;
        keepHoursDays?: number | null;
        trafficPrice?: number | null;
        embedOrigins?: string[];
        mailTo?: string[];
        webhookFormat?: "standard" | "slack";
        alerts?: ("new_client" | "silent_client" | "busy_client" | "spoofing" | "silent_way" | "finished_job")[];
        digest?: "never" | "weekly" | "monthly";
        repository?: string | null;
        ref?: string;
        forge?: "auto" | "github" | "gitlab" | "gitea" | "bitbucket" | "none";
        forgeUrl?: string | null;
        githubAppId?: string | null;
        githubInstallationId?: number | null;
        model?: string | null;
        fallbackModel?: string | null;
        modelLimits?: string[];
        branchPrefix?: string;
        commitAuthor?: string | null;
        signOff?: boolean;
        commitFormat?: string | null;
        draft?: boolean;
        labels?: string[];
        reviewers?: "off" | "owners" | "authors";
        maxOpenPullRequests?: number | null;
        closeIssues?: boolean;
        comments?: "off" | "members";
        mention?: string;
        mendChecks?: boolean;
        tellEffects?: boolean;
        docsFolder?: string;
        agentPaths?: string[];
        agentHosts?: string[];
        agentRepositories?: string[];
        turnSteps?: number | null;
        turnTokens?: number | null;
        turnMinutes?: number | null;
        turnCost?: number | null;
        monthlyBudget?: number | null;
        agentCommand?: string[] | null;
        agentUnconfined?: boolean;
      };
    };
    reply: ManagedProject;
  };
  /** Read a project and its settings */
  'GET /v1/projects/{projectId}': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: ManagedProject;
  };
  /** Change settings of a project */
  'PATCH /v1/projects/{projectId}': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      body: {
        name?: string;
        hosts?: string[];
        siteHost?: string | null;
        timeZone?: string;
        excludedPaths?: string[];
        excludedAddresses?: string[];
        keptParameters?: string[];
        goals?: string[];
        funnels?: string[];
        countTwinsAs?: "page" | "file";
        personalPaths?: "mask" | "keep";
        keepDetailsMonths?: number | null;
        keepCountsMonths?: number | null;
        keepHoursDays?: number | null;
        trafficPrice?: number | null;
        embedOrigins?: string[];
        mailTo?: string[];
        webhookFormat?: "standard" | "slack";
        alerts?: ("new_client" | "silent_client" | "busy_client" | "spoofing" | "silent_way" | "finished_job")[];
        digest?: "never" | "weekly" | "monthly";
        repository?: string | null;
        ref?: string;
        forge?: "auto" | "github" | "gitlab" | "gitea" | "bitbucket" | "none";
        forgeUrl?: string | null;
        githubAppId?: string | null;
        githubInstallationId?: number | null;
        model?: string | null;
        fallbackModel?: string | null;
        modelLimits?: string[];
        branchPrefix?: string;
        commitAuthor?: string | null;
        signOff?: boolean;
        commitFormat?: string | null;
        draft?: boolean;
        labels?: string[];
        reviewers?: "off" | "owners" | "authors";
        maxOpenPullRequests?: number | null;
        closeIssues?: boolean;
        comments?: "off" | "members";
        mention?: string;
        mendChecks?: boolean;
        tellEffects?: boolean;
        docsFolder?: string;
        agentPaths?: string[];
        agentHosts?: string[];
        agentRepositories?: string[];
        turnSteps?: number | null;
        turnTokens?: number | null;
        turnMinutes?: number | null;
        turnCost?: number | null;
        monthlyBudget?: number | null;
        agentCommand?: string[] | null;
        agentUnconfined?: boolean;
        secrets?: {
          forgeToken?: string | null;
          githubAppKey?: string | null;
          repositoryTokens?: string | null;
          forgeWebhookSecret?: string | null;
          signingKey?: string | null;
          webhookUrl?: string | null;
          webhookSecret?: string | null;
        };
      };
    };
    reply: ManagedProject;
  };
  /** Read what of a project is not counted */
  'GET /v1/projects/{projectId}/exclusions': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Exclusions;
  };
  /** Change what a project does not count */
  'PATCH /v1/projects/{projectId}/exclusions': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      body: {
        /** Globs of paths that are not counted. */
        paths?: string[];
        /** Addresses and ranges that are not counted. */
        addresses?: string[];
        /** Only these hosts are counted; empty: any host. */
        hosts?: string[];
      };
    };
    reply: Exclusions;
  };
  /** List the keys of a project */
  'GET /v1/projects/{projectId}/keys': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Keys;
  };
  /** Make a key for a project */
  'POST /v1/projects/{projectId}/keys': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      body: {
        name: string;
        /** `ingest` sends hits, `read` reads reports and jobs, `jobs` also starts jobs and sends them messages, `admin` does everything. */
        scope: "admin" | "jobs" | "read" | "ingest";
        /** From then on it is refused; null: never. Left out: as the key that makes it, else never. */
        expiresAt?: string | null;
        /** Addresses and ranges that it may be used from, such as `192.0.2.0/24`; none: from anywhere. Left out: as the key that makes it, else from anywhere. */
        networks?: string[];
      };
    };
    reply: NewKey;
  };
  /** Revoke a key, and the keys that it made */
  'DELETE /v1/projects/{projectId}/keys/{keyId}': {
    given: {
      path: Pick<Parameters, 'projectId'> & {
        /** Id of the key. */
        keyId: string;
      };
    };
    reply: undefined;
  };
  /** List all users and what they may do */
  'GET /v1/users': {
    given: Record<string, never>;
    reply: Users;
  };
  /** Add a user */
  'POST /v1/users': {
    given: {
      body: {
        name: string;
        roles: {
          /** Null: all projects, later ones included. */
          projectId: string | null;
          role: "viewer" | "editor" | "owner";
        }[];
      };
    };
    reply: LinkedUser;
  };
  /** Give a user other roles */
  'PATCH /v1/users/{userId}': {
    given: {
      path: Pick<Parameters, 'userId'>;
      body: {
        roles: {
          /** Null: all projects, later ones included. */
          projectId: string | null;
          role: "viewer" | "editor" | "owner";
        }[];
      };
    };
    reply: User;
  };
  /** Remove a user, who is signed out at once */
  'DELETE /v1/users/{userId}': {
    given: {
      path: Pick<Parameters, 'userId'>;
    };
    reply: undefined;
  };
  /** Turn off the second factor of a user who has lost it */
  'DELETE /v1/users/{userId}/second-factor': {
    given: {
      path: Pick<Parameters, 'userId'>;
    };
    reply: undefined;
  };
  /** Make a link that sets the password of a user anew */
  'POST /v1/users/{userId}/link': {
    given: {
      path: Pick<Parameters, 'userId'>;
    };
    reply: LinkedUser;
  };
  /** Who changed projects, keys, secrets, users and settings, and started jobs, in the last two years */
  'GET /v1/audit': {
    given: {
      query?: Pick<Parameters, 'limit' | 'offset'>;
    };
    reply: Audit;
  };
  /** Who changed what of a project */
  'GET /v1/projects/{projectId}/audit': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'limit' | 'offset'>;
    };
    reply: Audit;
  };
  /** What was sent by mail and webhook in the last 30 days, the newest first, and what was not */
  'GET /v1/projects/{projectId}/deliveries': {
    given: {
      path: Pick<Parameters, 'projectId'>;
      query?: Pick<Parameters, 'limit' | 'offset'>;
    };
    reply: Deliveries;
  };
  /** Send a line to all receivers of the project, to try them */
  'POST /v1/projects/{projectId}/deliveries': {
    given: {
      path: Pick<Parameters, 'projectId'>;
    };
    reply: Trial;
  };
  /** Tell what a shared page is of */
  'GET /v1/share/{token}': {
    given: {
      path: Pick<Parameters, 'token'>;
    };
    reply: SharedProject;
  };
  /** Visitors by path */
  'GET /v1/share/{token}/visitors': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client' | 'source' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      visitors: {
        path: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
    };
  };
  /** Page views by path */
  'GET /v1/share/{token}/views': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client' | 'source' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      views: {
        path: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
    };
  };
  /** Visitors by source */
  'GET /v1/share/{token}/sources': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'source'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      sources: {
        source: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by country */
  'GET /v1/share/{token}/countries': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'country'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      countries: {
        country: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by region */
  'GET /v1/share/{token}/regions': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'region'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      regions: {
        region: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by city */
  'GET /v1/share/{token}/cities': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'city'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      cities: {
        city: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by language */
  'GET /v1/share/{token}/languages': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'language'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      languages: {
        language: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by device */
  'GET /v1/share/{token}/devices': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'device'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      devices: {
        device: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by browser */
  'GET /v1/share/{token}/browsers': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'browser'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      browsers: {
        browser: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by system */
  'GET /v1/share/{token}/systems': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'system'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      systems: {
        system: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by screen */
  'GET /v1/share/{token}/screens': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'screen'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      screens: {
        screen: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmCampaign */
  'GET /v1/share/{token}/utm-campaigns': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmCampaign'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmCampaigns: {
        utmCampaign: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmSource */
  'GET /v1/share/{token}/utm-sources': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmSource'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmSources: {
        utmSource: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by utmMedium */
  'GET /v1/share/{token}/utm-mediums': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'utmMedium'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      utmMediums: {
        utmMedium: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** Visitors by ref */
  'GET /v1/share/{token}/refs': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'ref'>;
    };
    reply: {
      /** Of the whole range, whatever the page and the search. */
      totals: Count;
      refs: {
        ref: string;
        human: number;
        ai: number;
        /** Those of either kind, once. */
        total: number;
      }[];
      /** Whether there are rows after these. */
      hasMore: boolean;
      measured: Measured;
    };
  };
  /** AI clients, and how much each of them read */
  'GET /v1/share/{token}/ai-clients': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'client'>;
    };
    reply: AiClients;
  };
  /** What one AI client read */
  'GET /v1/share/{token}/ai-clients/{client}/paths': {
    given: {
      path: Pick<Parameters, 'token'> & {
        /** Name of the AI client, such as `GPTBot`. */
        client: string;
      };
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: AiClientPaths;
  };
  /** Pages to which AI assistants sent people */
  'GET /v1/share/{token}/assistant-landings': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path' | 'source'>;
    };
    reply: AssistantLandings;
  };
  /** Pages on which visits began */
  'GET /v1/share/{token}/entry-pages': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: VisitPages;
  };
  /** Pages on which visits ended */
  'GET /v1/share/{token}/exit-pages': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: VisitPages;
  };
  /** How long people see pages: views that were seen for 10, 30, 60, 180 and 600 seconds at least */
  'GET /v1/share/{token}/time-on-page': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'limit' | 'offset' | 'search' | 'sort' | 'path'>;
    };
    reply: TimeOnPage;
  };
  /** Every day of the range */
  'GET /v1/share/{token}/series': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo' | 'path' | 'client' | 'source' | 'country' | 'region' | 'city' | 'language' | 'device' | 'browser' | 'system' | 'screen' | 'utmCampaign' | 'utmSource' | 'utmMedium' | 'ref'>;
    };
    reply: Series;
  };
  /** Every hour of yesterday and today, and of days that keep their hours */
  'GET /v1/share/{token}/hours': {
    given: {
      path: Pick<Parameters, 'token'>;
      query?: Pick<Parameters, 'dateFrom' | 'dateTo'>;
    };
    reply: Hours;
  };
  /** Visitors of the last five minutes */
  'GET /v1/share/{token}/now': {
    given: {
      path: Pick<Parameters, 'token'>;
    };
    reply: Now;
  };
  /** What each report can be limited to */
  'GET /v1/share/{token}/filters': {
    given: {
      path: Pick<Parameters, 'token'>;
    };
    reply: Filters;
  };
}

export interface Batch {
  accepted: number;
  dropped: {
    /** Its place in the batch, from 0. */
    index: number;
    reason: DropReason;
    /** What is wrong with a hit that is `invalid`. */
    error?: string;
  }[];
}

export type DropReason = "unknown_project" | "invalid" | "not_a_person" | "foreign_host" | "excluded_path" | "excluded_address" | "no_page" | "bot" | "spoofed" | "too_old" | "left_to_script" | "same_view" | "rate_limited";

export interface Count {
  human: number;
  ai: number;
  /** Those of either kind, once. */
  total: number;
}

export interface Measured {
  /** Whether people could be counted; null: nothing tells. */
  people: boolean | null;
  /** The same of AI clients that run no scripts. `false`: a zero means that nobody measured. */
  ai: boolean | null;
  /** How hits came in; `history`: days that another tool counted, of people alone. */
  ways: ("script" | "image" | "report" | "log" | "history")[];
}

export interface AiClients {
  clients: {
    client: string;
    operator: string | null;
    purpose: string | null;
    /** How sure it is: `verified`, `claimed` or `inferred`; null with `path`, where it is not kept. */
    proof: string | null;
    /** Why nothing proved a claim: it is in no list of AI clients, so that nothing is known to check it by; its operator publishes nothing to check by; publishes a list of addresses, which this server has not loaded, or which the address was not in; its host name was not confirmed; it did not sign; or it runs where its user is. */
    check: ClaimCheck | null;
    visitors: number;
    views: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export type ClaimCheck = "not_listed" | "nothing_published" | "list_not_loaded" | "not_in_list" | "name_not_confirmed" | "not_signed" | "user_machine";

export interface AiClientPaths {
  paths: {
    path: string;
    visitors: number;
    views: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface AssistantLandings {
  landings: {
    assistant: string;
    path: string;
    visitors: number;
    views: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface VisitPages {
  /** All visits of the whole range, whatever the page and the search. */
  totals: {
    human: number;
    ai: number;
    /** Those of either kind, once. */
    total: number;
    /** Visits in which people saw only one page. */
    singlePageHuman: number;
    singlePageAi: number;
    singlePageTotal: number;
  };
  /** Days of the range that have views but are missing from these sums, because it was not measured where visits began and ended, or because the details of the day are deleted; null: no such days. */
  unmeasured: {
    days: number;
    first: string;
    last: string;
  } | null;
  pages: {
    path: string;
    human: number;
    ai: number;
    /** Those of either kind, once. */
    total: number;
    /** Visits in which people saw only one page. */
    singlePageHuman: number;
    singlePageAi: number;
    singlePageTotal: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface TimeOnPage {
  pages: {
    path: string;
    /** Views by people during which the page was in sight for 10 seconds at least. */
    seen10: number;
    seen30: number;
    seen60: number;
    seen180: number;
    seen600: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface PageEvents {
  /** Visitors of the site in the whole range, whatever the page and the search. */
  totals: Count;
  /** `human`, `ai` and `total` are visitors by whom the event happened, each once a day. */
  events: {
    event: string;
    human: number;
    ai: number;
    /** Those of either kind, once. */
    total: number;
    /** How often people did it. */
    humanEvents: number;
    aiEvents: number;
    events: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface EventProperties {
  /** Visitors by whom the event happened, whatever the page and the search. */
  totals: Count;
  properties: {
    property: string;
    value: string;
    human: number;
    ai: number;
    /** Those of either kind, once. */
    total: number;
    /** How often people did it. */
    humanEvents: number;
    aiEvents: number;
    events: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface Goals {
  /** Views and events of people in the range whose page or name counts as `(other)`, so that they reach no goal. */
  cappedViews: number;
  /** Those that are set, in the order in which they are. */
  goals: {
    goal: string;
    /** People of the days on which the goal was measured, each once a day; null: on no day. */
    people: number | null;
    /** Those of them who reached it, each once a day. */
    conversions: number | null;
    /** Days of the range with people on which it was measured, from beginning to end. */
    measuredDays: number;
    /** Those on which it was not, as it was not set or their details are deleted. No number includes them. */
    unmeasuredDays: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface GoalByPath {
  /** Whatever the page and the search. People without a view on the day are counted here, but in none of the rows. */
  totals: {
    /** People of the days on which the goal was measured, each once a day; null: on no day. */
    people: number | null;
    /** Those of them who reached it, each once a day. */
    conversions: number | null;
    /** Days of the range with people on which it was measured, from beginning to end. */
    measuredDays: number;
    /** Those on which it was not, as it was not set or their details are deleted. No number includes them. */
    unmeasuredDays: number;
  };
  /** `people` are those whose visits began so on the same days; rows without conversions are left out. */
  pages: {
    path: string;
    people: number;
    conversions: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface GoalBySource {
  /** Whatever the page and the search. People without a view on the day are counted here, but in none of the rows. */
  totals: {
    /** People of the days on which the goal was measured, each once a day; null: on no day. */
    people: number | null;
    /** Those of them who reached it, each once a day. */
    conversions: number | null;
    /** Days of the range with people on which it was measured, from beginning to end. */
    measuredDays: number;
    /** Those on which it was not, as it was not set or their details are deleted. No number includes them. */
    unmeasuredDays: number;
  };
  /** `people` are those whose visits began so on the same days; rows without conversions are left out. */
  sources: {
    source: string;
    people: number;
    conversions: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface GoalByCountry {
  /** Whatever the page and the search. People without a view on the day are counted here, but in none of the rows. */
  totals: {
    /** People of the days on which the goal was measured, each once a day; null: on no day. */
    people: number | null;
    /** Those of them who reached it, each once a day. */
    conversions: number | null;
    /** Days of the range with people on which it was measured, from beginning to end. */
    measuredDays: number;
    /** Those on which it was not, as it was not set or their details are deleted. No number includes them. */
    unmeasuredDays: number;
  };
  /** `people` are those whose visits began so on the same days; rows without conversions are left out. */
  countries: {
    country: string;
    people: number;
    conversions: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Funnels {
  /** A row for each step of each funnel that is set, in the order in which they are. */
  funnels: {
    funnel: string;
    step: number;
    /** The event or path that the step is. */
    goal: string;
    /** People who made the first step. */
    began: number | null;
    /** People of the days on which the goal was measured, each once a day; null: on no day. */
    people: number | null;
    /** People who made this step and all before it on one day, each once a day. */
    conversions: number | null;
    /** Days of the range with people on which it was measured, from beginning to end. */
    measuredDays: number;
    /** Those on which it was not, as it was not set or their details are deleted. No number includes them. */
    unmeasuredDays: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Dropped {
  dropped: {
    /** As it was stored: days that an older version counted may have others that it gave. */
    reason: "foreign_host" | "excluded_path" | "excluded_address" | "no_page" | "bot" | "spoofed" | "too_old" | "left_to_script" | "same_view" | "rate_limited";
    family: string | null;
    hits: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface NameCaps {
  nameCaps: {
    names: string;
    cap: string;
    kind: string | null;
    client: string | null;
    views: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Series {
  /** Sums of the days. */
  totals: {
    visitors: Count;
    views: Count;
  };
  /** Every day of the range, oldest first, those without a view too; without a range from the first counted day to today. */
  days: {
    date: string;
    visitors: Count;
    views: Count;
    /** What could be counted on this day: a way in may have joined later, or ended. */
    measured: {
      /** Whether people could be counted; null: nothing tells. */
      people: boolean | null;
      /** The same of AI clients that run no scripts. `false`: a zero means that nobody measured. */
      ai: boolean | null;
    };
  }[];
  measured: Measured;
  /** Runs of days on which hits came in, by way. */
  coverage: {
    way: "script" | "image" | "report" | "log" | "history";
    /** The first day of the run. */
    from: string;
    /** The last one. */
    to: string;
    /** Of history: the tool that counted these days. */
    tool?: string;
  }[];
  /** Without `dateFrom`: the counted days before the 10,000 that are listed, which the totals leave out. Missing: there are none. */
  omitted?: {
    /** The first counted day. */
    first: string;
    /** The day before the first of `days`. */
    last: string;
  };
}

export interface Hours {
  /** Which hour it is in the project's time zone; it has not ended. */
  now: {
    date: string;
    hour: number;
  };
  /** Days of the range that have hours, oldest first: today up to now, yesterday, and those before it that the project keeps hours of (`keepHoursDays`). A day is left out where its hours are not there for all of its views. Without a range there are two, on days on which clocks are turned three or one. A visitor counts in the hour of its first view of the day, so that hours add up. */
  days: {
    date: string;
    hours: {
      hour: number;
      visitors: Count;
      views: Count;
    }[];
    /** What could be counted on this day: a way in may have joined later, or ended. */
    measured: {
      /** Whether people could be counted; null: nothing tells. */
      people: boolean | null;
      /** The same of AI clients that run no scripts. `false`: a zero means that nobody measured. */
      ai: boolean | null;
    };
  }[];
}

export interface Now {
  visitors: Count;
  measured: Measured;
}

export interface Filters {
  reports: {
    report: string;
    /** Parameters that can be given, alone or together. */
    filters: string[][];
  }[];
}

export interface Glance {
  projects: {
    id: string;
    name: string;
    /** In which its days begin and end. */
    timeZone: string;
    /** Of the whole range. */
    totals: {
      visitors: Count;
      views: Count;
    };
    /** Of the range. */
    firstDay: string;
    /** Visitors of every day of the range, the oldest first; null in place of a zero on a day on which hits came in and nobody measured these. */
    daily: {
      human: (number | null)[];
      ai: (number | null)[];
      total: number[];
    };
    measured: Measured;
  }[];
  /** Whether there are projects after these. */
  hasMore: boolean;
}

export interface Freshness {
  /** The site as `siteHost` of the project names it; null: nothing is fetched. */
  site: {
    host: string;
    /** What became of its robots.txt; null: not fetched yet. */
    robots: "found" | "missing" | "unreachable" | null;
    /** How many its sitemaps list; null: none was read yet. */
    pages: number | null;
    /** When it was last looked at. */
    fetchedAt: string | null;
    /** What could not be read then. */
    trouble: string | null;
  } | null;
  pages: {
    path: string;
    /** When the page was last changed, as the sitemap says. */
    lastmod: string | null;
    /** The AI client; null: any. */
    client: string | null;
    /** Null: it never read the page. */
    firstRead: string | null;
    lastRead: string | null;
    /** The first read on or after `lastmod`. */
    readSince: string | null;
    /** From `lastmod` to `readSince`. */
    daysUntilRead: number | null;
    /** From `lastRead` to today. */
    daysSinceRead: number | null;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface AiRules {
  target: string;
  /** What to paste. */
  text: string;
  /** Where it belongs, in a sentence. */
  place: string;
  /** What these rules cannot do, a sentence each. */
  notes: string[];
  clients: {
    client: string;
    operator: string;
    purpose: string;
    action: "allow" | "slow" | "refuse" | "pay";
    /** Whether rules of this kind can name it. */
    isReachable: boolean;
  }[];
}

export interface Operators {
  operators: {
    /** The first day of the week, or the day; null: the whole range. */
    date: string | null;
    operator: string;
    /** Views by its AI clients. */
    aiViews: number;
    /** People who came from its assistants, each once a day. */
    visits: number;
    /** AI views for each visit, of the days on which both were measured; null: none of them had a visit. */
    ratio: number | null;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface SilentClients {
  /** The last whole day with a view by any AI client; null: none lately. */
  lastAiView: string | null;
  silentClients: {
    client: string;
    operator: string | null;
    purpose: string | null;
    lastSeen: string;
    /** Whole days since then. */
    silentDays: number;
    /** Views on a day of the 28 before, on average. */
    usualViews: number;
    /** Days in a row without a view, at most, in those 28. */
    longestGap: number;
    /** Of such a silence if nothing had changed, at most. */
    probability: number;
    /** False: no AI client was seen since; what reports views may have stopped. */
    isAlone: boolean;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface Changes {
  /** Of the rules that tell people, AI clients and bots apart now. */
  rulesVersion: number;
  changes: {
    date: string;
    kind: "release" | "note" | "merge" | "rules";
    /** Of the mark, to ask for its effect; null for a change of the rules. */
    id: string | null;
    text: string;
    url: string | null;
    /** Of the rules before; null for other changes. */
    fromVersion: number | null;
    toVersion: number | null;
    /** Of a change of the rules: views since, in the range, by AI clients that it added. */
    addedViews: number | null;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Effect {
  date: string;
  text: string;
  /** Of each side: up to 28, in whole weeks. */
  days: number;
  before: {
    from: string;
    /** The day after the last one. */
    to: string;
  } | null;
  after: {
    from: string;
    /** The day after the last one. */
    to: string;
  } | null;
  /** Pages that the change touched, as far as can be told; 100 at most. */
  touched: string[];
  touchedPages: number;
  untouchedPages: number;
  /** The outcome in a sentence. */
  says: string;
  measures: {
    /** `people`, `ai`, or the purpose of AI clients. */
    of: string;
    /** `none`: no measurable effect. `moved_before`: the touched pages went another way than the others in the weeks before, too. `too_little`: too few views to tell. `not_measured`: on most days of one side nothing came in by a way that sees them. */
    verdict: "more" | "less" | "none" | "moved_before" | "too_little" | "not_measured";
    /** Of the touched pages against the others: 0.3 stands for 30 % more. */
    change: number | null;
    /** The interval: at least so much. */
    low: number | null;
    high: number | null;
    /** Views. */
    touchedBefore: number;
    touchedAfter: number;
    untouchedBefore: number;
    untouchedAfter: number;
  }[];
}

export interface Gaps {
  gaps: {
    path: string;
    kind: "failing" | "ignored" | "ai_heavy";
    /** Views by people. */
    people: number;
    /** Views by AI clients. */
    ai: number;
    /** Requests of AI clients that were refused or failed. */
    failures: number;
    evidence: string;
    /** For a new job. */
    prompt: string;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  measured: Measured;
}

export interface Marks {
  marks: {
    id: string;
    date: string;
    kind: "release" | "note" | "merge";
    text: string;
    /** Of a release: paths of the site. Of a merged pull request: files of the repository. */
    touched: string[];
    /** Of the pull request. */
    url: string | null;
    createdAt: string;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Mark {
  id: string;
  date: string;
  kind: "release" | "note" | "merge";
  text: string;
  /** Of a release: paths of the site. Of a merged pull request: files of the repository. */
  touched: string[];
  /** Of the pull request. */
  url: string | null;
  createdAt: string;
}

export interface SearchEngines {
  searchEngines: {
    /** Null: the whole range. */
    date: string | null;
    tool: "search-console" | "bing" | "bing-ai";
    /** The first day with numbers. */
    from: string;
    /** The last day with numbers. */
    to: string;
    /** How many days have numbers. */
    days: number;
    /** Null: the tool does not tell it. */
    clicks: number | null;
    /** Null: the tool does not tell it. */
    impressions: number | null;
    /** On average, weighted by impressions; null: the tool does not tell it, or nothing was shown. */
    position: number | null;
    /** How often answers of AI named pages as sources; null: the tool does not tell it. */
    citations: number | null;
    /** Pages that were cited on the day; null for a whole range. */
    citedPages: number | null;
    /** By this project's own counts: people who came from there on the days with numbers, each once a day. Never added to clicks. */
    people: number;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface SearchNames {
  of: "query" | "page" | "country" | "device";
  /** Which days the rows are of, by tool. */
  periods: {
    tool: "search-console" | "bing" | "bing-ai";
    from: string;
    /** The last day, inclusive. */
    to: string;
    /** True: the tool told each day, and the rows are sums of those asked for. False: it told this range as a whole, which may have days that were not asked for. */
    isByDay: boolean;
  }[];
  names: {
    tool: "search-console" | "bing" | "bing-ai";
    name: string;
    from: string;
    to: string;
    /** Null: the tool does not tell it. */
    clicks: number | null;
    /** Null: the tool does not tell it. */
    impressions: number | null;
    /** On average, weighted by impressions; null: the tool does not tell it, or nothing was shown. */
    position: number | null;
    /** How often answers of AI named pages as sources; null: the tool does not tell it. */
    citations: number | null;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Job {
  id: string;
  status: "active" | "completed" | "archived" | "failed";
  source: {
    repository: string;
    /** The branch that pull requests go to; empty until the repository could be asked for it. */
    ref: string;
  };
  /** The model that answered last, or the agent of your own; before that, the one that is to work. */
  model: string;
  /** The newest pull request; null while the job is active. */
  prLink: string | null;
  createdAt: string;
  archivedAt: string | null;
  /** The job's own branch, once it was pushed. */
  branch: string | null;
  /** Why the newest turn failed. */
  failure: {
    code: string;
    message: string;
  } | null;
  /** Why the newest turn changed nothing, in the words of the agent; null where it did, or failed. */
  noChange: string | null;
  /** What all turns took so far; null before the first step, and with an agent of your own. */
  usage: {
    steps: number;
    inputTokens: number;
    outputTokens: number;
    /** Among those of the input. */
    cachedTokens: number;
    /** In dollars; null where the price of the model is not known. */
    cost: number | null;
  } | null;
  /** The automation that started it; null where a person or a program asked for it. */
  startedBy: {
    automation: string;
    /** As the automation was called then. */
    name: string;
    kind: "schedule" | "trigger";
  } | null;
  /** The merged pull request that it takes back; null where it was asked for something else. */
  reverts: string | null;
  /** Whether its newest pull request was merged, as far as that was noticed. */
  merged: boolean;
}

export interface Jobs {
  jobs: Job[];
  hasMore: boolean;
}

export interface Events {
  events: Event[];
  hasMore: boolean;
}

export interface Event {
  number: number;
  turn: number;
  at: string;
  /** Such as `message`, `text`, `tool`, `phase`, `completed` or `failed`. */
  type: string;
  data: Record<string, unknown>;
}

export interface Recipes {
  recipes: {
    name: string;
    title: string;
    prompt: string;
  }[];
}

export interface Automations {
  automations: Automation[];
}

export interface Automation {
  name: string;
  when: {
    kind: "weekly";
    weekdays: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
    /** In the project's time zone. */
    hour: number;
  } | {
    kind: "monthly";
    /** Of the month; where that is shorter, its last day. */
    day: number;
    /** In the project's time zone. */
    hour: number;
  } | {
    kind: "missing_page";
    /** By AI clients, for one path within 14 days. */
    requests: number;
  } | {
    kind: "unread_page";
    /** Without a view by any AI client. */
    days: number;
  } | {
    kind: "release";
    /** Whose tags are watched; it is read without a token. */
    repository: string;
  };
  /** What the agent shall do, where it is one of the recipes. */
  recipe: "missing-pages" | "examples-for-ai" | "texts-for-ai" | "broken-links" | "changelog" | "still-true" | null;
  /** What it shall do, or what more than the recipe says. */
  prompt: string | null;
  /** How many jobs it may start in any 7 days. */
  jobsPerWeek: number;
  /** Whether it starts jobs. */
  enabled: boolean;
  id: string;
  createdAt: string;
  /** Null while it is off, and of what waits for something to happen. */
  nextAt: string | null;
  lastRun: Run | null;
}

export interface Run {
  at: string;
  /** The date that it was due on; of a trigger the path or the release; null: not noted. */
  about: string | null;
  /** The job that it started; null: it started none. */
  jobId: string | null;
  /** Why it started none. */
  reason: string | null;
}

export interface Runs {
  runs: Run[];
  hasMore: boolean;
}

export interface ManagedProjects {
  projects: ManagedProject[];
}

export interface ManagedProject {
  name: string;
  hosts: string[];
  siteHost: string | null;
  seenHosts: string[];
  timeZone: string;
  excludedPaths: string[];
  excludedAddresses: string[];
  keptParameters: string[];
  goals: string[];
  funnels: string[];
  countTwinsAs: "page" | "file";
  personalPaths: "mask" | "keep";
  keepDetailsMonths: number | null;
  keepCountsMonths: number | null;
  keepHoursDays: number | null;
  trafficPrice: number | null;
  embedOrigins: string[];
  mailTo: string[];
  webhookFormat: "standard" | "slack";
  alerts: ("new_client" | "silent_client" | "busy_client" | "spoofing" | "silent_way" | "finished_job")[];
  digest: "never" | "weekly" | "monthly";
  repository: string | null;
  ref: string;
  forge: "auto" | "github" | "gitlab" | "gitea" | "bitbucket" | "none";
  forgeUrl: string | null;
  githubAppId: string | null;
  githubInstallationId: number | null;
  model: string | null;
  fallbackModel: string | null;
  modelLimits: string[];
  branchPrefix: string;
  commitAuthor: string | null;
  signOff: boolean;
  commitFormat: string | null;
  draft: boolean;
  labels: string[];
  reviewers: "off" | "owners" | "authors";
  maxOpenPullRequests: number | null;
  closeIssues: boolean;
  comments: "off" | "members";
  mention: string;
  mendChecks: boolean;
  tellEffects: boolean;
  docsFolder: string;
  agentPaths: string[];
  agentHosts: string[];
  agentRepositories: string[];
  turnSteps: number | null;
  turnTokens: number | null;
  turnMinutes: number | null;
  turnCost: number | null;
  monthlyBudget: number | null;
  id: string;
  createdAt: string;
  secrets: {
    forgeToken: boolean;
    githubAppKey: boolean;
    repositoryTokens: boolean;
    forgeWebhookSecret: boolean;
    signingKey: boolean;
    webhookUrl: boolean;
    webhookSecret: boolean;
  };
}

export interface Exclusions {
  paths: string[];
  addresses: string[];
  hosts: string[];
}

export interface Keys {
  keys: Key[];
}

export interface Key {
  id: string;
  name: string;
  /** `ingest` sends hits, `read` reads reports and jobs, `jobs` also starts jobs and sends them messages, `admin` does everything. */
  scope: "admin" | "jobs" | "read" | "ingest";
  allProjects: boolean;
  createdAt: string;
  /** From then on it is refused; null: it has no end. */
  expiresAt: string | null;
  /** Addresses and ranges that it may be used from; none: from anywhere. */
  networks: string[];
  /** A key ends with the key that made it. Null: made before that was recorded. */
  madeBy: {
    /** `command`: on the command line of the server; `automation`: a schedule or a trigger; `server`: the server itself. */
    kind: "administrator" | "user" | "key" | "command" | "automation" | "server";
    /** Of the user or the key. */
    id: string | null;
    /** Of the user or the key, as it was then. */
    name: string | null;
  } | null;
  /** In UTC; null: never. */
  lastUsedOn: string | null;
}

export interface NewKey {
  id: string;
  name: string;
  /** `ingest` sends hits, `read` reads reports and jobs, `jobs` also starts jobs and sends them messages, `admin` does everything. */
  scope: "admin" | "jobs" | "read" | "ingest";
  allProjects: boolean;
  createdAt: string;
  /** From then on it is refused; null: it has no end. */
  expiresAt: string | null;
  /** Addresses and ranges that it may be used from; none: from anywhere. */
  networks: string[];
  /** A key ends with the key that made it. Null: made before that was recorded. */
  madeBy: {
    /** `command`: on the command line of the server; `automation`: a schedule or a trigger; `server`: the server itself. */
    kind: "administrator" | "user" | "key" | "command" | "automation" | "server";
    /** Of the user or the key. */
    id: string | null;
    /** Of the user or the key, as it was then. */
    name: string | null;
  } | null;
  /** In UTC; null: never. */
  lastUsedOn: string | null;
  /** Shown this once. */
  secret: string;
}

export interface Users {
  users: User[];
}

export interface User {
  id: string;
  name: string;
  roles: {
    /** Null: all projects, later ones included. */
    projectId: string | null;
    role: "viewer" | "editor" | "owner";
  }[];
  /** Whether a password was set, by the link. */
  hasPassword: boolean;
  /** Whether signing in takes a code, too. */
  hasSecondFactor: boolean;
  /** Whether they have connected an account at a provider, to sign in by it. */
  hasSignOn: boolean;
  /** Of a link that nobody has used; null: there is none. */
  linkExpiresAt: string | null;
  createdAt: string;
}

export interface LinkedUser {
  id: string;
  name: string;
  roles: {
    /** Null: all projects, later ones included. */
    projectId: string | null;
    role: "viewer" | "editor" | "owner";
  }[];
  /** Whether a password was set, by the link. */
  hasPassword: boolean;
  /** Whether signing in takes a code, too. */
  hasSecondFactor: boolean;
  /** Whether they have connected an account at a provider, to sign in by it. */
  hasSignOn: boolean;
  /** Of a link that nobody has used; null: there is none. */
  linkExpiresAt: string | null;
  createdAt: string;
  /** Sets the password: works once, and expires in 7 days. It will not be shown again. */
  link: string;
}

export interface Audit {
  /** The newest first. */
  entries: {
    at: string;
    actor: {
      /** `command`: on the command line of the server; `automation`: a schedule or a trigger; `server`: the server itself. */
      kind: "administrator" | "user" | "key" | "command" | "automation" | "server";
      /** Of the user or the key. */
      id: string | null;
      /** Of the user or the key, as it was then. */
      name: string | null;
    };
    action: "project.added" | "project.changed" | "project.removed" | "secrets.changed" | "key.added" | "key.revoked" | "link.added" | "link.revoked" | "user.added" | "user.changed" | "user.removed" | "user.linked" | "password.changed" | "factor.added" | "factor.changed" | "factor.removed" | "factor.reset" | "sign_on.connected" | "sign_on.disconnected" | "job.started" | "job.continued" | "job.archived" | "automation.added" | "automation.changed" | "automation.removed" | "mark.added" | "mark.removed" | "paths.folded" | "paths.forgotten" | "days.forgotten" | "logs.added" | "logs.removed" | "history.added" | "history.removed" | "search_numbers.added" | "search_numbers.removed" | "catalogue.loaded";
    /** Null: it was about no single project. */
    projectId: string | null;
    /** Name of the project, key or user, text of the note, id of the job or link, or version of the catalogue. */
    subject: string;
    /** What of it: `timeZone: UTC → Europe/Berlin`, names alone of lists and secrets, roles. */
    changes: string[];
  }[];
  /** Whether there are entries after these. */
  hasMore: boolean;
}

export interface Deliveries {
  deliveries: {
    /** What receivers know it by: `webhook-id`, and part of the `Message-ID`. */
    id: string;
    /** `digest.weekly`, `digest.monthly`, `alert.` and the kind of alert, `effect` of a merged pull request, or `trial`. */
    kind: string;
    title: string;
    channel: "mail" | "webhook" | "pull_request";
    /** The address of a mail, or of the pull request that is commented on; null for a webhook. */
    receiver: string | null;
    state: "waiting" | "sent" | "failed";
    /** Why it was not sent when that was last tried. */
    trouble: string | null;
    attempts: number;
    createdAt: string;
    sentAt: string | null;
    /** When it is tried next; null: never again. */
    dueAt: string | null;
  }[];
  /** Whether there are rows after these. */
  hasMore: boolean;
}

export interface Trial {
  /** To so many it is sent. */
  receivers: number;
}

export interface SharedProject {
  name: string;
  timeZone: string;
}

export interface Error {
  /** A sentence that says what to do. */
  error: string;
  /** Where there is a field to name, or more than one thing to say. */
  details?: {
    message: string;
    /** The parameter or field, such as `limit` or `hits.0.url`. */
    path: string;
  }[];
}
