import type { Count } from '../../shared/reports/analytics.ts';
import type { VisibleSeconds } from '../../shared/visible-time.ts';
import type { Clock } from '../clock.ts';
import type { Day } from '../counting/calendar.ts';
import { type CounterSet, counterSet } from '../counting/counter.ts';
import { viewedPath } from '../counting/page/renamed.ts';
import type { FindPlace } from '../counting/places/place.ts';
import type { SaltCipher } from '../counting/visitor/salt.ts';
import { ApiError, overloaded } from '../errors.ts';
import { NameSwitching } from '../identity/classify.ts';
import type { FindNetwork } from '../identity/networks/asn-database.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../projects/registry.ts';
import type { SiteFiles } from '../sitefiles/site-files.ts';
import type { DroppedHit } from '../store/receipts.ts';
import type { Store } from '../store/store.ts';
import { Deduplication, reservationOf } from './deduplication.ts';
import {
  type ClassifiedHit,
  classifyHit,
  type Hit,
  type HitLookups,
  HitRates,
  toDrop,
  toView,
} from './hit/hit.ts';
import { RecentVisitors } from './recent-visitors.ts';
import { BatchIntake, type ReceivedBatch } from './routes/batch-intake.ts';
import { type HitOutcome, type OutcomeName, Outcomes, SeenHosts } from './routes/outcomes.ts';
import { type Salted, Salts } from './sealing/salts.ts';
import { SharedVisitors } from './shared-visitors.ts';
import { Refusals, ViewBuffer } from './view-buffer.ts';

export interface IngestOptions {
  store: Store;
  registry: Registry;
  findPlace: FindPlace;
  findNetwork: FindNetwork | null;
  proofs: Proofs;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  saltCipher: SaltCipher;
  /** A minute, for each project; 0: without a bound. */
  maxHitsPerNetwork: number;
  log: Log;
  clock: Clock;
}

const counterFlushMs = 1000;

