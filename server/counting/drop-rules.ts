import type { TalliedReason } from '../../shared/hit.ts';
import { fetchedAhead, notShown, pageType } from '../../shared/project/page-rules.ts';
import { hasHeader, isRead, isSurface, isTwin } from './hit/site-response.ts';
import { isPageByName, isProbe } from './page/page.ts';

/** What the owner of a site has settled about its hits. */
export interface SiteRules {
  acceptsHost(host: string): boolean;
  excludesPath(path: string): boolean;
  excludesAddress(address: string): boolean;
  /** Hosts that it names, and those of views before. */
  readonly settings: { readonly hosts: readonly string[]; readonly seenHosts: readonly string[] };
}

type Kind = 'human' | 'ai' | 'bot';

interface Choice {
  /** A browser showed it, or a site's server reported it, as a page; a line of a log may be of anything. */
  readonly isChosen?: boolean;
}

/** The parts of a hit that rules ask about. An answer depends on its part and the site, and on nothing else. */
interface HitParts {
  /** The host is null where nobody tells it. */
  page: {
    readonly host: string | null;
    readonly path: string;
    /** Host of the server, where it was asked as if it were a proxy, for a page of any site. */
    readonly proxyHost?: string | undefined;
  };
  /** IP address. */
  address: string;
  /** `spoofed` is the AI client that a bot pretends to be. */
  sender: { readonly kind: Kind; readonly family?: string; readonly spoofed?: string };
  people: { readonly kind: Kind; readonly leavesPeople: boolean };
  /** Undefined or empty: not told. */
  request: Choice & {
    readonly method?: string | undefined;
    readonly status: number | undefined;
    readonly contentType?: string;
    readonly headers: Readonly<Record<string, string>> | undefined;
    /** A browser prepares the page for a visit that may never come. */
    readonly isAhead?: boolean | undefined;
  };
  file: Choice & {
    /** Path in its normal form, without a query, and before a twin is taken for its page. */
    readonly file: string;
    readonly status?: number | undefined;
    /** By what it was answered with. */
    readonly hasPageType?: boolean;
  };
}

type Part = keyof HitParts;

interface Rule<Asked> {
  readonly reason: TalliedReason;
  /** The finer reason that an import gives: of such lines a log is full, and no tally has them. */
  readonly inLogs?: string;
  drops(asked: Asked, site: SiteRules): boolean;
  /** What the tally names beside the reason. */
  family?(asked: Asked): string | undefined;
}

/** Where the project names no hosts, these are the site's: the server's, and those of views before. */
function isOwn(host: string, proxyHost: string, { settings: { hosts, seenHosts } }: SiteRules): boolean {
  return hosts.length > 0 || seenHosts.includes(host) || host === proxyHost;
}

/** The methods that ask for what there is, and change nothing. */
export function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

type RuleOn<P extends Part> = Rule<HitParts[P]> &
  (P extends 'request' ? { readonly inLogs: string } : unknown);

/**
 * What is not counted. In this order: what the owner excluded is not judged further, and a bot or somebody in disguise is
 * told as such, also where it asked for no page. Of a log's lines most are for no page: an import asks the rules that have
 * a reason in logs before all others, so that it need not find out who sent them.
 */
const rules = {
  page: [
    {
      reason: 'foreign_host',
      drops: ({ host, proxyHost }, site) =>
        host !== null &&
        (!site.acceptsHost(host) || (proxyHost !== undefined && !isOwn(host, proxyHost, site))),
    },
    { reason: 'excluded_path', drops: ({ path }, site) => site.excludesPath(path) },
  ],
  address: [{ reason: 'excluded_address', drops: (address, site) => site.excludesAddress(address) }],
  sender: [
    {
      reason: 'spoofed',
      drops: ({ spoofed }) => spoofed !== undefined,
      family: ({ spoofed }) => spoofed,
    },
    { reason: 'bot', drops: ({ kind }) => kind === 'bot', family: ({ family }) => family },
  ],
  people: [{ reason: 'left_to_script', drops: ({ kind, leavesPeople }) => leavesPeople && kind === 'human' }],
  request: [
    {
      reason: 'no_page',
      inLogs: 'method',
      drops: ({ isChosen, method }) => !isChosen && !isReading(method),
    },
    { reason: 'no_page', inLogs: 'status', drops: ({ status }) => !isRead(status) },
    {
      reason: 'no_page',
      inLogs: 'asset',
      drops: ({ isChosen, contentType = '' }) =>
        !isChosen && contentType !== '' && !pageType.test(contentType),
    },
    {
      reason: 'no_page',
      inLogs: 'prefetch',
      drops: ({ isChosen, headers, isAhead }) =>
        isAhead === true ||
        (headers !== undefined &&
          (hasHeader(headers, fetchedAhead) || (!isChosen && hasHeader(headers, notShown)))),
    },
  ],
  file: [
    {
      reason: 'no_page',
      inLogs: 'asset',
      // A report that does not tell the status is of a page.
      drops: ({ isChosen, file, status, hasPageType }) =>
        isChosen
          ? status !== undefined && isSurface(file) && !isTwin(file)
          : !hasPageType && !isPageByName(file),
    },
    { reason: 'no_page', drops: ({ file }) => isProbe(file) },
  ],
} as const satisfies { readonly [P in Part]: readonly RuleOn<P>[] };

type AnyRule<P extends Part> = (typeof rules)[P][number];
export type RuleReason<P extends Part = Part> = AnyRule<P>['reason'];
/** Why a line of a log is for no page. */
export type LogReason = Extract<AnyRule<'request' | 'file'>, { inLogs: string }>['inLogs'];

/** A hit that is not counted. */
export interface RuleDrop<P extends Part = Part> {
  readonly reason: RuleReason<P>;
  readonly inLogs: LogReason | undefined;
  /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
  readonly family: string;
}

/** What the rules on one part of a hit say. */
export function askRules<P extends Part>(
  part: P,
  asked: HitParts[P],
  site: SiteRules,
): RuleDrop<P> | undefined {
  for (const { reason, inLogs, drops, family } of rulesOn(part)) {
    if (drops(asked, site)) return { reason, inLogs, family: family?.(asked) ?? '' };
  }
  return undefined;
}

interface TypedRule<P extends Part> extends Rule<HitParts[P]> {
  readonly reason: RuleReason<P>;
  readonly inLogs?: LogReason;
}

function rulesOn<P extends Part>(part: P) {
  return rules[part] as readonly TypedRule<Part>[] as readonly TypedRule<P>[];
}

/** All reasons of the rules on a part, each once. */
export function reasonsOf<P extends Part>(part: P): RuleReason<P>[] {
  return [...new Set(rulesOn(part).map(({ reason }) => reason))];
}

/** Each once. */
export const logReasons: readonly LogReason[] = [
  ...new Set([...rulesOn('request'), ...rulesOn('file')].flatMap(({ inLogs = [] }) => inLogs)),
];

/** Answers of `askRules` for each part of a hit: whoever counts many hits has most of them in memory. */
export type RuleAnswers<Hit, Drop> = { readonly [P in Part]: (hit: Hit) => Drop | undefined };

const parts = Object.keys(rules) as Part[];

/** Why a hit is not counted: in the order of the rules, and no part is asked about once one before it dropped the hit. */
export function findDrop<Hit, Drop>(hit: Hit, answers: RuleAnswers<Hit, Drop>): Drop | undefined {
  for (const part of parts) {
    const drop = answers[part](hit);
    if (drop !== undefined) return drop;
  }
  return undefined;
}
