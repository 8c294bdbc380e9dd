import type { Count } from '../../shared/reports/analytics.ts';
import type { VisibleSeconds } from '../../shared/visible-time.ts';
import type { Clock } from '../clock.ts';
import { Calendars, type Day } from '../counting/calendar.ts';
import { countedPath } from '../counting/page/personal-path.ts';
import type { FindPlace } from '../counting/places/place.ts';
import { type TallySet, tallySet } from '../counting/tally.ts';
import type { SaltCipher } from '../counting/visitor/salt.ts';
import { ApiError, overloaded } from '../errors.ts';
import type { FindNetwork } from '../identity/networks/asn-database.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../projects/registry.ts';
import type { SiteFiles } from '../sitefiles/site-files.ts';
import type { DroppedHit } from '../store/counts/receipt-store.ts';
import type { Store } from '../store/store.ts';
import { Deduplication } from './deduplication.ts';
import type { Hit, JudgedHit } from './hit/hit.ts';
import type { HitFate } from './hit/hit-fate.ts';
import { HitJudge, HitRates, tallied } from './hit/hit-judge.ts';
import { toView } from './hit/hit-tallies.ts';
import { RecentVisitors } from './recent-visitors.ts';
import { Refusals } from './refusals.ts';
import { reservationOf } from './reservations.ts';
import { BatchIntake, type ReceivedBatch } from './routes/batch-intake.ts';
import { type HitOutcome, Outcomes } from './routes/outcomes.ts';
import { type Salted, Salts } from './sealing/salts.ts';
import { SeenHosts } from './seen-hosts.ts';
import { SharedVisitors } from './shared-visitors.ts';
import { ViewBuffer } from './view-buffer.ts';

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

const tallyFlushMs = 1000;

