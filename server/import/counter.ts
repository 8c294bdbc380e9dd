import { hitTime } from '../counting/calendar.ts';
import { askRules, findDrop, isReading, type RuleAnswers, type RuleDrop } from '../counting/drop-rules.ts';
import {
  aiViewSet,
  cutOffTallies,
  disallowedTally,
  failureTallies,
  isTold,
  mayBeTold,
  type SiteResponse,
  withWayIn,
} from '../counting/hit/site-response.ts';
import type { Interned } from '../counting/names/interned.ts';
import { isPageByType } from '../counting/page/page.ts';
import { countedPath } from '../counting/page/personal-path.ts';
import type { TallySet } from '../counting/tally.ts';
import type { CountedKind, SeenClient } from '../counting/view.ts';
import { momentOf } from '../counting/visit.ts';
import { visitorId } from '../counting/visitor/visitor.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { SiteFiles } from '../sitefiles/site-files.ts';
import type { Batch } from './batch.ts';
import type { CountedDay, ImportDays } from './days.ts';
import type { LogEntry } from './formats/entry.ts';
import { staysOpen } from './import-result.ts';
import { type LineJudgement, settled } from './line-judgement.ts';
import type { LoggedSite, RequestTarget } from './logged-site.ts';
import { idOf, noId, type SenderAddress, type Senders, type UserAgent } from './senders.ts';

/** Requests of which a log tells in several lines: these stand close together. */
const maxRequestIds = 10_000;

interface Parts {
  project: LiveProject;
  days: ImportDays;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  senders: Senders;
  site: LoggedSite;
  now: () => number;
}

/** A request for a page, on its way through the rules; a person's until told otherwise. */
interface Hit {
  readonly entry: LogEntry;
  readonly target: RequestTarget;
  readonly address: SenderAddress;
  readonly userAgent: UserAgent;
  readonly leavesPeople: boolean;
  kind: CountedKind;
  client: Interned<SeenClient> | null;
}

const peopleByLog = withWayIn('log', 'people');
const droppedByLog = withWayIn('log', 'dropped');

function responseOf({ file }: RequestTarget, { status, contentType, bytes }: LogEntry): SiteResponse {
  return { file, status: status || undefined, type: contentType, bytes: bytes < 0 ? undefined : bytes };
}

function fileDropOf({ fileDrops }: RequestTarget, { contentType }: LogEntry): RuleDrop | undefined {
  return isPageByType(contentType) ? fileDrops.ofPageType : fileDrops.byName;
}

function bytesOf({ bytes }: LogEntry): number {
  return Math.max(bytes, 0);
}

