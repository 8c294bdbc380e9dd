import type { CountedDropReason } from '../../shared/hit.ts';
import { fetchedAhead, notShown, pageType } from '../../shared/project/page-rules.ts';
import { hasHeader, isRead, isSurface, isTwin } from './hit/site-response.ts';
import { isPageByName, isProbe } from './page/page.ts';
import type { FindPlace } from './places/place.ts';

/**
 * What is not counted, by what of a request the rules are about, in the order in which they are asked: what the owner
 * excluded is not looked at further, and a bot or somebody in disguise is named as such, even where it did not request a page.
 */
export const ruleReasons = {
  page: ['foreign_host', 'excluded_host', 'excluded_path', 'excluded_query'],
  address: ['excluded_address', 'excluded_country', 'excluded_as'],
  userAgent: ['excluded_user_agent'],
  sender: ['spoofed', 'bot'],
  people: ['left_to_script', 'data_center'],
  request: ['no_page'],
} as const satisfies Readonly<Record<string, readonly CountedDropReason[]>>;

type Part = keyof typeof ruleReasons;
export type RuleReason<P extends Part = Part> = (typeof ruleReasons)[P][number];

/** The finer reasons that an import gives for `no_page`: of such lines a log is full, and no counter has them. */
export const logReasons = ['method', 'status', 'asset', 'prefetch'] as const;
/** Why a line of a log is for no page. */
export type LogReason = (typeof logReasons)[number];

/** The owner's rules for the hits of a site. */
export interface SiteRules {
  acceptsHost(host: string): boolean;
  excludesPath(path: string): boolean;
  /** What else is excluded, by what it is asked about; missing: nothing. */
  readonly excludes: Readonly<
    Partial<Record<'host' | 'query' | 'address' | 'userAgent' | 'country', (text: string) => boolean>> & {
      as?: (asn: number) => boolean;
    }
  >;
  /** Hosts in its settings, and hosts of earlier views. */
  readonly settings: { readonly hosts: readonly string[]; readonly seenHosts: readonly string[] };
}

/**
 * Why a page is not counted, whatever the client.
 *
 * @param host null: not known
 * @param url empty: its query is not known
 * @param proxyHost of the server, where it was asked as if it were a proxy, for a page of any site
 */
export function pageDrop(
  host: string | null,
  path: string,
  url: string,
  site: SiteRules,
  proxyHost?: string,
): RuleReason<'page'> | undefined {
  const { excludes } = site;
  if (host !== null) {
    const isOther = proxyHost !== undefined && !isOwn(host, proxyHost, site);
    if (isOther || !site.acceptsHost(host)) return 'foreign_host';
    if (excludes.host?.(host)) return 'excluded_host';
  }
  if (site.excludesPath(path)) return 'excluded_path';
  return excludes.query?.(url) ? 'excluded_query' : undefined;
}

/** What is known of addresses. */
interface Whereabouts {
  findPlace: FindPlace;
  /** Null: there is no database of networks. */
  findNetwork: ((address: string) => { asn: number } | undefined) | null;
}

/** Why nobody at the address is counted. */
export function addressDrop(
  address: string,
  { excludes }: SiteRules,
  { findPlace, findNetwork }: Whereabouts,
): RuleReason<'address'> | undefined {
  if (excludes.address?.(address)) return 'excluded_address';
  if (excludes.country?.(findPlace(address).country ?? '')) return 'excluded_country';
  return excludes.as?.(findNetwork?.(address)?.asn ?? 0) ? 'excluded_as' : undefined;
}

/** The site's hosts where the settings name none: the server's, and those of earlier views. */
function isOwn(host: string, proxyHost: string, { settings: { hosts, seenHosts } }: SiteRules): boolean {
  return hosts.length > 0 || seenHosts.includes(host) || host === proxyHost;
}

interface AskedRequest {
  /** A browser showed it, or a site's server reported it, as a page; a line of a log may be of anything. */
  readonly isChosen?: boolean;
  readonly method?: string | undefined;
  /** Undefined or empty, as below: not known. */
  readonly status?: number | undefined;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A browser prepares the page for a visit that may never come. */
  readonly isAhead?: boolean | undefined;
}

/** Why a request is for no page, by how it was made and answered. */
export function requestDrop(request: AskedRequest): LogReason | undefined {
  const { isChosen, method, status, contentType = '', headers, isAhead } = request;
  if (!isChosen && !isReading(method)) return 'method';
  if (status !== undefined && !isRead(status)) return 'status';
  if (!isChosen && contentType !== '' && !pageType.test(contentType)) return 'asset';
  if (isAhead) return 'prefetch';
  const isPrefetch =
    headers && (hasHeader(headers, fetchedAhead) || (!isChosen && hasHeader(headers, notShown)));
  return isPrefetch ? 'prefetch' : undefined;
}

/** Methods that read and change nothing. */
export function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Why a file is no page, by its name; `probe`: only scanners ask for it.
 *
 * @param file path in its normal form, without a query, and before a Markdown version is mapped to its page
 * @param isPage it was shown or reported as one, or answered with the type of one
 * @param hasStatus the status of the response is known; a report without it is of a page
 */
export function fileDrop(file: string, isPage: boolean, hasStatus: boolean): 'asset' | 'probe' | undefined {
  if (isPage ? hasStatus && isSurface(file) && !isTwin(file) : !isPageByName(file)) return 'asset';
  return isProbe(file) ? 'probe' : undefined;
}
