import type { Day } from '../counting/calendar.ts';
import { visitorId } from '../counting/visitor.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Batch } from './batch.ts';
import type { CountedDay, Days } from './days.ts';
import type { Entry } from './formats/entry.ts';
import { isPageByType, judgeRequest } from './formats/request.ts';
import { type Address, idOf, noId, type Senders, type UserAgent } from './senders.ts';
import type { Site } from './site.ts';
import type { Outcome } from './tally.ts';
import { VisitorMemory } from './visitor-memory.ts';

/** Requests of which a log tells in several lines: these stand close together. */
const maxRequestIds = 10_000;
/** Clocks differ, as for hits that are reported. */
const maxAheadMs = 5 * 60 * 1000;

interface Parts {
  project: LiveProject;
  days: Days;
  senders: Senders;
  site: Site;
  now: () => number;
}

/** From an entry of a log to a view. */
export class Counter {
  readonly #parts: Parts;
  readonly #requestIds = new Set<string>();
  readonly #visitors = new VisitorMemory();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What became of the request; a number is the day that has to be opened before it can be said. */
  count(entry: Entry, batch: Batch): Outcome | Day {
    const { days, site, senders, now } = this.#parts;
    const request = judgeRequest(entry);
    if (request) return request;
    const target = site.target(entry.host, entry.secure, entry.target);
    if (target.reason === 'unreadable') return target.reason;
    if (!target.isPageByName && !isPageByType(entry.contentType)) return 'asset';
    if (entry.at > now() + maxAheadMs) return 'future';
    const day = days.dayOf(Math.min(entry.at, now()));
    const counted = days.find(day);
    if (counted === undefined) return day;
    if (counted === null) return 'taken';
    if (entry.requestId !== '' && this.#isRepeated(entry.requestId.slice(0, 100))) return 'repeated';
    const drop = (reason: Outcome, family = '') => {
      batch.drop(day, reason, family);
      return reason;
    };
    if (target.reason) return drop(target.reason);
    const address = senders.address(entry);
    if (address === null) return 'unreadable';
    if (address.isExcluded) return drop('excluded_address');
    const userAgent = senders.userAgent(entry.userAgent);
    const verdict = senders.judge(userAgent, address, entry, target.url);
    if (verdict.kind === 'bot') return drop(verdict.isSpoofed ? 'spoofed' : 'bot', verdict.family);
    if (verdict.kind === 'human' && !counted.countsPeople) return drop('left_to_script');
    batch.views.add({
      day: batch.indexOf(counted, entry.at),
      visitor: this.#visitor(counted, address, userAgent),
      kind: verdict.kind,
      path: target.path,
      source: site.source(target, entry.referrer),
      country: address.country,
      client: verdict.kind === 'ai' ? verdict.client : null,
      traits: userAgent.traits,
    });
    return verdict.kind === 'ai' ? 'ai' : 'person';
  }

  #isRepeated(requestId: string): boolean {
    if (this.#requestIds.has(requestId)) return true;
    const [oldest] = this.#requestIds;
    if (this.#requestIds.size >= maxRequestIds && oldest !== undefined) this.#requestIds.delete(oldest);
    this.#requestIds.add(requestId);
    return false;
  }

  /** Hashing takes longer than all the rest of a line. */
  #visitor({ opened, salt }: CountedDay, address: Address, userAgent: UserAgent): bigint {
    const key = idOf(userAgent, address);
    const known = key === noId ? undefined : this.#visitors.get(opened.id, key);
    if (known !== undefined) return known;
    const visitor = visitorId(salt, address.text, userAgent.text);
    if (key !== noId) this.#visitors.set(opened.id, key, visitor);
    return visitor;
  }
}
