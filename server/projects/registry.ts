import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { hasGoals } from '../../shared/project/goals.ts';
import { type Calendar, calendarOf } from '../counting/calendar.ts';
import type { SiteRules } from '../counting/drop-rules.ts';
import { pathMatcher, preparePaths } from '../counting/page/path-pattern.ts';
import { overloaded } from '../errors.ts';
import type { Log } from '../log.ts';
import { isInList, toBlockList } from '../net/address.ts';
import { isPrivateHost } from '../net/private-host.ts';
import type { Key, Link, ListedProject } from '../store/projects.ts';
import { requireComplete, type Store } from '../store/store.ts';
import { queryMatcher, userAgentMatcher } from './exclusions.ts';
import { hashKey, isKey } from './key.ts';
import { subscribe } from './subscribe.ts';

/** A project with its rules compiled. */
export interface LiveProject extends ListedProject {
  acceptsHost(host: string): boolean;
  excludesPath(path: string): boolean;
  excludes: SiteRules['excludes'];
  /** Of its time zone. */
  calendar: Calendar;
  /** It wants to know where visits came from. */
  hasGoals: boolean;
}

/** A key with its limits compiled. */
export interface LiveKey extends Key {
  isOver(now: number): boolean;
  isUsableFrom(address: string): boolean;
}

const usualBetweenLooksMs = 100;
/** Length of all globs together. */
const quicklyCompiled = 2_000;

