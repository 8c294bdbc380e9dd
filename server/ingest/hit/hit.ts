import { randomInt } from 'node:crypto';
import type { CountedDropReason } from '../../../shared/hit.ts';
import type { HitDataSource, HitKind } from '../../../shared/reports/counters.ts';
import { type DimensionFrom, dimensionNames, dimensions } from '../../../shared/reports/dimensions.ts';
import type { VisibleSeconds } from '../../../shared/visible-time.ts';
import { type Day, hitTime, momentOf, openAfterEndMs } from '../../counting/calendar.ts';
import { type CounterEntry, type CounterSet, noCounters } from '../../counting/counter.ts';
import { addressDrop, fileDrop, pageDrop, requestDrop } from '../../counting/drop-rules.ts';
import { countedEvent, type ReportedEvent } from '../../counting/event.ts';
import {
  aiViewSet,
  cutOffCounters,
  disallowedCounter,
  failureCounters,
  isReported,
  type SiteResponse,
  withDataSource,
} from '../../counting/hit/site-response.ts';
import { countedCampaign, countedPath, type Page, parsePage, untwinned } from '../../counting/page/page.ts';
import { renamedPath } from '../../counting/page/renamed.ts';
import { findSource, readPassage } from '../../counting/page/source.ts';
import type { FindPlace } from '../../counting/places/place.ts';
import type { CountedKind, SeenClient, View } from '../../counting/view.ts';
import { parseTraits, visitorId } from '../../counting/visitor/visitor.ts';
import { visitorKeyOf } from '../../counting/visitor-key.ts';
import { findClientBySignatureHost } from '../../identity/catalogue.ts';
import { classify, type Lookups } from '../../identity/classify.ts';
import type { NetworkHint } from '../../identity/networks/network-hint.ts';
import type { DetailedFindings } from '../../identity/proof/proof.ts';
import type { SignatureVerdict } from '../../identity/proof/signatures/signature.ts';
import { isLocalAddress, routedNetwork } from '../../net/address.ts';
import type { LiveProject, Registry } from '../../projects/registry.ts';
import type { SiteFiles } from '../../sitefiles/site-files.ts';
import type { Salted } from '../sealing/salts.ts';

/** How a hit came in. */
export type Via = 'script' | 'pixel' | 'report';

/** A hit as it came in: parsed, and not yet classified. */
export interface Hit {
  via: Via;
  projectId: string;
  url: string;
  referrer: string | undefined;
  hashRoutes: boolean;
  /** The visitor's IP address, in its one spelling. */
  address: string;
  userAgent: string;
  language: string | null;
  /** Known only from the script. */
  seen?: Record<DimensionFrom<'page'>, string | null> | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** The page request's own headers, by lower-case name; known only from reports. */
  headers: Readonly<Record<string, string>> | undefined;
  method?: string | undefined;
  /** The response, as far as a report has it: status, media type, and bytes of the body. */
  status?: number | undefined;
  type?: string | undefined;
  bytes?: number | undefined;
  /** The site's script counts its people, so that this report is not for them. */
  leavesPeople?: boolean;
  /** Which passage of the page a link was to, as a fragment directive; known only from the tracker. */
  directive?: string | undefined;
  /** Letters of what the tracker found in the page. */
  pageSigns?: string | undefined;
  /** The browser asked for the image while it prepared the page for a visit that may never come. */
  isAhead?: boolean;
  /** What happened on the page; left out: it was viewed. */
  event?: ReportedEvent | undefined;
  /** How long the page has been seen since it was viewed; left out: it is viewed now. */
  seenFor?: VisibleSeconds | undefined;
}

/** A hit that no rule dropped. */
export interface ClassifiedHit {
  hit: Hit;
  project: LiveProject;
  page: Page;
  /** The path that was asked for, where the view counts under the path of another page. */
  asked: string;
  day: Day;
  /** Of the day, from `00` to `23`. */
  hour: string;
  /** When the hit happened, in milliseconds since 1970. */
  at: number;
  kind: CountedKind;
  client: SeenClient | null;
  /** Whose network a person or an unproved AI client came from; undefined where that is not looked up. */
  network: NetworkHint | undefined;
  /** The site's robots.txt asks the AI client not to read this. */
  isDisallowed: boolean;
  /** The look-ups about the sender. */
  findings: DetailedFindings | undefined;
}

/** A hit that cannot be understood. */
export interface InvalidHit {
  dropped: 'invalid';
  error: string;
}

