import type { Dimension } from '../../shared/reports/dimensions.ts';
import { addressDrop, type RuleReason } from '../counting/drop-rules.ts';
import { type Interned, intern } from '../counting/names/interned.ts';
import type { FindPlace, Place } from '../counting/places/place.ts';
import type { SeenClient } from '../counting/view.ts';
import { parseLanguage, parseTraits, type Traits } from '../counting/visitor/visitor.ts';
import { noSender } from '../identity/classify.ts';
import type { Identity } from '../identity/identity.ts';
import type { FindNetwork } from '../identity/networks/asn-database.ts';
import { identifyUserAgent } from '../identity/user-agent.ts';
import { clientAddress, type IsTrusted, parseAddress } from '../net/address.ts';
import type { LiveProject } from '../projects/registry.ts';
import { copyOf } from './bytes.ts';
import type { LogEntry } from './formats/entry.ts';

/** Some 10 MB at the worst of each. */
const maxUserAgents = 20_000;
const maxAddresses = 50_000;
const maxId = 2 ** 26;

export interface UserAgent {
  /** Never used again, also when it is forgotten and comes back. */
  readonly id: number;
  readonly text: string;
  readonly traits: Record<keyof Traits, Interned<string>>;
  /** By the user agent alone. */
  readonly identity: Identity;
  readonly dropped: RuleReason<'userAgent'> | undefined;
}

export interface SenderAddress {
  readonly id: number;
  readonly text: string;
  readonly dropped: RuleReason<'address'> | 'unreadable' | undefined;
  readonly place: SenderPlace;
}

type SenderPlace = Readonly<Record<keyof Place, Interned<string> | null>>;

export interface SenderParts {
  project: LiveProject;
  findPlace: FindPlace;
  findNetwork: FindNetwork | null;
  trustedProxies: IsTrusted;
}

const noPlace: SenderPlace = { country: null, region: null, city: null };
const noAddress: SenderAddress = { id: 0, text: '', dropped: 'unreadable', place: noPlace };

/** A cache of parsed senders: a log has millions of lines and a few thousand senders. */
export class Senders {
  readonly #parts: SenderParts;
  readonly #userAgents = new Map<string, UserAgent>();
  readonly #addresses = new Map<string, SenderAddress>();
  readonly #clients = new Map<string, Interned<SeenClient>>();
  readonly #names = new Map<string, Interned<string>>();
  /** By the header's text. */
  readonly #languages = new Map<string, Interned<string> | null>();
  #lastId = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  userAgent(text: string): UserAgent {
    const known = this.#userAgents.get(text);
    if (known) return known;
    const own = copyOf(text);
    const userAgent = {
      id: ++this.#lastId,
      text: own,
      traits: this.#internTraits(parseTraits(own)),
      identity: identifyUserAgent(own),
      dropped: this.#parts.project.excludes.userAgent?.(own) ? ('excluded_user_agent' as const) : undefined,
    };
    remember(this.#userAgents, own, userAgent, maxUserAgents);
    return userAgent;
  }

  /** As for hits, only trusted proxies are believed. */
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

  client(client: SeenClient): Interned<SeenClient> {
    const key = `${client.proof} ${client.name}`;
    const known = this.#clients.get(key) ?? intern(client);
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
    const dropped = addressDrop(text, this.#parts.project, this.#parts);
    return { id: ++this.#lastId, text, dropped, place: this.#internPlace(this.#parts.findPlace(text)) };
  }

  #internPlace({ country, region, city }: Place): SenderPlace {
    return {
      country: country === null ? null : this.#intern('country', country),
      region: region === null ? null : this.#intern('region', region),
      city: city === null ? null : this.#intern('city', city),
    };
  }
}

/** One number for both, as a key for caches; none where they do not fit into a number. */
export function idOf(userAgent: UserAgent, address: SenderAddress): number {
  return Math.max(address.id, userAgent.id) < maxId ? address.id * maxId + userAgent.id : noSender;
}

/** Longer texts are rare and mostly hostile; they are looked at anew each time. */
const maxKeyLength = 300;

/** Keeps an answer; forgets all of them where there are too many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  if (typeof key === 'string' && key.length > maxKeyLength) return;
  if (map.size >= max) map.clear();
  map.set(key, value);
}
