import { type HitDataSource, type HitKind, hitDataSources } from '../../../shared/reports/counters.ts';
import { type CounterEntry, type CounterSet, counterSet, noCounters } from '../counter.ts';
import { isPageByName, isProbe } from '../page/page.ts';

/** A request with what its response says about it. */
export interface SiteResponse {
  /** Path in the normal form, without a query, and before a Markdown version is mapped to its page. */
  file: string;
  /** Undefined: not known, and so a page. */
  status: number | undefined;
  /** Media type; undefined or empty: not known. */
  type?: string | undefined;
  /** Of the body, where it is known. */
  bytes?: number | undefined;
}

/** Files for machines at well-known places, which AI clients may ask a site for. */
const surfaces: ReadonlySet<string> = new Set([
  '/robots.txt',
  '/llms.txt',
  '/llms-full.txt',
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/ai.txt',
  '/AGENTS.md',
  '/skill.md',
  '/openapi.json',
  '/openapi.yaml',
  '/swagger.json',
  '/feed.xml',
  '/rss.xml',
  '/atom.xml',
  '/.well-known/agent.json',
  '/.well-known/agent-card.json',
  '/.well-known/agent-skills/index.json',
  '/.well-known/ai-plugin.json',
  '/.well-known/api-catalog',
  '/.well-known/http-message-signatures-directory',
  '/.well-known/llms.txt',
  '/.well-known/mcp',
  '/.well-known/mcp.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/openid-configuration',
  '/.well-known/security.txt',
  '/.well-known/tdmrep.json',
]);
/** Whether it was answered with something to read. 304: the client has it already. 206: only a part of it. */
export function isRead(status: number | undefined): boolean {
  return status === undefined || status === 304 || (status >= 200 && status < 300 && status !== 206);
}

/** Whether a header of the request is one of these. An empty text: it was not sent. @param rule of shared/project/page-rules.ts */
export function hasHeader(headers: Readonly<Record<string, string>>, rule: RegExp): boolean {
  for (const name in headers) {
    if (headers[name] !== '' && rule.test(`${name},${headers[name]}`)) return true;
  }
  return false;
}

/** Whether it was answered with an error, a refusal or a redirect. */
function isFailure(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && !isRead(status);
}

export function isSurface(file: string): boolean {
  return surfaces.has(file);
}

/** Whether a request that is no view is reported for an AI client: a failed page, or a file for machines. */
export function isReported({ file, status }: SiteResponse): boolean {
  return isSurface(file) || (isFailure(status) && isPageByName(file) && !isProbe(file));
}

/** The same by the request line of a log, as a quick check before. @param target of the request line */
export function mayBeReported(target: string, status: number): boolean {
  if (isFailure(status)) return true;
  const query = target.indexOf('?');
  return isSurface(query < 0 ? target : target.slice(0, query));
}

/** Statuses with a row of their own; others are counted by their class. */
const ownStatuses = [401, 402, 403, 404, 410, 429, 451];