/** The counters of a hit that is no view, or is dropped, with the bytes sent. */
export interface DayCounters {
  projectId: string;
  day: Day;
  counters: CounterSet;
  bytes: number;
}

/** A hit that is not counted, and why. Where its project and day are known, it adds to counters. */
export type Drop =
  | { dropped: 'unknown_project' }
  /** How long a program has a page open says nothing. */
  | { dropped: 'not_a_person' }
  | InvalidHit
  | {
      dropped: CountedDropReason;
      /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
      family: string;
      dayCounters: DayCounters;
    };

/** What hits are classified with. */
export interface HitLookups extends Lookups {
  registry: Pick<Registry, 'project'>;
  findPlace: FindPlace;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  rates: HitRates;
  now: () => number;
}

/** Decides whether a hit counts, and as what. */
export function classifyHit(hit: Hit, lookups: HitLookups): ClassifiedHit | Drop {
  const { via, address, event, leavesPeople = false } = hit;
  const project = lookups.registry.project(hit.projectId);
  if (!project) return { dropped: 'unknown_project' };
  const askedPage = parsePage(hit.url, project.settings.keptParameters, hit.hashRoutes);
  if (!askedPage) return invalid('The address of the page must be an absolute http or https URL.');
  const receivedAt = lookups.now();
  const at = hitTime(hit.at, receivedAt);
  if (at === undefined) {
    return invalid('The time of the hit lies in the future: check the clock of the sender.');
  }
  const { calendar } = project;
  const classified: ClassifiedHit = {
    hit,
    project,
    page: via === 'report' ? pageOfReport(askedPage, project) : askedPage,
    asked: askedPage.path,
    day: calendar.dayOf(at),
    hour: calendar.hourOf(at),
    at,
    kind: 'human',
    client: null,
    network: undefined,
    isDisallowed: false,
    findings: undefined,
  };
  if (at < receivedAt - openAfterEndMs) return toDrop(classified, 'too_old');
  const byPage = pageDrop(classified.page.host, classified.page.path, hit.url, project);
  const byAddress = addressDrop(address, project, lookups);
  const byUserAgent = project.excludes.userAgent?.(hit.userAgent) ? 'excluded_user_agent' : undefined;
  // Of an event a report says only where it happened.
  const { status, headers } = via === 'report' && !event ? hit : unreported;
  const isNoPage =
    requestDrop({ isChosen: true, status, headers, isAhead: hit.isAhead }) !== undefined ||
    fileDrop(fileOf(classified.asked), true, status !== undefined) !== undefined;
  const request = { facts: hit, byPage, byAddress, byUserAgent, isNoPage, leavesPeople } as const;
  const { dropped, family, kind, client, network, findings } = classify(request, project, lookups);
  classified.kind = kind;
  classified.client = client;
  classified.network = network;
  classified.findings = findings;
  if (hit.seenFor !== undefined && kind !== 'human') return { dropped: 'not_a_person' };
  if (dropped === 'no_page') return toDrop(classified, dropped, '', countersOfNoView(classified));
  if (dropped) return toDrop(classified, dropped, family);
  // A report comes from the holder of a key, who is responsible for it.
  const isOver = via !== 'report' && lookups.rates.isOver(project.id, address, receivedAt);
  if (isOver) return toDrop(classified, 'rate_limited');
  if (client) {
    const { url } = hit;
    classified.isDisallowed = lookups.siteFiles.disallows({ project, client: client.name, url, at });
  }
  return classified;
}

/** A report without the status of the response is of a page. */
const unreported = { status: undefined, headers: undefined };

/** A dropped hit, with its reason for the counter of the day. */
export function toDrop(
  classified: ClassifiedHit,
  dropped: CountedDropReason,
  family = '',
  counters: CounterSet = countersOfDrop(classified),
): Drop {
  const { project, day, hit } = classified;
  return { dropped, family, dayCounters: { projectId: project.id, day, counters, bytes: hit.bytes ?? 0 } };
}

function invalid(error: string): InvalidHit {
  return { dropped: 'invalid', error };
}

/** A browser that runs the script or shows the image shows a page, whatever the end of its name. */
function pageOfReport(page: Page, { settings }: LiveProject): Page {
  const path = untwinned(page.path, settings);
  return path === page.path ? page : { ...page, path };
}

const dataSourceOf: Record<Via, HitDataSource> = { script: 'script', pixel: 'image', report: 'report' };

