import { hitTime, momentOf } from '../counting/calendar.ts';
import type { CounterSet } from '../counting/counter.ts';
import { isReading, requestDrop } from '../counting/drop-rules.ts';
import {
  aiViewSet,
  cutOffCounters,
  disallowedCounter,
  failureCounters,
  isReported,
  mayBeReported,
  type SiteResponse,
  withDataSource,
} from '../counting/hit/site-response.ts';
import type { Interned } from '../counting/names/interned.ts';
import { countedPath, isPageByType } from '../counting/page/page.ts';
import type { SeenClient } from '../counting/view.ts';
import { visitorId } from '../counting/visitor/visitor.ts';
import {
  classify,
  identifySender,
  type Lookups,
  NameSwitching,
  noSender,
  type Request,
} from '../identity/classify.ts';
import type { FindNetwork } from '../identity/networks/asn-database.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { SiteFiles } from '../sitefiles/site-files.ts';
import type { Batch } from './batch.ts';
import type { CountedDay, ImportDays } from './days.ts';
import type { LogEntry } from './formats/entry.ts';
import { staysOpen } from './import-result.ts';
import { type LineResult, settled } from './line-result.ts';
import type { LoggedSite, RequestTarget } from './logged-site.ts';
import { idOf, type SenderAddress, type Senders, type UserAgent } from './senders.ts';

/** Requests that a log has in several lines: these are close together. */
const maxRequestIds = 10_000;

interface Parts {
  project: LiveProject;
  days: ImportDays;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  proofs: Pick<Proofs, 'check'>;
  senders: Senders;
  findNetwork: FindNetwork | null;
  site: LoggedSite;
  now: () => number;
}

/** A view in a line of the log. */
interface Hit {
  readonly entry: LogEntry;
  readonly target: RequestTarget;
  readonly address: SenderAddress;
  readonly userAgent: UserAgent;
  readonly client: Interned<SeenClient> | null;
}

const peopleByLog = withDataSource('log', 'people');
const droppedByLog = withDataSource('log', 'dropped');

function responseOf({ file }: RequestTarget, { status, contentType, bytes }: LogEntry): SiteResponse {
  return { file, status: status || undefined, type: contentType, bytes: bytes < 0 ? undefined : bytes };
}

function fileDropOf({ fileDrops }: RequestTarget, { contentType }: LogEntry) {
  return isPageByType(contentType) ? fileDrops.ofPageType : fileDrops.byName;
}

function bytesOf({ bytes }: LogEntry): number {
  return Math.max(bytes, 0);
}

function requestOf(
  { method, at, headers, lacksUserAgent, contentType }: LogEntry,
  { dropped, fileDrops, url }: RequestTarget,
  address: SenderAddress,
  userAgent: UserAgent,
  leavesPeople: boolean,
): Request {
  const file = isPageByType(contentType) ? fileDrops.ofPageType : fileDrops.byName;
  return {
    facts: {
      via: 'report',
      url,
      method,
      address: address.text,
      userAgent: userAgent.text,
      byUserAgent: userAgent.identity,
      headers,
      at,
    },
    byPage: dropped === 'unreadable' ? undefined : dropped,
    byAddress: address.dropped === 'unreadable' ? undefined : address.dropped,
    byUserAgent: userAgent.dropped,
    isNoPage: file !== undefined,
    leavesPeople,
    isPerson: lacksUserAgent,
    sender: idOf(userAgent, address),
  };
}

