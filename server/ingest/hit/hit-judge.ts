import { randomInt } from 'node:crypto';
import type { TalliedReason } from '../../../shared/hit.ts';
import { type Calendars, hitTime, openAfterEndMs } from '../../counting/calendar.ts';
import { askRules, findDrop, type RuleAnswers, type RuleDrop } from '../../counting/drop-rules.ts';
import { type Page, parsePage, untwinned } from '../../counting/page/page.ts';
import type { TallySet } from '../../counting/tally.ts';
import type { Identity } from '../../identity/identity.ts';
import { judge } from '../../identity/judge.ts';
import { NameSwitching, operatorNamed, scanner } from '../../identity/name-switching.ts';
import type { FindNetwork } from '../../identity/networks/asn-database.ts';
import { hintOf, isHintOf, type NetworkHint } from '../../identity/networks/network-hint.ts';
import type { Proofs } from '../../identity/proof/proof.ts';
import { isLocalAddress, routedNetwork } from '../../net/address.ts';
import type { LiveProject, Registry } from '../../projects/registry.ts';
import type { SiteFiles } from '../../sitefiles/site-files.ts';
import type { Drop, Hit, JudgedHit } from './hit.ts';
import { fileOf, talliesOfDrop, talliesOfNoView } from './hit-tallies.ts';

/** A hit on its way through the rules; a person's until told otherwise. */
interface Draft extends JudgedHit {
  leavesPeople: boolean;
}

interface Parts {
  registry: Pick<Registry, 'project'>;
  calendars: Calendars;
  proofs: Proofs;
  /** Where there is a database of networks. */
  findNetwork: FindNetwork | null;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  rates: HitRates;
  now: () => number;
}

/** Says of each hit whether it counts, and as what. */
export class HitJudge {
  readonly #parts: Parts;
  readonly #names = new NameSwitching();
  readonly #answers: RuleAnswers<Draft, RuleDrop> = {
    page: ({ page, project }) => askRules('page', page, project),
    address: ({ hit, project }) => askRules('address', hit.address, project),
    sender: (draft) => this.#identify(draft),
    people: (draft) => askRules('people', draft, draft.project),
    request: ({ hit, project }) => askRules('request', requestOf(hit), project),
    file: ({ hit, asked, project }) => {
      const { isChosen, status } = requestOf(hit);
      return askRules('file', { isChosen, status, file: fileOf(asked) }, project);
    },
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  judge(hit: Hit): JudgedHit | Drop {
    const { registry, calendars, rates, now } = this.#parts;
    const project = registry.project(hit.projectId);
    if (!project) return { dropped: 'unknown_project' };
    const askedPage = parsePage(hit.url, project.settings.keptParameters, hit.hashRoutes);
    if (!askedPage) return invalid('The address of the page must be an absolute http or https URL.');
    const receivedAt = now();
    const at = hitTime(hit.at, receivedAt);
    if (at === undefined) {
      return invalid('The time of the hit lies in the future: check the clock of the sender.');
    }
    const { timeZone } = project.settings;
    const draft: Draft = {
      hit,
      project,
      page: pageOf(askedPage, hit, project),
      asked: askedPage.path,
      day: calendars.dayOf(timeZone, at),
      hour: calendars.hourOf(timeZone, at),
      at,
      kind: 'human',
      client: null,
      network: undefined,
      isDisallowed: false,
      findings: undefined,
      leavesPeople: hit.leavesPeople === true,
    };
    if (at < receivedAt - openAfterEndMs) return tallied(draft, 'too_old');
    const drop = findDrop(draft, this.#answers);
    if (hit.seenFor !== undefined && draft.kind !== 'human') return { dropped: 'not_a_person' };
    if (drop?.reason === 'no_page') return tallied(draft, 'no_page', '', talliesOfNoView(draft));
    if (drop) return tallied(draft, drop.reason, drop.family);
    // Reports and logs are for whoever has the key to answer.
    const isOver = hit.via !== 'report' && rates.isOver(project.id, hit.address, receivedAt);
    if (isOver) return tallied(draft, 'rate_limited');
    draft.isDisallowed = this.#isDisallowed(draft);
    return draft;
  }

  #isDisallowed({ hit: { url }, project, client, at }: Draft): boolean {
    return client !== null && this.#parts.siteFiles.disallows({ project, client: client.name, url, at });
  }

  #networkOf(identity: Identity, address: string): NetworkHint | undefined {
    const { findNetwork } = this.#parts;
    if (!findNetwork || identity.kind !== 'ai' || !isHintOf(identity)) return undefined;
    return hintOf(identity.operator, address, findNetwork);
  }

  #isScanner(identity: Identity, { hit: { address }, project, at }: Draft): boolean {
    if (identity.kind === 'human') this.#names.person(project.id, address);
    const operator = operatorNamed(identity);
    const isScanner = operator !== undefined && this.#names.isScanner(project.id, address, operator, at);
    // What is refuted is told as such.
    return isScanner && identity.kind === 'ai';
  }

  #identify(draft: Draft): RuleDrop | undefined {
    const { identity: found, findings } = judge(draft.hit, this.#parts.proofs);
    draft.findings = findings;
    const identity = this.#isScanner(found, draft) ? scanner : found;
    const drop = askRules('sender', identity, draft.project);
    if (drop || identity.kind === 'bot') return drop;
    draft.kind = identity.kind;
    draft.client = identity.kind === 'ai' ? { name: identity.client, proof: identity.proof } : null;
    draft.network = this.#networkOf(identity, draft.hit.address);
    return undefined;
  }
}

/** Why this hit is not counted, for the tally of its day. */
export function tallied(
  judged: JudgedHit,
  dropped: TalliedReason,
  family = '',
  tallies: TallySet = talliesOfDrop(judged),
): Drop {
  const { project, day, hit } = judged;
  return { dropped, family, tally: { projectId: project.id, day, tallies, bytes: hit.bytes ?? 0 } };
}

function invalid(error: string): Drop {
  return { dropped: 'invalid', error };
}

/** As far as it says whether it was for a page: of an event only where it happened. */
function requestOf({ via, event, status, headers, isAhead }: Hit) {
  return via === 'report' && !event
    ? { isChosen: true, status, headers, isAhead }
    : { isChosen: true, status: undefined, headers: undefined, isAhead };
}

/** A browser that runs the script or shows the image shows a page, whatever the end of its name. */
function pageOf(page: Page, hit: Hit, { settings }: LiveProject): Page {
  if (hit.via !== 'report') return page;
  const path = untwinned(page.path, settings);
  return path === page.path ? page : { ...page, path };
}

const minuteMs = 60_000;

/** Words of a slot: what tells the network, the minute, and the hits in it. */
const words = 3;
/** 0.8 MB: the networks of a minute. Where there are more, those with the fewest hits make room. */
const slots = 1 << 16;
/** A network stands in one of so many slots, counted from the one of its hash. */
const reach = 8;

/**
 * How many hits each network sends to each project in a minute: an IPv4 address, or a /48 of IPv6. One typed array, as this
 * is on every hit's way: nothing for the garbage collector.
 */
export class HitRates {
  /** A minute; 0: without a bound. */
  readonly #max: number;
  readonly #table = new Uint32Array(slots * words);
  /** Nobody can work out who shares a slot with whom. */
  readonly #seed = randomInt(2 ** 31);

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a hit, and tells whether it is one too many. Addresses of the local network are no visitors' of a site: they
   * are programs here, or a proxy that is not trusted yet, behind which everybody is.
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
