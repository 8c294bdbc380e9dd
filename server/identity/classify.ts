import type { RuleReason } from '../counting/drop-rules.ts';
import type { CountedKind, SeenClient } from '../counting/view.ts';
import { memoize } from '../memo.ts';
import { isPublicAddress } from '../net/https-get.ts';
import { findClient, ofCatalogue } from './catalogue.ts';
import { identify } from './identify.ts';
import type { Bot, Evidence, Identity } from './identity.ts';
import type { FindNetwork } from './networks/asn-database.ts';
import { hintOf, isHintOf, type NetworkHint } from './networks/network-hint.ts';
import { type DetailedFindings, feedsOf, type ProofQuestion, type Proofs } from './proof/proof.ts';
import { identifyUserAgent } from './user-agent.ts';

/** The parts of a request for a page that identify its sender. */
export interface SenderFacts {
  via: Evidence['via'];
  /** Absolute address of the page. */
  url: string;
  method?: string | undefined;
  /** IP address of the sender; left out: not known. */
  address?: string | undefined;
  userAgent: string;
  /** The page request's own headers, by lower-case name; only a report has them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Letters of what the tracker found in the page. */
  pageSigns?: string | undefined;
  /** Milliseconds since 1970; left out: now. */
  at?: number | undefined;
  /** The identity by the user agent alone, where the caller has it cached. */
  byUserAgent?: Identity | undefined;
}

export interface Identified {
  identity: Identity;
  /** The look-ups, to be released if the request is not accepted in the end. */
  findings?: DetailedFindings | undefined;
}

const byUserAgent = ofCatalogue(() => memoize(identifyUserAgent, 20_000));

const signatureHeaders = ['signature', 'signature-input', 'signature-agent'];

/** Who made the request, by what is known now; look-ups in the background improve the next answer. */
export function identifyRequest(facts: SenderFacts, proofs: Pick<Proofs, 'check'>): Identified {
  const named = facts.byUserAgent ?? byUserAgent()(facts.userAgent);
  const { headers, pageSigns } = facts;
  // Nearly always: there is nothing else to go by, and nothing to prove.
  if (named.kind !== 'ai' && headers === undefined && pageSigns === undefined) return { identity: named };
  const claimed = identify(evidenceOf(facts), named);
  const question = questionOf(facts, claimed);
  return question ? conclude(facts, named, proofs.check(question)) : { identity: claimed };
}

/** The same after the look-ups, some seconds at most. */
export async function identifyAfterLookups(
  facts: SenderFacts,
  proofs: Pick<Proofs, 'prove'>,
): Promise<Identified> {
  const named = byUserAgent()(facts.userAgent);
  const question = questionOf(facts, identify(evidenceOf(facts), named));
  return conclude(facts, named, question && (await proofs.prove(question)));
}

function conclude(facts: SenderFacts, named: Identity, findings: DetailedFindings | undefined): Identified {
  return { identity: identify({ ...evidenceOf(facts), findings }, named), findings };
}

function evidenceOf({ via, url, userAgent, headers, pageSigns: page }: SenderFacts): Evidence {
  // Who passes on Accept passes on Sec-Fetch-* as well; browsers send these over https only.
  const secure = headers?.accept !== undefined && url.startsWith('https:');
  return { via, userAgent, headers, page, secure };
}

/** What could prove the claim; undefined where there is nothing to prove. */
function questionOf(facts: SenderFacts, claimed: Identity): ProofQuestion | undefined {
  const { address, url, method, headers, at } = facts;
  const isSigned = headers !== undefined && signatureHeaders.some((name) => name in headers);
  // A private address is that of our own proxy, not of the sender.
  const isProvable = claimed.kind === 'ai' && address !== undefined && isPublicAddress(address);
  const client = isProvable ? findClient(claimed.client) : undefined;
  if (!client && !isSigned) return undefined;
  const feeds = (client?.tokens ?? []).map(feedsOf);
  return {
    ip: address ?? '',
    ...(at !== undefined && { at }),
    feeds: feeds.flatMap((feed) => feed.feeds),
    alsoElsewhere: feeds.some((feed) => feed.alsoElsewhere),
    suffixes: client?.reverseDns?.suffixes ?? [],
    ...(isSigned && {
      request: { url, headers, ...(method !== undefined && { method }), ...(at !== undefined && { at }) },
    }),
  };
}