/** From an entry of a log to a view. */
export class Counter {
  readonly #parts: Parts;
  readonly #requestIds = new Set<string>();
  readonly #visitors = new VisitorMemory();
  /** What targets, addresses and senders are remembered by holds what the rules say of them. */
  readonly #answers: RuleAnswers<Hit, RuleDrop | 'unreadable'> = {
    page: ({ target }) => target.drop,
    address: ({ address }) => address.drop,
    sender: (hit) => this.#identify(hit),
    people: (hit) => askRules('people', hit, this.#parts.project),
    // Asked before all others.
    request: () => undefined,
    file: ({ entry, target }) => fileDropOf(target, entry),
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  count(entry: LogEntry, batch: Batch): LineJudgement {
    const { days, site, senders, project, now } = this.#parts;
    const noPage = askRules('request', entry, project)?.inLogs;
    if (noPage) return this.#tell(entry, batch) ?? settled[noPage];
    const target = site.target(entry.host, entry.secure, entry.target);
    if (target.drop === 'unreadable') return settled.unreadable;
    const noPageByName = fileDropOf(target, entry)?.inLogs;
    if (noPageByName) return this.#tell(entry, batch) ?? settled[noPageByName];
    const at = hitTime(entry.at, now());
    if (at === undefined) return settled.future;
    const day = days.dayOf(at);
    const counted = days.find(day);
    if (counted === undefined) return { kind: 'unopened', day };
    if (counted === null) return settled.taken;
    if (this.#isSeen(entry)) return settled.repeated;
    const hit: Hit = {
      entry,
      target,
      address: senders.address(entry),
      userAgent: senders.userAgent(entry.userAgent),
      client: null,
      kind: 'human',
      leavesPeople: !counted.countsPeople,
    };
    const drop = findDrop(hit, this.#answers);
    if (drop === undefined) return this.#add(hit, counted, batch);
    if (drop === 'unreadable') return settled.unreadable;
    // Once it is counted it was no dropped hit.
    if (staysOpen(drop.reason)) return settled[drop.reason];
    batch.drop(day, drop.reason, drop.family);
    batch.tell(day, droppedByLog);
    return settled[drop.reason];
  }

  #add(hit: Hit, day: CountedDay, batch: Batch): LineJudgement {
    const { entry, target, address, userAgent, kind, client } = hit;
    batch.views.add({
      day: batch.indexOf(day, entry.at),
      visitor: this.#visitor(day, address, userAgent),
      network: day.networks.numberOf(address.text),
      kind,
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
        ? { tallies: this.#talliesOf(hit, client.value.name), bytes: bytesOf(entry) }
        : { tallies: peopleByLog }),
    });
    return kind === 'ai' ? settled.ai : settled.person;
  }

  /**
   * Notes what is no view, where it is one of an AI client: a page that it did not get, or a file for machines. Most lines
   * are neither, which has to be found out at once. Answers that the day has to be opened first.
   */
  #tell(entry: LogEntry, batch: Batch): LineJudgement | undefined {
    const { days, site, senders, project, now } = this.#parts;
    if (!mayBeTold(entry.target, entry.status) || !isReading(entry.method)) return undefined;
    const userAgent = senders.userAgent(entry.userAgent);
    if (userAgent.verdict && entry.headers === undefined) return undefined;
    const target = site.target(entry.host, entry.secure, entry.target);
    const response = responseOf(target, entry);
    const at = hitTime(entry.at, now());
    if (target.drop !== undefined || !isTold(response) || at === undefined) return undefined;
    const day = days.dayOf(at);
    const counted = days.find(day);
    if (counted === undefined) return { kind: 'unopened', day };
    const address = senders.address(entry);
    if (counted === null || address.drop !== undefined || this.#isSeen(entry)) return undefined;
    const { client } = senders.judge(userAgent, address, entry, target.url);
    if (!client) return undefined;
    const path = countedPath(target.asked, project.settings);
    const told = failureTallies(client.value.name, path, response);
    batch.tell(day, withWayIn('log', 'dropped', told), bytesOf(entry));
    return undefined;
  }

  #talliesOf({ entry, target }: Hit, client: string): TallySet {
    const { project, siteFiles } = this.#parts;
    const response = responseOf(target, entry);
    const pathOf = () => countedPath(target.asked, project.settings);
    const isDisallowed = siteFiles.disallows({ project, client, url: target.url, at: entry.at });
    const disallowed = isDisallowed ? [disallowedTally(client, pathOf())] : [];
    return aiViewSet('log', client, response, [...cutOffTallies(client, response, pathOf), ...disallowed]);
  }

  #isSeen({ requestId }: LogEntry): boolean {
    return requestId !== '' && this.#isRepeated(requestId.slice(0, 100));
  }

  #identify(hit: Hit): RuleDrop | undefined {
    // Who imports such a log has said that they are people.
    if (hit.entry.lacksUserAgent) return undefined;
    const verdict = this.#parts.senders.judge(hit.userAgent, hit.address, hit.entry, hit.target.url);
    if (verdict.kind === 'dropped') return verdict.drop;
    hit.kind = verdict.kind;
    hit.client = verdict.client;
    return undefined;
  }

  #isRepeated(requestId: string): boolean {
    if (this.#requestIds.has(requestId)) return true;
    const [oldest] = this.#requestIds;
    if (this.#requestIds.size >= maxRequestIds && oldest !== undefined) this.#requestIds.delete(oldest);
    this.#requestIds.add(requestId);
    return false;
  }

  /** Hashing takes longer than all the rest of a line. */
  #visitor({ opened, salt }: CountedDay, address: SenderAddress, userAgent: UserAgent): bigint {
    const key = idOf(userAgent, address);
    const known = key === noId ? undefined : this.#visitors.get(opened.id, key);
    if (known !== undefined) return known;
    const visitor = visitorId(salt, address.text, userAgent.text);
    if (key !== noId) this.#visitors.set(opened.id, key, visitor);
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
