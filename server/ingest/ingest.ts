import type { DropReason } from '../../shared/hit.ts';
import type { Clock } from '../clock.ts';
import { Complaint } from '../complaint.ts';
import { Calendars, type Day } from '../counting/calendar.ts';
import type { FindCountry } from '../counting/country.ts';
import type { SaltCipher } from '../counting/salt.ts';
import type { View } from '../counting/view.ts';
import { ApiError, overloaded } from '../errors.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../projects/registry.ts';
import type { Count } from '../store/analytics-store.ts';
import type { Store } from '../store/store.ts';
import { Deduplication } from './deduplication.ts';
import type { Drop, Hit, JudgedHit } from './hit.ts';
import { noFates } from './hit-fate.ts';
import { HitJudge, tallied } from './hit-judge.ts';
import { HitRates } from './hit-rates.ts';
import { toView } from './hit-view.ts';
import { RecentVisitors } from './recent-visitors.ts';
import { type Salted, Salts } from './salts.ts';
import { ViewBuffer } from './view-buffer.ts';

export interface IngestOptions {
  store: Store;
  registry: Registry;
  findCountry: FindCountry;
  proofs: Proofs;
  saltCipher: SaltCipher;
  /** A minute, for each project; 0: without a bound. */
  maxHitsPerNetwork: number;
  log: Log;
  clock: Clock;
}

/** What became of a hit: counted and durable, or not counted and why. */
export type HitOutcome = { dropped?: undefined } | { dropped: DropReason; error?: string };

const counted: HitOutcome = {};

/** A view that the site's server and the page itself may both tell of. */
interface Pair {
  isSecond: boolean;
  undo(): void;
}

const tallyFlushMs = 1000;

