import type { Dimension } from '../../shared/reports/dimensions.ts';
import { askRules, type RuleDrop } from '../counting/drop-rules.ts';
import { type Interned, intern } from '../counting/names/interned.ts';
import type { FindPlace, Place } from '../counting/places/place.ts';
import type { SeenClient } from '../counting/view.ts';
import { parseLanguage, parseTraits, type Traits } from '../counting/visitor/traits.ts';
import type { Identity } from '../identity/identity.ts';
import { judge } from '../identity/judge.ts';
import { NameSwitching, operatorNamed, scanner } from '../identity/name-switching.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import { identifyUserAgent } from '../identity/user-agent.ts';
import { clientAddress, type IsTrusted, parseAddress } from '../net/address.ts';
import type { LiveProject } from '../projects/registry.ts';
import { copyOf } from './bytes.ts';
import type { LogEntry } from './formats/entry.ts';

/** Some 10 MB at the worst of each. */
const maxUserAgents = 20_000;
const maxAddresses = 50_000;
const maxClients = 100_000;
const maxId = 2 ** 26;

export interface UserAgent {
  /** Never used again, also when it is forgotten and comes back. */
  readonly id: number;
  readonly text: string;
  readonly traits: Record<keyof Traits, Interned<string>>;
  /** By the user agent alone; undefined: an AI client, whose address may tell more. */
  readonly verdict: SenderVerdict | undefined;
}

export interface SenderAddress {
  readonly id: number;
  readonly text: string;
  readonly drop: RuleDrop | 'unreadable' | undefined;
  readonly place: SenderPlace;
}

type SenderPlace = Readonly<Record<keyof Place, Interned<string> | null>>;

/** Who a request comes from, as far as it is counted or tallied; the operator is the one that it names (name-switching.ts). */
export type SenderVerdict = { readonly operator?: string | undefined } & (
  | { readonly kind: 'human'; readonly client: null }
  | { readonly kind: 'ai'; readonly client: Interned<SeenClient> }
  | { readonly kind: 'dropped'; readonly client: null; readonly drop: RuleDrop }
);

export interface SenderParts {
  project: LiveProject;
  proofs: Pick<Proofs, 'check'>;
  findPlace: FindPlace;
  trustedProxies: IsTrusted;
}

const human: SenderVerdict = { kind: 'human', client: null };
const noPlace: SenderPlace = { country: null, region: null, city: null };
const noAddress: SenderAddress = { id: 0, text: '', drop: 'unreadable', place: noPlace };
const dayMs = 86_400_000;

/** What is asked about whoever sent a request, remembered: a log has millions of lines and a few thousand senders. */
export class Senders {
  readonly #parts: SenderParts;
  readonly #switching = new NameSwitching();
  readonly #userAgents = new Map<string, UserAgent>();
  readonly #addresses = new Map<string, SenderAddress>();
  readonly #verdicts = new Map<number, SenderVerdict>();
  /** Of the lines that `#verdicts` are about, counted since 1970. */
  #day = Number.NaN;
  readonly #clients = new Map<string, Interned<SeenClient>>();
  readonly #names = new Map<string, Interned<string>>();
  /** By what the header says. */
  readonly #languages = new Map<string, Interned<string> | null>();
  #lastId = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  userAgent(text: string): UserAgent {
    const known = this.#userAgents.get(text);
    if (known) return known;
    const own = copyOf(text);
    const identity = identifyUserAgent(own);
    const userAgent = {
      id: ++this.#lastId,
      text: own,
      traits: this.#internTraits(parseTraits(own)),
      verdict: identity.kind === 'ai' ? undefined : this.#verdictOf(identity),
    };
    remember(this.#userAgents, own, userAgent, maxUserAgents);
    return userAgent;
  }

