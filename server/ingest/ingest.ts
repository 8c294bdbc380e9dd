import type { DropReason } from '../../shared/hit.ts';
import type { Registry } from '../admin/registry.ts';
import { Calendar } from '../day.ts';
import { ApiError } from '../errors.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Log } from '../log.ts';
import type { Day, Store, View } from '../store/store.ts';
import { Buffer } from './buffer.ts';
import type { FindCountry } from './country.ts';
import type { Drop, Hit, JudgedHit } from './hit.ts';
import { parsePage } from './page.ts';
import { findSource } from './source.ts';
import { runSteps } from './steps.ts';
import { parseTraits } from './traits.ts';
import { type Salted, Salts, visitorId } from './visitor.ts';

export interface IngestOptions {
  store: Store;
  registry: Registry;
  findCountry: FindCountry;
  proofs: Proofs;
  log: Log;
  now: () => number;
}

/** What became of a hit: counted and durable, or not counted and why. */
export type Outcome = { dropped?: undefined } | { dropped: DropReason; error?: string };

const counted: Outcome = {};

/** Clocks differ: a report may come from this far ahead, and counts as of now. */
const maxAheadMs = 5 * 60 * 1000;

const tallyFlushMs = 1000;

/** From a hit to a count. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #salts: Salts;
  readonly #buffer: Buffer;
  readonly #calendars = new Map<string, Calendar>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#salts = new Salts(options.store);
    this.#buffer = new Buffer(options.store, options.log);
    this.#timer = setInterval(() => void this.#buffer.drain().catch(() => undefined), tallyFlushMs).unref();
  }

  /**
   * Resolves when the hit is counted and the count survives a loss of power, or when it was dropped.
   *
   * @throws ApiError `invalid` for a hit that cannot be understood, `overloaded` when it was not accepted.
   */
  async receive(hit: Hit): Promise<Outcome> {
    const judged = this.#judge(hit);
    if ('dropped' in judged) return this.#drop(judged);
    const opened = this.#salts.get(judged.projectId, judged.day);
    const salted = opened instanceof Promise ? await opened : opened;
    if (!salted) return { dropped: 'unknown_project' };
    const refused = await this.#add([this.#toView(judged, salted)], [judged]);
    return refused.length === 0 ? counted : this.#refuse(judged);
  }

  /**
   * Receives hits as one: they are counted in one transaction, or none of them is.
   *
   * @throws ApiError `overloaded` when none was accepted. What cannot be understood is dropped as `invalid`.
   */
  async receiveAll(hits: Hit[]): Promise<Outcome[]> {
    const judged = hits.map((hit) => this.#judgeOrDrop(hit));
    const views: View[] = [];
    const outcomes: Outcome[] = [];
    const indexes: number[] = [];
    for (const [index, hit] of judged.entries()) {
      const salted = 'dropped' in hit ? null : await this.#salts.get(hit.projectId, hit.day);
      if ('dropped' in hit) outcomes[index] = this.#drop(hit);
      else if (!salted) outcomes[index] = { dropped: 'unknown_project' };
      else {
        indexes.push(index);
        views.push(this.#toView(hit, salted));
      }
    }
    const accepted = indexes.map((index) => judged[index] as JudgedHit);
    const refused = new Set(views.length > 0 ? await this.#add(views, accepted) : []);
    for (const [i, index] of indexes.entries()) {
      outcomes[index] = refused.has(i) ? this.#refuse(judged[index] as JudgedHit) : counted;
    }
    return outcomes;
  }

  /** Resolves when everything received so far is settled and stored. */
  drain(): Promise<void> {
    return this.#buffer.drain();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#buffer.drain();
  }

  dayOf(timeZone: string, atMs: number): Day {
    let calendar = this.#calendars.get(timeZone);
    if (!calendar) {
      calendar = new Calendar(timeZone);
      this.#calendars.set(timeZone, calendar);
    }
    return calendar.dayOf(atMs);
  }

  /** Salts of sealed days are forgotten here too. */
  forgetSalts(projectId: string, through: Day): void {
    this.#salts.forget(projectId, through);
  }

  #judge(hit: Hit): JudgedHit | Drop {
    const project = this.#options.registry.project(hit.projectId);
    if (!project) return { dropped: 'unknown_project' };
    const page = parsePage(hit.url, project.settings.keptParameters, hit.hashRoutes);
    if (!page) {
      throw new ApiError('invalid', 'The address of the page must be an absolute http or https URL.');
    }
    const now = this.#options.now();
    if (hit.at > now + maxAheadMs) {
      throw new ApiError('invalid', 'The time of the hit lies in the future: check the clock of the sender.');
    }
    const at = Math.min(hit.at, now);
    const day = this.dayOf(project.settings.timeZone, at);
    return runSteps({ ...hit, at, now, project, page, day }, this.#options.proofs);
  }

  /** A hit that is not accepted comes again, and a signature is good for one request only. */
  #add(views: View[], hits: JudgedHit[]): Promise<number[]> {
    return this.#buffer.add(views).catch((error: unknown) => {
      for (const { proof } of hits) if (proof) this.#options.proofs.release(proof);
      throw error;
    });
  }

  #judgeOrDrop(hit: Hit): JudgedHit | Drop {
    try {
      return this.#judge(hit);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid')
        return { dropped: 'invalid', error: error.message };
      throw error;
    }
  }

  #drop({ dropped, tally, family = '', error }: Drop): Outcome {
    if (tally) {
      const { projectId, day } = tally;
      this.#buffer.tally({ projectId, day, reason: dropped, family, hits: 1 });
    }
    return error === undefined ? { dropped } : { dropped, error };
  }

  /** The day was sealed between the look at its salt and the commit. */
  #refuse(hit: JudgedHit): Outcome {
    this.#salts.forget(hit.projectId, hit.day);
    return this.#drop({ dropped: 'too_old', tally: hit });
  }

  #toView(hit: JudgedHit, { day, salt }: Salted): View {
    return {
      projectId: hit.projectId,
      day,
      visitor: visitorId(salt, hit.address, hit.userAgent),
      kind: hit.kind,
      path: hit.page.path,
      source: findSource(hit.page, hit.referrer, (host) => isListed(hit.project.settings.hosts, host, hit)),
      ...parseTraits(hit.userAgent),
      country: this.#options.findCountry(hit.address),
      client: hit.client,
    };
  }
}

/** Where a project names its hosts, all of them are the site itself. */
function isListed(hosts: readonly string[], host: string, hit: JudgedHit): boolean {
  return hosts.length > 0 && hit.project.acceptsHost(host);
}