/** All projects, keys and links in memory, at most a second behind the store. */
export class Registry {
  readonly #store: Pick<Store, 'directoryVersion' | 'directory'>;
  readonly #log: Log;
  readonly #betweenLooksMs: number;
  #version = -1;
  #projects = new Map<string, LiveProject>();
  /** Rows that stayed are the same objects as before. */
  readonly #live = new WeakMap<ListedProject, LiveProject>();
  #preparing = Promise.resolve();
  #keys = new Map<string, LiveKey>();
  #links = new Map<string, Link>();
  #incomplete: ReadonlySet<string> = new Set();
  #hasPassword = false;
  #look: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    store: Pick<Store, 'directoryVersion' | 'directory'>,
    log: Log,
    betweenLooksMs = usualBetweenLooksMs,
  ) {
    this.#store = store;
    this.#log = log;
    this.#betweenLooksMs = betweenLooksMs;
  }

  /** @throws StoreError `damaged`, here and below, where it may be among rows that are lost */
  project(id: string): LiveProject | undefined {
    return this.#projects.get(id) ?? this.#notAmong('projects');
  }

  projects(): Iterable<LiveProject> {
    return this.#projects.values();
  }

  /** Undefined for what is no key, and for one that is unknown or revoked; one that has expired is still there. */
  findKey(secret: string): LiveKey | undefined {
    return isKey(secret) ? (this.#keys.get(hashKey(secret)) ?? this.#notAmong('keys')) : undefined;
  }

  keys(): Iterable<Key> {
    return this.#keys.values();
  }

  /** By the token in its address. */
  link(token: string): Link | undefined {
    return this.#links.get(token) ?? this.#notAmong('links');
  }

  links(): Iterable<Link> {
    return this.#links.values();
  }

  #notAmong(table: string): undefined {
    requireComplete(this.#incomplete, table);
  }

  /** Whether the dashboard's password has been set. */
  get hasPassword(): boolean {
    return this.#hasPassword;
  }

  async refresh(): Promise<void> {
    if ((await this.#store.directoryVersion()) === this.#version) return;
    const directory = await this.#store.directory();
    // A store need not answer in order, and an older answer would bring back a revoked key.
    if (directory.version < this.#version) return;
    this.#projects = new Map(directory.projects.map((project) => [project.id, this.#liveOf(project)]));
    this.#keys = new Map(directory.keys.map(({ hash, ...key }) => [hash, makeLiveKey(key)]));
    this.#links = new Map(directory.links.map((link) => [link.token, link]));
    this.#hasPassword = directory.hasPassword;
    this.#incomplete = directory.incomplete;
    this.#version = directory.version;
  }

  #liveOf(project: ListedProject): LiveProject {
    const known = this.#live.get(project);
    if (known) return known;
    const live = makeLive(project);
    this.#live.set(project, live);
    const { excludedPaths } = project.settings;
    // Otherwise they are compiled by the first hit, in one turn.
    if (excludedPaths.join('').length > quicklyCompiled) {
      this.#preparing = this.#preparing
        .then(() => preparePaths(excludedPaths))
        // It keeps what it has compiled.
        .then(() => void live.excludesPath('/'));
    }
    return live;
  }

  /**
   * Reads changes made before this call. Callers use it before they answer that something does not exist. All together
   * cause at most ten reads a second, so that invented names do not keep the store busy.
   *
   * @throws ApiError `overloaded` where the store cannot be read
   */
  catchUp(): Promise<void> {
    this.#look ??= this.#lookSoon();
    return this.#look;
  }

  async #lookSoon(): Promise<void> {
    await pause(Math.max(0, this.#lookedAt + this.#betweenLooksMs - performance.now()));
    // Later callers may need changes that this read misses.
    this.#look = undefined;
    this.#lookedAt = performance.now();
    try {
      await this.refresh();
    } catch (error) {
      this.#log.error('Projects and keys could not be read again:', error);
      throw overloaded('The database could not be read to look this up. Nothing was stored; retry later.', 5);
    }
  }

  /** Reads again after each change in the store. Returns a function that stops it. */
  watch(store: Pick<Store, 'onDirectoryChange'>): () => void {
    return subscribe({
      log: this.#log,
      onChange: (listener) => store.onDirectoryChange(listener),
      refresh: () => this.refresh(),
      failure: 'Projects and keys could not be read again',
    });
  }
}

export function makeLive(project: ListedProject): LiveProject {
  const { hosts, seenHosts, excludedPaths } = project.settings;
  // Until then somebody tries it out, and wants to see something.
  const isPublic = seenHosts.some((host) => !isPrivateHost(host));
  const matchesPath = excludedPaths.length > 0 ? pathMatcher(excludedPaths) : () => false;
  return {
    ...project,
    acceptsHost: (host) =>
      hosts.length === 0
        ? !(isPublic && isPrivateHost(host))
        : hosts.some((pattern) => matchesHost(pattern, host)),
    excludesPath: matchesPath,
    excludes: exclusionsOf(project.settings),
    calendar: calendarOf(project.settings.timeZone),
    hasGoals: hasGoals(project.settings),
  };
}

/** Only what there is, so that a hit is asked for nothing else. */
function exclusionsOf(settings: ListedProject['settings']): SiteRules['excludes'] {
  const { excludedHosts, excludedQueries, excludedUserAgents, excludedCountries, excludedAsNumbers } =
    settings;
  const { excludedAddresses } = settings;
  const addresses = toBlockList(excludedAddresses);
  const numbers = excludedAsNumbers.map((text) => Number(text.slice(2)));
  return {
    ...(excludedHosts.length > 0 && {
      host: (host: string) => excludedHosts.some((pattern) => matchesHost(pattern, host)),
    }),
    ...(excludedAddresses.length > 0 && { address: (address: string) => isInList(addresses, address) }),
    ...(excludedQueries.length > 0 && { query: queryMatcher(excludedQueries) }),
    ...(excludedUserAgents.length > 0 && { userAgent: userAgentMatcher(excludedUserAgents) }),
    ...(excludedCountries.length > 0 && { country: (code: string) => excludedCountries.includes(code) }),
    ...(numbers.length > 0 && { as: (asn: number) => numbers.includes(asn) }),
  };
}

function makeLiveKey(key: Key): LiveKey {
  const expiresAt = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt);
  const networks = key.networks.length === 0 ? undefined : toBlockList(key.networks);
  return {
    ...key,
    isOver: (now) => now >= expiresAt,
    isUsableFrom: (address) => !networks || (isIP(address) !== 0 && isInList(networks, address)),
  };
}

/** `*.example.com` matches every host below example.com, at any depth, but not for itself. */
export function matchesHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