/** A hit, a server's report or a line of a log, with the results of rules for its parts, which the caller may cache. */
export interface Request {
  facts: SenderFacts & { address: string; at: number };
  byPage: RuleReason<'page'> | undefined;
  byAddress: RuleReason<'address'> | undefined;
  byUserAgent: RuleReason<'userAgent'> | undefined;
  /** It is for no page. */
  isNoPage: boolean;
  /** The site's script counts its people. */
  leavesPeople: boolean;
  /** Nothing identifies the sender, and the caller counts it as a person. */
  isPerson?: boolean;
  /** A number for address and user agent, where the lookups remember identities. */
  sender?: number;
}

/** Each is remembered by itself. */
interface Project {
  readonly id: string;
  readonly settings: { readonly excludesDataCenters: boolean };
}

/** What is looked up for a request, and what is remembered of those before. */
export interface Lookups {
  proofs: Pick<Proofs, 'check'>;
  /** Where there is a database of networks. */
  findNetwork: FindNetwork | null;
  names: NameSwitching;
  /** Of a log's senders, on the day of its lines. */
  identities?: { day: number; bySender: Map<number, Identity> };
}

/** What a request counts as, and whether and why it does not count. */
export interface Classified {
  readonly dropped: RuleReason | undefined;
  /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
  readonly family: string;
  readonly kind: CountedKind;
  readonly client: SeenClient | null;
  /** Whose network a person or an unproved AI client came from; undefined where that is not looked up. */
  readonly network: NetworkHint | undefined;
  /** The look-ups about the sender. */
  readonly findings: DetailedFindings | undefined;
}

/** Until something else is known. */
const person: Classified = {
  dropped: undefined,
  family: '',
  kind: 'human',
  client: null,
  network: undefined,
  findings: undefined,
};

/** The rules in their order: the first that applies decides, and a sender is looked up only where no earlier rule drops the request. */
export function classify(request: Request, project: Project, lookups: Lookups): Classified {
  const { byPage, byAddress, byUserAgent, isNoPage, leavesPeople, isPerson } = request;
  const excluded = byPage ?? byAddress ?? byUserAgent;
  if (excluded !== undefined) return { ...person, dropped: excluded };
  const sender = isPerson ? person : identifySender(request, project, lookups);
  if (sender.dropped !== undefined) return sender;
  const isPlaced = sender.kind === 'human' && (leavesPeople || lookups.findNetwork !== null);
  const { dropped, network } = isPlaced ? placePerson(request, project, lookups) : sender;
  if (dropped !== undefined) return { ...sender, dropped };
  if (isNoPage) return { ...sender, dropped: 'no_page' };
  return network === sender.network ? sender : { ...sender, network };
}

/** Whose network somebody's browser is in, and whether people are left to the script or left out there. */
function placePerson(
  { leavesPeople, facts: { address } }: Request,
  { settings: { excludesDataCenters } }: Project,
  { findNetwork }: Lookups,
): Pick<Classified, 'dropped' | 'network'> {
  if (leavesPeople) return { dropped: 'left_to_script', network: undefined };
  const network = findNetwork ? hintOf(null, address, findNetwork) : undefined;
  return { dropped: excludesDataCenters && network === 'rented' ? 'data_center' : undefined, network };
}

/** Who sent a request: a person or an AI client, or dropped as a bot. */
export function identifySender(request: Request, { id }: Project, lookups: Lookups): Classified {
  const { identities, names, proofs, findNetwork } = lookups;
  const { facts, sender = noSender } = request;
  const { address, at } = facts;
  const { identity, findings } =
    identities && sender !== noSender && facts.headers === undefined
      ? rememberedIdentity(facts, sender, identities, proofs)
      : identifyRequest(facts, proofs);
  if (identity.kind === 'human') {
    names.person(id, address);
    return findings ? { ...person, findings } : person;
  }
  const operator = operatorNamed(identity);
  const isScanner = operator !== undefined && names.isScanner(id, address, operator, at);
  // A refuted claim keeps its own reason.
  const found = isScanner && identity.kind === 'ai' ? scanner : identity;
  if (found.kind === 'bot') {
    const { spoofed, family } = found;
    const isSpoofed = spoofed !== undefined;
    return { ...person, dropped: isSpoofed ? 'spoofed' : 'bot', family: spoofed ?? family, findings };
  }
  const { client: name, proof } = found;
  const network = findNetwork && isHintOf(found) ? hintOf(found.operator, address, findNetwork) : undefined;
  return { ...person, kind: 'ai', client: { name, proof }, network, findings };
}