/** Most hits are of people, and add to nothing else. */
const peopleBy: Record<Via, CounterSet> = {
  script: withDataSource('script', 'people'),
  pixel: withDataSource('image', 'people'),
  report: withDataSource('report', 'people'),
};

/** Counters of a view. For people by the script, which are most, always the same object. */
function countersOfView(classified: ClassifiedHit): CounterSet {
  const { hit, project, asked, kind, client, findings } = classified;
  const dataSource = dataSourceOf[hit.via];
  if (kind === 'human') {
    if (!findings && !classified.network) return peopleBy[hit.via];
    return withDataSource(dataSource, 'people', [...signaturesOf(findings), ...networkOf(classified)]);
  }
  const name = client?.name ?? '';
  const response = responseOf(hit, asked);
  const cutOff = cutOffCounters(name, response, () => countedPath(asked, project.settings));
  const besides = [
    ...cutOff,
    ...disallowedOf(classified),
    ...signaturesOf(findings),
    ...networkOf(classified),
  ];
  return aiViewSet(dataSource, name, response, besides);
}

/** Whether the hit is a view, and no event or time after it. */
function isOfView({ event, seenFor }: Hit): boolean {
  return event === undefined && seenFor === undefined;
}

/** Counters of a dropped hit, for any reason. */
function countersOfDrop({ hit, findings }: ClassifiedHit): CounterSet {
  if (!isOfView(hit)) return noCounters;
  return withDataSource(dataSourceOf[hit.via], 'dropped' satisfies HitKind, signaturesOf(findings));
}

/** Counters of a hit that was for no page. */
function countersOfNoView(classified: ClassifiedHit): CounterSet {
  const { hit, asked, project, client, findings } = classified;
  if (!isOfView(hit)) return noCounters;
  const response = responseOf(hit, asked);
  const entries =
    client && isReported(response)
      ? failureCounters(client.name, countedPath(asked, project.settings), response)
      : [];
  return withDataSource(dataSourceOf[hit.via], 'dropped', [...entries, ...signaturesOf(findings)]);
}