/** As counters name it; 2xx: the content was read. */
function statusName(status: number | undefined): string {
  if (status === undefined || isRead(status)) return '2xx';
  return ownStatuses.includes(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}

/** Text versions of a page, which count as its views. */
export function isTwin(file: string): boolean {
  return isLlmsText(file) || /\.mdx?$/.test(file);
}

function isLlmsText(file: string): boolean {
  return /\/llms(-[a-z-]+)?\.txt$/.test(file);
}

type Form = 'html' | 'markdown' | 'llms.txt' | 'llms-full.txt';

function formOf({ file, type = '' }: SiteResponse): Form {
  if (file.endsWith('.txt') && isLlmsText(file))
    return file.endsWith('/llms-full.txt') ? 'llms-full.txt' : 'llms.txt';
  const isMarkdown = file.endsWith('.md') || file.endsWith('.mdx') || /markdown/i.test(type);
  return isMarkdown ? 'markdown' : 'html';
}

/** Counters of any request by an AI client. */
function answerCounters(client: string, response: SiteResponse): CounterEntry[] {
  const { file, status, bytes } = response;
  return [
    ...(isSurface(file)
      ? [{ counter: 'ai-files', group: `${client}\t${statusName(status)}`, name: file } as const]
      : []),
    ...(bytes === undefined ? [] : [{ counter: 'ai-bytes', group: client, name: '' } as const]),
  ];
}

/** Counters of a view by an AI client. */
function viewCounters(client: string, response: SiteResponse): CounterEntry[] {
  return [
    { counter: 'ai-formats', group: client, name: formOf(response) },
    ...answerCounters(client, response),
  ];
}

/**
 * Counters of a request by an AI client that is no view.
 *
 * @param path that a view would have counted under
 */
export function failureCounters(client: string, path: string, response: SiteResponse): CounterEntry[] {
  const { file, status } = response;
  return [
    ...(isFailure(status) && !isSurface(file)
      ? [{ counter: 'ai-failures', group: `${client}\t${statusName(status)}`, name: path } as const]
      : []),
    ...answerCounters(client, response),
  ];
}

/**
 * That an AI client took in less than it was sent. HTML is not reported, as clients convert it to text first.
 *
 * @param pathOf the path that it is counted under
 */
export function cutOffCounters(client: string, response: SiteResponse, pathOf: () => string): CounterEntry[] {
  const { bytes = 0 } = response;
  const limit = pageLimits[client]?.characters ?? Number.POSITIVE_INFINITY;
  if (bytes <= limit || formOf(response) === 'html') return [];
  return [{ counter: 'ai-cut-off', group: client, name: pathOf() }];
}

/**
 * An AI client read a path that the site's robots.txt disallows for it.
 *
 * @param path that was asked for, as views count it
 */
export function disallowedCounter(client: string, path: string): CounterEntry {
  return { counter: 'ai-disallowed', group: client, name: path };
}

const setsOfSources = Object.fromEntries(
  hitDataSources.map((dataSource) => [
    dataSource,
    Object.fromEntries(
      (['people', 'ai', 'dropped'] as const).map((kind) => [
        kind,
        counterSet([{ counter: 'data-sources', group: dataSource, name: kind }]),
      ]),
    ),
  ]),
) as Record<HitDataSource, Record<HitKind, CounterSet>>;

/** The counter of a hit's data source, and its other counters. */
export function withDataSource(
  dataSource: HitDataSource,
  kind: HitKind,
  others: readonly CounterEntry[] = noCounters,
): CounterSet {
  const set = setsOfSources[dataSource][kind];
  return others.length === 0 ? set : counterSet([...set, ...others]);
}

const maxPlainSets = 10_000;
/** Counters of most views by AI clients, by source, client and form. */
const plainSets = new Map<string, CounterSet>();

/** Counters of a view by an AI client, with that of its data source. */
export function aiViewSet(
  dataSource: HitDataSource,
  client: string,
  response: SiteResponse,
  others: readonly CounterEntry[] = noCounters,
): CounterSet {
  if (others.length > 0 || isSurface(response.file)) {
    return withDataSource(dataSource, 'ai', [...viewCounters(client, response), ...others]);
  }
  const key = `${dataSource} ${formOf(response)} ${response.bytes === undefined} ${client}`;
  const known = plainSets.get(key);
  if (known) return known;
  const set = withDataSource(dataSource, 'ai', viewCounters(client, response));
  if (plainSets.size >= maxPlainSets) plainSets.clear();
  plainSets.set(key, set);
  return set;
}

interface PageLimit {
  /** Of a page's text; the rest is not read. */
  characters: number;
  source: string;
  /** When the source was read. */
  asOf: string;
}

/** How much of a text AI clients read, by their names in the catalogue. Few operators say it; these were measured. */
const pageLimits: Readonly<Record<string, PageLimit>> = {
  'Claude Code': {
    characters: 100_000,
    source: 'https://dacharycarey.com/2026/02/19/agent-web-fetch-spelunking',
    asOf: '2026-11-22',
  },
  'Claude-User': {
    characters: 20_700,
    source: 'https://rhyannonjoy.github.io/agent-ecosystem-testing/web-fetch-test-findings-raw',
    asOf: '2026-11-22',
  },
  'MCP fetch server': {
    characters: 5_000,
    source: 'https://github.com/modelcontextprotocol/servers/tree/main/src/fetch',
    asOf: '2026-11-22',
  },
};