/** Takes hits in and counts them. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #salts: Salts;
  readonly #buffer: ViewBuffer;
  readonly #deduplication: Deduplication;
  readonly #recent: RecentVisitors | SharedVisitors;
  readonly #seenHosts: SeenHosts;
  readonly #lookups: HitLookups;
  readonly #outcomes: Outcomes;
  readonly #batches: BatchIntake;
  readonly #refusals: Refusals;
  readonly #timer: NodeJS.Timeout;

  constructor(options: IngestOptions) {
    const { store } = options;
    const { now } = options.clock;
    this.#options = options;
    this.#lookups = {
      ...options,
      now,
      names: new NameSwitching(),
      rates: new HitRates(options.maxHitsPerNetwork),
    };
    const salts = new Salts(options);
    const refusals = new Refusals(options.log, describeRefusals);
    const buffer = new ViewBuffer(store, refusals);
    const deduplication = new Deduplication(now);
    const recent = store.nodes
      ? new SharedVisitors({ ...options, store: store.nodes.recent, now })
      : new RecentVisitors(now);
    const seenHosts = new SeenHosts(options);
    const outcomes = new Outcomes({ ...options, salts, refusals, buffer, recent, seenHosts });
    const batches = { ...options, now, lookups: this.#lookups, salts, buffer, deduplication, outcomes };
    this.#salts = salts;
    this.#refusals = refusals;
    this.#buffer = buffer;
    this.#deduplication = deduplication;
    this.#recent = recent;
    this.#seenHosts = seenHosts;
    this.#outcomes = outcomes;
    this.#batches = new BatchIntake(batches);
    this.#timer = setInterval(() => this.#buffer.storeCounters(), counterFlushMs).unref();
  }

  /** Hits since the start. */
  get outcomeCounts(): Record<OutcomeName, number> {
    return this.#outcomes.outcomeCounts;
  }

  /**
   * Calls back once: when the hit is counted and the count survives a loss of power, when it was dropped, or with
   * `invalid` for a hit that cannot be understood and `overloaded` when it was not accepted.
   */
  receive(hit: Hit, settle: (outcome: HitOutcome | ApiError) => void, isLookedUp = false): void {
    const outcomes = this.#outcomes;
    if (this.#isDayUnsure(hit)) {
      outcomes.outcomeCounts.overloaded++;
      settle(unsureDay());
      return;
    }
    const classified = classifyHit(hit, this.#lookups);
    if ('dropped' in classified) {
      if (classified.dropped === 'unknown_project' && !isLookedUp) {
        this.#options.registry.catchUp().then(() => this.receive(hit, settle, true), settle);
        return;
      }
      const dropped = outcomes.drop(classified);
      settle(classified.dropped === 'invalid' ? new ApiError('invalid', classified.error) : dropped);
      return;
    }
    if (classified.hit.seenFor !== undefined) {
      this.#noteTime(classified, classified.hit.seenFor, settle);
      return;
    }
    const count = (salted: Salted | null) => {
      if (!salted) {
        settle(outcomes.drop({ dropped: 'unknown_project' }));
        return;
      }
      const view = toView(classified, salted, this.#options.findPlace);
      if (this.#options.store.nodes && reservationOf(classified, view)) {
        this.#batches.receiveClaimed(classified, view, settle);
        return;
      }
      // The server's report leaves people to the script, so that only AI clients have duplicates.
      const report = classified.kind === 'ai' ? this.#deduplication.check(classified, view) : undefined;
      if (report?.isDuplicate) {
        settle(outcomes.drop(toDrop(classified, 'same_view')));
        return;
      }
      this.#buffer.add([view], (refused) => {
        if (refused instanceof ApiError) {
          outcomes.notAccepted([classified]);
          report?.undo();
          settle(refused);
        } else settle(refused.length === 0 ? outcomes.count(view, classified) : outcomes.refuse(classified));
      });
    };
    const opened = this.#salts.get(classified.project.id, classified.day);
    if (opened instanceof Promise)
      opened.then(count, (error: unknown) => settle(outcomes.notOpened([classified], error)));
    else count(opened);
  }

  #noteTime(
    classified: ClassifiedHit,
    seconds: VisibleSeconds,
    settle: (outcome: HitOutcome | ApiError) => void,
  ): void {
    const { project, day, page } = classified;
    const counters = visibleTimeCounter(seconds, viewedPath(page.path, project.settings));
    this.#buffer.addCounters({ projectId: project.id, day, counters, bytes: 0 }, (refused) => {
      if (refused instanceof ApiError) {
        this.#outcomes.notAccepted([classified]);
        settle(refused);
      } else {
        this.outcomeCounts.human++;
        settle({});
      }
    });
  }

  /**
   * Receives a batch: all its hits are counted in one transaction, or none. Returns those that are not counted, by their
   * place, invalid ones included.
   *
   * @throws ApiError `overloaded` when none was accepted, `invalid` where the key was used with another batch
   */
  async receiveBatch(batch: ReceivedBatch): Promise<DroppedHit[]> {
    const { registry } = this.#options;
    if (!registry.project(batch.projectId)) await registry.catchUp();
    if (this.#isDayUnsure(batch)) {
      this.outcomeCounts.overloaded += batch.hits.length;
      throw unsureDay();
    }
    return this.#batches.receive(batch);
  }

  /** Resolves when everything received so far is settled and stored. */
  drain(): Promise<void> {
    return this.#buffer.drain();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#buffer.drain();
    await this.#seenHosts.settle();
    if (this.#recent instanceof SharedVisitors) await this.#recent.stop();
    this.#refusals.end();
  }

  /** Views on their way to the store. */
  get buffer(): Pick<ViewBuffer, 'waiting' | 'commitSeconds' | 'commitViews'> {
    return this.#buffer;
  }

  /** Whether hits are stored. */
  get storing(): Pick<Refusals, 'unstored' | 'settle'> {
    return this.#refusals;
  }

  /** Visitors of the project in the last five minutes. */
  async recent(projectId: string): Promise<Count> {
    return this.#recent.count(projectId);
  }

  /** Also drops the salts of closed days. */
  forgetSalts(projectId: string, through: Day): void {
    this.#salts.forget(projectId, through);
  }

  /** The clock was set to another day than the one expected for the project. */
  #isDayUnsure({ projectId }: Pick<Hit, 'projectId'>): boolean {
    const { clock, registry } = this.#options;
    clock.now();
    const { doubt } = clock;
    if (!doubt) return false;
    const calendar = registry.project(projectId)?.calendar;
    return calendar !== undefined && calendar.dayOf(doubt.shows) !== calendar.dayOf(doubt.expected);
  }
}

function unsureDay(): ApiError {
  return overloaded(
    'The clock of the server was changed, so the day of the hit is not certain. The hit was not stored; retry later.',
    60,
  );
}

function describeRefusals(views: number): string {
  if (views === 0) return 'Dropped hits could not be stored yet; retrying:';
  const [subject, senders] =
    views === 1 ? ['1 view', 'its sender was'] : [`${views} views`, 'their senders were'];
  return `${subject} could not be stored, ${senders} asked to try again:`;
}

/** The counter of the time that a page was visible. */
function visibleTimeCounter(seconds: VisibleSeconds, path: string): CounterSet {
  return counterSet([{ counter: 'visible-time', group: String(seconds), name: path }]);
}