/** @param asked with a kept query, or a route */
function fileOf(asked: string): string {
  const end = asked.search(/[?#]/);
  return end < 0 ? asked : asked.slice(0, end);
}

function responseOf({ status, bytes, type }: Hit, asked: string): SiteResponse {
  return { file: fileOf(asked), status, bytes, type };
}

function disallowedOf({ isDisallowed, client, asked, project }: ClassifiedHit): CounterEntry[] {
  return isDisallowed && client ? [disallowedCounter(client.name, countedPath(asked, project.settings))] : [];
}

function signaturesOf(findings: ClassifiedHit['findings']): CounterEntry[] {
  return findings?.signature ? [signatureCounter(findings.signature)] : [];
}

function networkOf({ client, network }: ClassifiedHit): CounterEntry[] {
  if (!network) return [];
  if (!client) return [{ counter: 'people-networks', group: network, name: '' }];
  return [{ counter: 'ai-networks', group: client.name, name: network }];
}

/** The outcome of a signature in a few words, by its full sentence. */
const results: readonly (readonly [RegExp, string])[] = [
  [/^Its signature has expired/, 'expired'],
  [/^Its signature was created in the future/, 'from the future'],
  [/^Its signature does not fit/, 'does not fit the request'],
  [/^It covers neither @authority/, 'not bound to the site'],
  [/not reported/, 'covers what the report lacks'],
  [/not checked here|for another algorithm/, 'in a form that is not checked'],
  [/^The key directory of .* (is not known|is being fetched)/, 'key directory not known'],
  [/lists no key/, 'key not listed'],
  [/^The key of .* is not good/, 'key not good at this time'],
  [/not signed/, 'not signed'],
  [/no Signature-Agent/, 'names no signer'],
  [/used/, 'used before'],
];

/** Operators that are not in the catalogue count as one, as anyone can invent more. */
function signatureCounter(verdict: SignatureVerdict): CounterEntry {
  const operator = verdict.host && findClientBySignatureHost(verdict.host)?.operator;
  return { counter: 'signatures', group: operator || '(not known)', name: resultOf(verdict) };
}

function resultOf(verdict: SignatureVerdict): string {
  if (verdict.state === 'valid') return 'valid';
  return results.find(([sentence]) => sentence.test(verdict.why))?.[1] ?? 'cannot be read';
}

const unseen = Object.fromEntries(
  dimensionNames.filter((name) => dimensions[name].from === 'page').map((name) => [name, null]),
) as Record<DimensionFrom<'page'>, null>;

/** The view of a hit: from here on, address and user agent are gone. */
export function toView(
  classified: ClassifiedHit,
  { day, salt, networks }: Salted,
  findPlace: FindPlace,
): View {
  const { hit, project, page, hour, kind, client } = classified;
  const { device, browser, system } = parseTraits(hit.userAgent);
  const { country, region, city } = findPlace(hit.address);
  const source = findSource(page, hit.referrer, project);
  const visitor = visitorId(salt, hit.address, hit.userAgent);
  const counted = countedPath(page.path, project.settings);
  // Most projects rename none.
  const path = project.settings.renamedPaths.length === 0 ? counted : renamedPath(counted, project.settings);
  const { utmCampaign, utmSource, utmMedium, ref } = countedCampaign(page.campaign, project.settings);
  const view: View = {
    projectId: project.id,
    day,
    visitor,
    network: networks.numberOf(hit.address),
    kind,
    path,
    hour,
    moment: momentOf(day, classified.at),
    source,
    country,
    region,
    city,
    language: hit.language,
    device,
    browser,
    system,
    ...(hit.seen ?? unseen),
    utmCampaign,
    utmSource,
    utmMedium,
    ref,
    client,
    hasGoals: project.hasGoals,
  };
  // An event counts as that alone.
  if (hit.event) return { ...view, event: countedEvent(hit.event, project.settings) };
  view.counters = countersOfView(classified);
  view.bytes = hit.bytes ?? 0;
  const visitorKey =
    hit.directive === undefined ? undefined : visitorKeyOfPassage(classified, view, hit.directive);
  if (visitorKey) view.counters = [...view.counters, visitorKey];
  return view;
}

/** Who landed at a passage that a link was to. */
function visitorKeyOfPassage(
  { kind }: ClassifiedHit,
  { visitor, source, path }: View,
  directive: string,
): CounterEntry | undefined {
  // A step inside the site has no source.
  if (source === null || kind !== 'human') return undefined;
  const passage = readPassage(directive);
  return passage === null ? undefined : visitorKeyOf(visitor, source, passage, path);
}

const minuteMs = 60_000;

/** Words of a slot: the hash of the network, the minute, and the hits in it. */
const words = 3;
/** 0.8 MB: the networks of a minute. Where there are more, those with the fewest hits make room. */
const slots = 1 << 16;
/** A network is in one of this many slots, counted from that of its hash. */
const reach = 8;

/**
 * How many hits each network sends to each project in a minute: an IPv4 address, or a /48 of IPv6. One typed array, as this
 * is on every hit's way: nothing for the garbage collector.
 */
export class HitRates {
  /** A minute; 0: without a bound. */
  readonly #max: number;
  readonly #table = new Uint32Array(slots * words);
  /** A random seed, so that nobody can predict which networks share a slot. */
  readonly #seed = randomInt(2 ** 31);

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a hit, and returns whether it is one too many. Addresses of the local network are not limited: they
   * are programs here, or a proxy that is not trusted yet, with all visitors behind it.
   *
   * @param now milliseconds since 1970
   */
  isOver(projectId: string, address: string, now: number): boolean {
    if (this.#max === 0) return false;
    const network = address.includes(':') ? routedNetwork(address) : address;
    const slot = this.#find(network, projectId, Math.floor(now / minuteMs));
    const hits = (this.#table[slot + 2] as number) + 1;
    if (hits <= this.#max) this.#table[slot + 2] = hits;
    return hits > this.#max && !isLocalAddress(address);
  }

  #find(network: string, projectId: string, minute: number): number {
    const place = hash(network, hash(projectId, this.#seed));
    const mark = hash(projectId, hash(network, ~this.#seed)) >>> 0;
    const table = this.#table;
    let fewest = -1;
    for (let i = 0; i < reach; i++) {
      const slot = ((place + i) & (slots - 1)) * words;
      const isAlive = table[slot + 1] === minute;
      if (isAlive && table[slot] === mark) return slot;
      if (!isAlive) table[slot + 2] = 0;
      if (fewest < 0 || (table[slot + 2] as number) < (table[fewest + 2] as number)) fewest = slot;
    }
    table[fewest] = mark;
    table[fewest + 1] = minute;
    table[fewest + 2] = 0;
    return fewest;
  }
}

/** FNV-1a with its bits mixed: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string, seed: number): number {
  let sum = seed;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum ^ (sum >>> 15);
}