  /** As for hits, proxies are believed who are trusted. */
  address({ address, headers, forwardedFor: ownField }: LogEntry): SenderAddress {
    const forwardedFor = headers?.['x-forwarded-for'] || ownField;
    const text = forwardedFor ? clientAddress(address, forwardedFor, this.#parts.trustedProxies) : address;
    const known = this.#addresses.get(text);
    if (known) return known;
    const parsed = parseAddress(text);
    const found = parsed === undefined ? noAddress : this.#newAddress(parsed);
    remember(this.#addresses, copyOf(text), found, maxAddresses);
    return found;
  }

  language({ headers }: LogEntry): Interned<string> | null {
    const header = headers?.['accept-language'];
    if (!header) return null;
    const known = this.#languages.get(header);
    if (known !== undefined) return known;
    const own = copyOf(header);
    const tag = parseLanguage(own);
    const language = tag === null ? null : this.#intern('language', tag);
    remember(this.#languages, own, language, maxUserAgents);
    return language;
  }

  judge(userAgent: UserAgent, address: SenderAddress, entry: LogEntry, url: string): SenderVerdict {
    const verdict = this.#remembered(userAgent, address, entry, url);
    if (verdict.kind === 'human') this.#switching.person(this.#parts.project.id, address.text);
    const { operator } = verdict;
    const { id } = this.#parts.project;
    const isScanner =
      operator !== undefined && this.#switching.isScanner(id, address.text, operator, entry.at);
    // What is refuted is told as such.
    return isScanner && verdict.kind === 'ai' ? this.#verdictOf(scanner) : verdict;
  }

  #remembered(userAgent: UserAgent, address: SenderAddress, entry: LogEntry, url: string): SenderVerdict {
    // What a user agent says of a person or a bot, no address changes.
    if (entry.headers === undefined && userAgent.verdict) return userAgent.verdict;
    if (entry.headers !== undefined) return this.#judge(userAgent, address, entry, url);
    // Lists of addresses speak for their own time, so that the day matters.
    const day = Math.floor(entry.at / dayMs);
    if (day !== this.#day) this.#verdicts.clear();
    this.#day = day;
    const key = idOf(userAgent, address);
    const known = this.#verdicts.get(key);
    if (known) return known;
    const verdict = this.#judge(userAgent, address, entry, url);
    if (key !== noId) remember(this.#verdicts, key, verdict, maxClients);
    return verdict;
  }

  #judge(userAgent: UserAgent, address: SenderAddress, entry: LogEntry, url: string): SenderVerdict {
    const { method, at, headers } = entry;
    const witness = {
      via: 'report',
      url,
      method,
      address: address.text,
      userAgent: userAgent.text,
      headers,
      at,
    } as const;
    return this.#verdictOf(judge(witness, this.#parts.proofs).identity);
  }

  #verdictOf(identity: Identity): SenderVerdict {
    const drop = askRules('sender', identity, this.#parts.project);
    const operator = operatorNamed(identity);
    if (drop) return { kind: 'dropped', client: null, drop, operator };
    return identity.kind === 'ai'
      ? { kind: 'ai', client: this.#client(identity.client, identity.proof), operator }
      : human;
  }

  #client(name: string, proof: SeenClient['proof']): Interned<SeenClient> {
    const key = `${proof} ${name}`;
    const known = this.#clients.get(key) ?? intern({ name, proof });
    this.#clients.set(key, known);
    return known;
  }

  #internTraits({ device, browser, system }: Traits): UserAgent['traits'] {
    return {
      device: this.#intern('device', device),
      browser: this.#intern('browser', browser),
      system: this.#intern('system', system),
    };
  }

  /** Of each dimension on its own, as a place in a batch is one among its texts. */
  #intern(dimension: Dimension, text: string): Interned<string> {
    const key = `${dimension} ${text}`;
    const known = this.#names.get(key);
    if (known) return known;
    const found = intern(text);
    remember(this.#names, key, found, maxUserAgents);
    return found;
  }

  #newAddress(text: string): SenderAddress {
    const drop = askRules('address', text, this.#parts.project);
    return { id: ++this.#lastId, text, drop, place: this.#internPlace(this.#parts.findPlace(text)) };
  }

  #internPlace({ country, region, city }: Place): SenderPlace {
    const internIn = (dimension: keyof Place, name: string | null) =>
      name === null ? null : this.#intern(dimension, name);
    return {
      country: internIn('country', country),
      region: internIn('region', region),
      city: internIn('city', city),
    };
  }
}

/** Both together are more than a number holds. */
export const noId = -1;

/** One number for both, to remember answers by. */
export function idOf(userAgent: UserAgent, address: SenderAddress): number {
  return Math.max(address.id, userAgent.id) < maxId ? address.id * maxId + userAgent.id : noId;
}

/** Longer texts are rare and mostly hostile; they are looked at anew each time. */
const maxKeyLength = 300;

/** Keeps an answer; forgets all of them where there are too many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  if (typeof key === 'string' && key.length > maxKeyLength) return;
  if (map.size >= max) map.clear();
  map.set(key, value);
}