/** From a hit to a count. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #salts: Salts;
  readonly #buffer: ViewBuffer;
  readonly #deduplication: Deduplication;
  readonly #recent: RecentVisitors | SharedVisitors;
  readonly #calendars = new Calendars();
  readonly #seenHosts: SeenHosts;
  readonly #judge: HitJudge;
  readonly #outcomes: Outcomes;
  readonly #batches: BatchIntake;
  readonly #refusals: Refusals;
  readonly #timer: NodeJS.Timeout;

  constructor(options: IngestOptions) {
    const { store } = options;
    const { now } = options.clock;
    this.#options = options;
    this.#judge = new HitJudge({
      ...options,
      now,
      calendars: this.#calendars,
      rates: new HitRates(options.maxHitsPerNetwork),
    });
    const salts = new Salts(options);
    const refusals = new Refusals(options.log, describeRefusals);
    const buffer = new ViewBuffer(store, refusals);
    const deduplication = new Deduplication(now);
    const recent = store.nodes
      ? new SharedVisitors({ ...options, store: store.nodes.recent, now })
      : new RecentVisitors(now);
    const seenHosts = new SeenHosts(options);
    const outcomes = new Outcomes({ ...options, salts, refusals, buffer, recent, seenHosts });
    const batches = { ...options, now, judge: this.#judge, salts, buffer, deduplication, outcomes };
    this.#salts = salts;
    this.#refusals = refusals;
    this.#buffer = buffer;
    this.#deduplication = deduplication;
    this.#recent = recent;
    this.#seenHosts = seenHosts;
    this.#outcomes = outcomes;
    this.#batches = new BatchIntake(batches);
    this.#timer = setInterval(() => this.#buffer.storeTallies(), tallyFlushMs).unref();
  }

  /** Hits since the start. */
  get fates(): Record<HitFate, number> {
    return this.#outcomes.fates;
  }

  /**
   * Calls back once: when the hit is counted and the count survives a loss of power, when it was dropped, or with
   * `invalid` for a hit that cannot be understood and `overloaded` when it was not accepted.
   */
  receive(hit: Hit, settle: (outcome: HitOutcome | ApiError) => void, isLookedUp = false): void {
    const outcomes = this.#outcomes;
    if (this.#isDayUnsure(hit)) {
      outcomes.fates.overloaded++;
      settle(unsureDay());
      return;
    }
    const judged = this.#judge.judge(hit);
    if ('dropped' in judged) {
      if (judged.dropped === 'unknown_project' && !isLookedUp) {
        this.#options.registry.catchUp().then(() => this.receive(hit, settle, true), settle);
        return;
      }
      const dropped = outcomes.drop(judged);
      settle(judged.dropped === 'invalid' ? new ApiError('invalid', judged.error) : dropped);
      return;
    }
    if (judged.hit.seenFor !== undefined) {
      this.#noteTime(judged, judged.hit.seenFor, settle);
      return;
    }
    const count = (salted: Salted | null) => {
      if (!salted) {
        settle(outcomes.drop({ dropped: 'unknown_project' }));
        return;
      }
      const view = toView(judged, salted, this.#options.findPlace);
      if (this.#options.store.nodes && reservationOf(judged, view)) {
        this.#batches.receiveClaimed(judged, view, settle);
        return;
      }
      const telling = this.#deduplication.tell(judged, view);
      if (telling?.isSecond) {
        settle(outcomes.drop(tallied(judged, 'same_view')));
        return;
      }
      this.#buffer.add([view], (refused) => {
        if (refused instanceof ApiError) {
          outcomes.notAccepted([judged]);
          telling?.undo();
          settle(refused);
        } else settle(refused.length === 0 ? outcomes.count(view, judged) : outcomes.refuse(judged));
      });
    };
    const opened = this.#salts.get(judged.project.id, judged.day);
    if (opened instanceof Promise)
      opened.then(count, (error: unknown) => settle(outcomes.notOpened([judged], error)));
    else count(opened);
  }

  #noteTime(
    judged: JudgedHit,
    seconds: VisibleSeconds,
    settle: (outcome: HitOutcome | ApiError) => void,
  ): void {
    const { project, day, page } = judged;
    const tallies = visibleTally(seconds, countedPath(page.path, project.settings));
    this.#buffer.addTallied({ projectId: project.id, day, tallies, bytes: 0 }, (refused) => {
      if (refused instanceof ApiError) {
        this.#outcomes.notAccepted([judged]);
        settle(refused);
      } else {
        this.fates.human++;
        settle({});
      }
    });
  }

  /**
   * Receives hits as one: they are counted in one transaction, or none of them is. Answers those that are not counted, by
   * their place; what cannot be understood is among them.
   *
   * @throws ApiError `overloaded` when none was accepted, `invalid` where the key was used with another batch
   */
  async receiveBatch(batch: ReceivedBatch): Promise<DroppedHit[]> {
    const { registry } = this.#options;
    if (!registry.project(batch.projectId)) await registry.catchUp();
    if (this.#isDayUnsure(batch)) {
      this.fates.overloaded += batch.hits.length;
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

  dayOf(timeZone: string, atMs: number): Day {
    return this.#calendars.dayOf(timeZone, atMs);
  }

  /** Salts of sealed days are forgotten here too. */
  forgetSalts(projectId: string, through: Day): void {
    this.#salts.forget(projectId, through);
  }

  /** The clock was set, and what it shows is another day for the project than what is expected. */
  #isDayUnsure({ projectId }: Pick<Hit, 'projectId'>): boolean {
    const { clock, registry } = this.#options;
    clock.now();
    const { doubt } = clock;
    if (!doubt) return false;
    const zone = registry.project(projectId)?.settings.timeZone;
    return zone !== undefined && this.dayOf(zone, doubt.shows) !== this.dayOf(zone, doubt.expected);
  }
}

function unsureDay(): ApiError {
  return overloaded(
    'The clock of the server was changed, so the day of the hit is not certain. The hit was not stored; retry later.',
    60,
  );
}

function describeRefusals(views: number): string {
  if (views === 0) return 'Hits that were left out could not be noted yet, which is tried again:';
  const [subject, senders] =
    views === 1 ? ['1 view', 'its sender was'] : [`${views} views`, 'their senders were'];
  return `${subject} could not be stored, ${senders} told to try again:`;
}

/** What it adds to that somebody has seen a page for so long. */
function visibleTally(seconds: VisibleSeconds, path: string): TallySet {
  return tallySet([{ tally: 'visible-time', group: String(seconds), name: path }]);
}