/** Of a sender without a number. */
export const noSender = -1;
const dayMs = 86_400_000;
const maxIdentities = 100_000;

/** Lists of addresses speak for their own time, so that the day matters. */
function rememberedIdentity(
  facts: Request['facts'],
  sender: number,
  identities: NonNullable<Lookups['identities']>,
  proofs: Lookups['proofs'],
): Identified {
  // No address changes the identity of a person or a bot.
  if (facts.byUserAgent && facts.byUserAgent.kind !== 'ai') return { identity: facts.byUserAgent };
  const day = Math.floor(facts.at / dayMs);
  if (day !== identities.day || identities.bySender.size >= maxIdentities) identities.bySender.clear();
  identities.day = day;
  const known = identities.bySender.get(sender);
  if (known) return { identity: known };
  const { identity } = identifyRequest(facts, proofs);
  identities.bySender.set(sender, identity);
  return { identity };
}

/** An address that claims to be this many operators within the window is none of them. */
const operatorsOfScanner = 3;
const windowMs = 60_000;
/** A scanner stays one until it has used no name of an AI client for this long. */
const quietMs = 10 * 60_000;
/** Those that were asked about longest ago make room: some 2 MB. */
const maxAddresses = 10_000;

interface Sender {
  operators: Set<string>;
  /** Of the first name in the window, and of the last. */
  since: number;
  last: number;
  /** People come from it too, so that it is a proxy or an office. */
  isShared: boolean;
  isScanner: boolean;
}

const scanner: Bot = { kind: 'bot', family: 'security scanner', rule: 'name-switching' };

/**
 * Addresses that use the names of several operators of AI at one site within a minute: scanners, which try what AI clients are let in
 * to. Clients that run on their users' machines do not count, nor what is proved. In memory alone.
 */
export class NameSwitching {
  readonly #senders = new Map<string, Sender>();

  /**
   * Notes who a request says it is from.
   *
   * @param site of each one by itself
   * @param operator as `operatorNamed` found it
   * @param at milliseconds since 1970
   * @returns whether its address is a scanner's
   */
  isScanner(site: string, address: string, operator: string, at: number): boolean {
    const sender = this.#find(site, address, at);
    if (!sender) return false;
    sender.operators.add(operator);
    sender.last = at;
    sender.isScanner ||= !sender.isShared && sender.operators.size >= operatorsOfScanner;
    return sender.isScanner;
  }

  /** Notes that a person came from the address. */
  person(site: string, address: string): void {
    if (this.#senders.size === 0) return;
    const sender = this.#senders.get(`${site} ${address}`);
    if (sender) sender.isShared = true;
  }

  #find(site: string, address: string, at: number): Sender | undefined {
    const key = `${site} ${address}`;
    const known = this.#senders.get(key);
    if (!known && !isPublicAddress(address)) return undefined;
    this.#senders.delete(key);
    const isOver = known?.isScanner
      ? Math.abs(at - known.last) > quietMs
      : Math.abs(at - (known?.since ?? at)) > windowMs;
    const sender =
      known && !isOver
        ? known
        : { operators: new Set<string>(), since: at, last: at, isShared: false, isScanner: false };
    this.#senders.set(key, sender);
    if (this.#senders.size > maxAddresses) {
      const [oldest] = this.#senders.keys();
      if (oldest !== undefined) this.#senders.delete(oldest);
    }
    return sender;
  }
}

/** The operator of the AI client that a request says it is from, where its address should be that operator's. */
function operatorNamed(identity: Identity): string | undefined {
  const name =
    identity.kind === 'ai' ? identity.client : identity.kind === 'bot' ? identity.spoofed : undefined;
  if (name === undefined || (identity.kind === 'ai' && identity.proof !== 'claimed')) return undefined;
  const client = findClient(name);
  return client?.runsOnUserMachine ? undefined : client?.operator;
}