/** From a hit to a count. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #salts: Salts;
  readonly #buffer: ViewBuffer;
  readonly #deduplication: Deduplication;
  readonly #recent: RecentVisitors;
  readonly #calendars = new Calendars();
  readonly #judge: HitJudge;
  readonly #refusals: Complaint;
  readonly #timer: NodeJS.Timeout;
  /** Hits since the start. */
  readonly fates = noFates();

  constructor(options: IngestOptions) {
    const { now } = options.clock;
    this.#options = options;
    this.#judge = new HitJudge({
      ...options,
      now,
      calendars: this.#calendars,
      rates: new HitRates(options.maxHitsPerNetwork),
    });
    this.#salts = new Salts(options);
    this.#refusals = new Complaint(options.log, describeRefusals);
    this.#buffer = new ViewBuffer(options.store, this.#refusals);
    this.#deduplication = new Deduplication(now);
    this.#recent = new RecentVisitors(now);
    this.#timer = setInterval(() => this.#buffer.storeTallies(), tallyFlushMs).unref();
  }

  /**
   * Calls back once: when the hit is counted and the count survives a loss of power, when it was dropped, or with
   * `invalid` for a hit that cannot be understood and `overloaded` when it was not accepted.
   */
  receive(hit: Hit, settle: (outcome: HitOutcome | ApiError) => void, isLookedUp = false): void {
    if (this.#isDayUnsure(hit)) {
      this.fates.overloaded++;
      settle(unsureDay());
      return;
    }
    const judged = this.#judge.judge(hit);
    if ('dropped' in judged) {
      if (judged.dropped === 'unknown_project' && !isLookedUp) {
        this.#options.registry.catchUp().then(() => this.receive(hit, settle, true), settle);
        return;
      }
      const dropped = this.#drop(judged);
      settle(judged.dropped === 'invalid' ? new ApiError('invalid', judged.error) : dropped);
      return;
    }
    const count = (salted: Salted | null) => {
      if (!salted) {
        settle(this.#drop({ dropped: 'unknown_project' }));
        return;
      }
      const view = toView(judged, salted, this.#options.findCountry);
      const pair = this.#pair(judged, view);
      if (pair?.isSecond) {
        settle(this.#drop(tallied(judged, 'same_view')));
        return;
      }
      this.#add([view], [judged], (refused) => {
        if (refused instanceof ApiError) {
          pair?.undo();
          settle(refused);
        } else settle(refused.length === 0 ? this.#counted(view, judged) : this.#refuse(judged));
      });
    };
    const opened = this.#salts.get(judged.project.id, judged.day);
    if (opened instanceof Promise)
      opened.then(count, (error: unknown) => settle(this.#notOpened([judged], error)));
    else count(opened);
  }

  /**
   * Receives hits as one: they are counted in one transaction, or none of them is.
   *
   * @throws ApiError `overloaded` when none was accepted. What cannot be understood is dropped as `invalid`.
   */
  async receiveAll(hits: Hit[]): Promise<HitOutcome[]> {
    const { registry, findCountry } = this.#options;
    if (hits.some(({ projectId }) => !registry.project(projectId))) await registry.catchUp();
    if (hits.some((hit) => this.#isDayUnsure(hit))) {
      this.fates.overloaded += hits.length;
      throw unsureDay();
    }
    const judged = hits.map((hit) => this.#judge.judge(hit));
    const opened = await this.#openDays(judged);
    const outcomes: HitOutcome[] = [];
    const indexes: number[] = [];
    const views: View[] = [];
    const pairs: Pair[] = [];
    for (const [index, hit] of judged.entries()) {
      const salted = opened[index] ?? null;
      if ('dropped' in hit) outcomes[index] = this.#drop(hit);
      else if (!salted) outcomes[index] = this.#drop({ dropped: 'unknown_project' });
      else {
        const view = toView(hit, salted, findCountry);
        const pair = this.#pair(hit, view);
        if (pair) pairs.push(pair);
        if (pair?.isSecond) outcomes[index] = this.#drop(tallied(hit, 'same_view'));
        else indexes[views.push(view) - 1] = index;
      }
    }
    const accepted = indexes.map((index) => judged[index] as JudgedHit);
    const refused = views.length === 0 ? [] : await this.#addAll(views, accepted, pairs);
    for (const [i, index] of indexes.entries()) {
      const hit = accepted[i] as JudgedHit;
      outcomes[index] = refused.includes(i) ? this.#refuse(hit) : this.#counted(views[i] as View, hit);
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
    this.#refusals.end();
  }

  /** Views on their way to the store. */
  get buffer(): Pick<ViewBuffer, 'waiting' | 'commitSeconds' | 'commitViews'> {
    return this.#buffer;
  }

  /** Visitors of the project in the last five minutes, as far as this process counted them. */
  recent(projectId: string): Count {
    return this.#recent.count(projectId);
  }

  dayOf(timeZone: string, atMs: number): Day {
    return this.#calendars.dayOf(timeZone, atMs);
  }

  /** Salts of sealed days are forgotten here too. */
  forgetSalts(projectId: string, through: Day): void {
    this.#salts.forget(projectId, through);
  }

  /** The clock was set, and what it shows is another day for the project than what is expected. */
  #isDayUnsure({ projectId }: Hit): boolean {
    const { clock, registry } = this.#options;
    clock.now();
    const { doubt } = clock;
    if (!doubt) return false;
    const zone = registry.project(projectId)?.settings.timeZone;
    return zone !== undefined && this.dayOf(zone, doubt.shows) !== this.dayOf(zone, doubt.expected);
  }

  /** Null: dropped already, or the project is gone. @throws ApiError with which all are refused */
  async #openDays(judged: readonly (JudgedHit | Drop)[]): Promise<(Salted | null)[]> {
    const opened: (Salted | null)[] = [];
    try {
      for (const hit of judged) {
        opened.push('dropped' in hit ? null : await this.#salts.get(hit.project.id, hit.day));
      }
      return opened;
    } catch (error) {
      const undropped = judged.filter((hit): hit is JudgedHit => !('dropped' in hit));
      throw this.#notOpened(undropped, error);
    }
  }

  #notOpened(hits: readonly JudgedHit[], error: unknown): ApiError {
    this.fates.overloaded += hits.length;
    this.#release(hits);
    if (error instanceof ApiError) return error;
    this.#refusals.add(error, hits.length);
    return overloaded('The day could not be opened: nothing was accepted, send it again.', 5);
  }

  /** A hit that is not accepted comes again, and a signature is good for one request only. */
  #release(hits: readonly JudgedHit[]): void {
    for (const { findings } of hits) if (findings) this.#options.proofs.release(findings);
  }

  #add(views: View[], hits: JudgedHit[], settle: (refused: readonly number[] | ApiError) => void): void {
    this.#buffer.add(views, (refused) => {
      if (refused instanceof ApiError) {
        this.fates.overloaded += hits.length;
        this.#release(hits);
      }
      settle(refused);
    });
  }

  #addAll(views: View[], hits: JudgedHit[], pairs: Pair[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#add(views, hits, (refused) => {
        if (!(refused instanceof ApiError)) return resolve(refused);
        for (const pair of pairs) pair.undo();
        reject(refused);
      });
    });
  }

  /** Only AI clients are told of by both: a report leaves people to the script. */
  #pair({ hit, kind }: JudgedHit, { projectId, path, visitor }: View): Pair | undefined {
    if (kind !== 'ai' || (hit.via === 'report' && !hit.leavesPeople)) return undefined;
    const by = hit.via === 'report' ? 'report' : 'page';
    const view = `${projectId} ${visitor} ${path}`;
    const isSecond = this.#deduplication.note(view, by);
    return { isSecond, undo: () => this.#deduplication.undo(view, by) };
  }

  #drop(drop: Drop): HitOutcome {
    this.fates[drop.dropped]++;
    if ('tally' in drop) {
      const { dropped: reason, family, tally } = drop;
      this.#buffer.tally({ ...tally, reason, family, hits: 1 });
      return { dropped: reason };
    }
    return drop;
  }

  #counted({ projectId, visitor, kind }: View, { at }: JudgedHit): HitOutcome {
    if (kind === 'ai') this.fates.ai++;
    else this.fates.human++;
    this.#recent.add(projectId, visitor, kind, at);
    return counted;
  }

  /** The day was sealed between the look at its salt and the commit. */
  #refuse(hit: JudgedHit): HitOutcome {
    this.#salts.forget(hit.project.id, hit.day);
    return this.#drop(tallied(hit, 'too_old'));
  }
}

function unsureDay(): ApiError {
  return overloaded('The clock of the server was set: nothing was accepted while the day is not sure.', 60);
}

function describeRefusals(views: number): string {
  if (views === 0) return 'What was not counted could not be noted, it is tried again:';
  const [subject, senders] =
    views === 1 ? ['1 view', 'its sender was'] : [`${views} views`, 'their senders were'];
  return `${subject} could not be stored, ${senders} told to try again:`;
}
