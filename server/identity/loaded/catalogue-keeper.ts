import type { KeyObject } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { createHttpsGet, type HttpsGet } from '../../net/https-get.ts';
import type { CatalogueStore } from '../../store/admin/catalogue.ts';
import { shippedClients, useClients } from '../catalogue.ts';
import { rulesVersion, shippedVersions, useVersions } from '../rule-versions.ts';
import { type CatalogueDocument, checkDocument, parseDocument, versionOf } from './catalogue-document.ts';
import { CatalogueError } from './catalogue-error.ts';
import { isSigned, maxBytes, verifyText } from './signed-text.ts';

interface Parts {
  /** The keys of accepted catalogues; none: no catalogue is accepted. */
  keys: readonly KeyObject[];
  /** The address of newer catalogues. */
  url: string | null;
  store: CatalogueStore;
  get: HttpsGet;
  log: { info(message: string): void; warn(message: string): void };
}

const lookMs = 5_000;
const hourMs = 3_600_000;
const limits = { timeoutMs: 15_000, maxBytes, maxRedirects: 3 };

/** The loaded catalogue: stored for all processes of an installation, which load it while they run. */
export class CatalogueKeeper {
  readonly #parts: Parts;
  /** As it was signed. */
  #used: string | undefined;
  /** The last text that was rejected, so that it is logged once. */
  #refused = '';
  #looking: Promise<void> = Promise.resolve();
  #lookTimer: NodeJS.Timeout | undefined;
  #fetchTimer: NodeJS.Timeout | undefined;
  readonly #stopped = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** With the catalogue that was loaded before in use. */
  static async open(
    { config, ...parts }: { config: Pick<Config, 'offline' | 'clients'> } & Pick<Parts, 'store' | 'log'>,
    get: HttpsGet = createHttpsGet(),
  ): Promise<CatalogueKeeper> {
    const { offline, clients } = config;
    const url = offline ? null : clients.catalogueUrl;
    const keeper = new CatalogueKeeper({ ...parts, keys: clients.catalogueKeys, url, get });
    await keeper.take();
    return keeper;
  }

  /** Loads the stored catalogue. Never throws: a catalogue that cannot be used is logged, and changes nothing. */
  async take(): Promise<void> {
    const { store, keys } = this.#parts;
    if (keys.length === 0) return;
    try {
      const kept = await store.readCatalogue(rulesVersion, this.#used?.split('\n', 1)[0]);
      if (kept !== undefined) this.#tryUse(kept);
    } catch (error) {
      this.#parts.log.warn(
        `Whether a catalogue of AI clients was loaded could not be found out: ${reasonOf(error)}`,
      );
    }
  }

  /**
   * Takes one up and keeps it for all. One that is kept counts only if a current key verifies it: versions signed
   * by a lost key do not matter.
   *
   * @throws CatalogueError that says why not; then nothing has changed
   */
  async load(signed: string): Promise<CatalogueDocument> {
    const { keys, store } = this.#parts;
    const document = readCatalogue(signed, keys);
    const kept = await store.readCatalogue(0);
    const isVoid = kept !== undefined && !isSigned(kept, keys);
    const isKept = await store.keepCatalogue(
      { version: versionOf(document), signed },
      isVoid ? kept : undefined,
    );
    if (!isKept) {
      throw new CatalogueError(
        'The database has one of the same or a higher version, by a key that is trusted: only a newer one is taken up.',
      );
    }
    this.#use(document, signed);
    return document;
  }

  /** Checks every few seconds for a newly loaded catalogue. */
  watch(): void {
    if (this.#parts.keys.length === 0) return;
    this.#lookTimer = setInterval(() => this.#soon(() => this.take()), lookMs).unref();
  }

  /** And checks the address of newer catalogues once a day. */
  start(): void {
    const { keys, url } = this.#parts;
    this.watch();
    if (keys.length > 0 && url !== null) this.#fetchIn(Math.random() * 60_000, url);
  }

  /** Returns to the built-in catalogue, for everything else in this process. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#lookTimer);
    clearTimeout(this.#fetchTimer);
    await this.#looking;
    if (this.#parts.keys.length > 0) useShippedCatalogue();
  }

  /** @returns whether the address could be asked; what it has may be nothing new */
  async fetch(url: string): Promise<boolean> {
    const { get, log, store } = this.#parts;
    const { host } = new URL(url);
    try {
      const answer = await get(url, { ...limits, signal: this.#stopped.signal });
      if (answer.status !== 200) throw new CatalogueError(`${host} answered with status ${answer.status}.`);
      if (answer.body !== (await store.readCatalogue(0))) await this.load(answer.body);
      return true;
    } catch (error) {
      if (this.#stopped.signal.aborted) return false;
      log.warn(`No newer catalogue of AI clients from ${host}; that in use stays: ${reasonOf(error)}`);
      return false;
    }
  }

  #fetchIn(ms: number, url: string): void {
    this.#fetchTimer = setTimeout(() => {
      this.#soon(async () => {
        const wasAsked = await this.fetch(url);
        if (!this.#stopped.signal.aborted) this.#fetchIn((wasAsked ? 24 : 6) * hourMs, url);
      });
    }, ms).unref();
  }

  /** One after the other. */
  #soon(work: () => Promise<void>): void {
    this.#looking = this.#looking.then(work);
  }

  #tryUse(signed: string): void {
    if (signed === this.#refused) return;
    const { keys } = this.#parts;
    try {
      if (this.#used !== undefined && this.#isInsteadOfUsed(signed)) this.#drop();
      this.#use(readCatalogue(signed, keys), signed);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      this.#refused = signed;
      this.#parts.log.warn(`The catalogue of AI clients that was loaded is not used: ${error.message}`);
    }
  }

  /** Not one that comes after it, but by another key, or of a version that is not higher. */
  #isInsteadOfUsed(signed: string): boolean {
    const { keys } = this.#parts;
    return !isSigned(signed, keys) || versionOf(parseDocument(verifyText(signed, keys))) <= rulesVersion;
  }

  #drop(): void {
    this.#used = undefined;
    useShippedCatalogue();
    this.#parts.log.warn(
      'The catalogue of AI clients that was loaded is void, as another was stored in its place: the one that came with Headcount is in use.',
    );
  }

  #use(document: CatalogueDocument, signed: string): void {
    useCatalogue(document);
    this.#used = signed;
    const { version, date, says } = document.versions.at(-1) ?? {};
    this.#parts.log.info(`The catalogue of AI clients is version ${version} of ${date} from now on: ${says}`);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);

/** The catalogue in a signed text, if it may follow the one in use. @throws CatalogueError */
export function readCatalogue(signed: string, keys: readonly KeyObject[]): CatalogueDocument {
  const document = parseDocument(verifyText(signed, keys));
  checkDocument(document);
  return document;
}

/** Puts it into use in this process. */
export function useCatalogue({ clients, versions }: CatalogueDocument): void {
  useClients(clients);
  const [first] = versions;
  const before = shippedVersions.filter(({ version }) => first !== undefined && version < first.version);
  useVersions([...before, ...versions]);
}

/** Returns to the catalogue that came with this version of Headcount. */
export function useShippedCatalogue(): void {
  useClients(shippedClients);
  useVersions(shippedVersions);
}