/** From an entry of a log to a view. */
export class Counter {
  readonly #parts: Parts;
  readonly #requestIds = new Set<string>();
  readonly #visitors = new VisitorMemory();
  readonly #lookups: Lookups;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lookups = {
      proofs: parts.proofs,
      findNetwork: parts.findNetwork,
      names: new NameSwitching(),
      identities: { day: Number.NaN, bySender: new Map() },
    };
  }

  count(entry: LogEntry, batch: Batch): LineResult {
    const { days, site, senders, project, now } = this.#parts;
    const noPage = requestDrop(entry);
    if (noPage) return this.#noteNonView(entry, batch) ?? settled[noPage];
    const target = site.target(entry.host, entry.secure, entry.target);
    if (target.dropped === 'unreadable') return settled.unreadable;
    const noPageByName = fileDropOf(target, entry);
    if (noPageByName === 'asset') return this.#noteNonView(entry, batch) ?? settled.asset;
    const at = hitTime(entry.at, now());
    if (at === undefined) return settled.future;
    const day = days.dayOf(at);
    const counted = days.find(day);
    if (counted === undefined) return { kind: 'unopened', day };
    if (counted === null) return settled.taken;
    if (this.#isSeen(entry)) return settled.repeated;
    const address = senders.address(entry);
    const userAgent = senders.userAgent(entry.userAgent);
    if (target.dropped === undefined && address.dropped === 'unreadable') return settled.unreadable;
    const { dropped, family, client } = classify(
      requestOf(entry, target, address, userAgent, !counted.countsPeople),
      project,
      this.#lookups,
    );
    if (dropped === undefined) {
      const hit = { entry, target, address, userAgent, client: client && senders.client(client) };
      return this.#add(hit, counted, batch);
    }
    // Once it is counted it was no dropped hit.
    if (staysOpen(dropped)) return settled[dropped];
    batch.drop(day, dropped, family);
    batch.count(day, droppedByLog);
    return settled[dropped];
  }

  #add(hit: Hit, day: CountedDay, batch: Batch): LineResult {
    const { entry, target, address, userAgent, client } = hit;
    batch.views.add({
      day: batch.indexOf(day, entry.at),
      visitor: this.#visitor(day, address, userAgent),
      network: day.networks.numberOf(address.text),
      kind: client ? 'ai' : 'human',
      path: target.path,
      hour: this.#parts.days.hourOf(entry.at),
      moment: momentOf(day.opened.day, entry.at),
      source: this.#parts.site.source(target, entry.referrer),
      ...address.place,
      ...target.campaign,
      client,
      language: this.#parts.senders.language(entry),
      device: userAgent.traits.device,
      browser: userAgent.traits.browser,
      system: userAgent.traits.system,
      ...(client
        ? { counters: this.#countersOf(hit, client.value.name), bytes: bytesOf(entry) }
        : { counters: peopleByLog }),
    });
    return client ? settled.ai : settled.person;
  }

  /**
   * Notes a request of an AI client that is no view: a page that it did not get, or a file for machines. Most lines are
   * neither, so that this check comes first. May return that the day has to be opened.
   */
  #noteNonView(entry: LogEntry, batch: Batch): LineResult | undefined {
    const { days, site, senders, project, now } = this.#parts;
    if (!mayBeReported(entry.target, entry.status) || !isReading(entry.method)) return undefined;
    const userAgent = senders.userAgent(entry.userAgent);
    if (userAgent.identity.kind !== 'ai' && entry.headers === undefined) return undefined;
    const target = site.target(entry.host, entry.secure, entry.target);
    const response = responseOf(target, entry);
    const at = hitTime(entry.at, now());
    if (target.dropped !== undefined || !isReported(response) || at === undefined) return undefined;
    const day = days.dayOf(at);
    const counted = days.find(day);
    if (counted === undefined) return { kind: 'unopened', day };
    const address = senders.address(entry);
    if (
      counted === null ||
      address.dropped !== undefined ||
      userAgent.dropped !== undefined ||
      this.#isSeen(entry)
    )
      return undefined;
    const request = requestOf(entry, target, address, userAgent, false);
    const { client } = identifySender(request, project, this.#lookups);
    if (!client) return undefined;
    const path = countedPath(target.asked, project.settings);
    const entries = failureCounters(client.name, path, response);
    batch.count(day, withDataSource('log', 'dropped', entries), bytesOf(entry));
    return undefined;
  }

  #countersOf({ entry, target }: Hit, client: string): CounterSet {
    const { project, siteFiles } = this.#parts;
    const response = responseOf(target, entry);
    const pathOf = () => countedPath(target.asked, project.settings);
    const isDisallowed = siteFiles.disallows({ project, client, url: target.url, at: entry.at });
    const disallowed = isDisallowed ? [disallowedCounter(client, pathOf())] : [];
    return aiViewSet('log', client, response, [...cutOffCounters(client, response, pathOf), ...disallowed]);
  }

  /** Whether an earlier line was of the same request. */
  #isSeen({ requestId: text }: LogEntry): boolean {
    if (text === '') return false;
    const requestId = text.slice(0, 100);
    if (this.#requestIds.has(requestId)) return true;
    const [oldest] = this.#requestIds;
    if (this.#requestIds.size >= maxRequestIds && oldest !== undefined) this.#requestIds.delete(oldest);
    this.#requestIds.add(requestId);
    return false;
  }

  /** Hashing takes longer than all the rest of a line. */
  #visitor({ opened, salt }: CountedDay, address: SenderAddress, userAgent: UserAgent): bigint {
    const key = idOf(userAgent, address);
    const known = key === noSender ? undefined : this.#visitors.get(opened.id, key);
    if (known !== undefined) return known;
    const visitor = visitorId(salt, address.text, userAgent.text);
    if (key !== noSender) this.#visitors.set(opened.id, key, visitor);
    return visitor;
  }
}

/** 2^17 entries of 20 bytes. */
const slots = 1 << 17;

/**
 * The visitors that were hashed last, by day, address and user agent. Each number has one place, which it takes from
 * another: a Map of as many entries would make V8 keep several times their size.
 */
class VisitorMemory {
  readonly #keys = new Float64Array(slots);
  readonly #days = new Int32Array(slots);
  readonly #visitors = new BigInt64Array(slots);

  /** @param day above 0 */
  get(day: number, key: number): bigint | undefined {
    const slot = slotOf(day, key);
    return this.#keys[slot] === key && this.#days[slot] === day ? this.#visitors[slot] : undefined;
  }

  set(day: number, key: number, visitor: bigint): void {
    const slot = slotOf(day, key);
    this.#keys[slot] = key;
    this.#days[slot] = day;
    this.#visitors[slot] = visitor;
  }
}

function slotOf(day: number, key: number): number {
  const low = key | 0;
  const high = (key / 2 ** 26) | 0;
  return (Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b) ^ day) & (slots - 1);
}
