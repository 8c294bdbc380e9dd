import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import { Courier, type CourierServices } from './courier.ts';
import { writeDigest } from './digest.ts';
import { lastPeriod } from './digest-period.ts';
import { addressed, hasReceivers } from './receivers.ts';

export type OutboxServices = CourierServices & Pick<Context, 'clock'>;

const everyMs = 60_000;
/** Of a server that stops, for what is being sent. */
const graceMs = 5_000;
const dayMs = 24 * 60 * 60 * 1000;
/** How long the owner can read what was sent. */
const keepDeliveriesMs = 30 * dayMs;
/** Longer than any two things of the same name are apart. */
const keepKeysMs = 400 * dayMs;

/**
 * Writes what there is to tell, and has it brought to its receivers. What is due follows from what is sealed and from
 * what was told before, which the store has, so that a restart, another node or a clock that jumps repeats and skips
 * nothing.
 */
export class Outbox {
  readonly #services: OutboxServices;
  readonly #stopping = new AbortController();
  readonly #courier: Courier;
  /** What there was to tell of a project when it was looked at last. */
  readonly #seen = new Map<string, string>();
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(services: OutboxServices) {
    this.#services = services;
    this.#courier = new Courier(services, this.#stopping.signal);
  }

  async look(): Promise<void> {
    for (const project of this.#services.registry.projects()) await this.#lookAt(project);
    await this.#courier.deliverDue();
    await this.#forget();
  }

  /** What is being sent has some seconds to end; the rest is sent by whoever comes next. */
  stop(): void {
    this.#courier.takeNoMore();
    setTimeout(() => this.#stopping.abort(), graceMs).unref();
  }

  /** A project whose numbers cannot be read keeps nothing from the others. */
  async #lookAt(project: LiveProject): Promise<void> {
    const { store, log } = this.#services;
    const { digest } = project.settings;
    if (digest === 'never' || !hasReceivers(project)) return;
    try {
      const sealedThrough = await store.outbox.sealedThrough(project.id);
      if (sealedThrough === null) return;
      const state = `${digest} ${sealedThrough}`;
      if (this.#seen.get(project.id) === state) return;
      await this.#tellDigest(project, sealedThrough);
      this.#seen.set(project.id, state);
    } catch (error) {
      log.error(`What there is to tell of project ${project.id} could not be written:`, error);
    }
  }

  async #tellDigest(project: LiveProject, sealedThrough: Day): Promise<void> {
    const { store, config, now } = this.#services;
    const { digest, name } = project.settings;
    if (digest === 'never') return;
    const period = lastPeriod(digest, sealedThrough);
    const firstDay = await store.firstDay(project.id);
    if (firstDay === null || firstDay >= period.to) return;
    const key = `digest ${digest} ${period.from}`;
    if ((await store.outbox.findTold(project.id, [key])).length > 0) return;
    const url = `${config.baseUrl}/p/${project.id}`;
    const letter = await writeDigest(store, { id: project.id, name }, period, url);
    await store.outbox.tell(addressed(project, letter, { key, at: now() }));
  }

  /** Once a day; while the clock is doubted nothing is too old. */
  async #forget(): Promise<void> {
    const { store, clock } = this.#services;
    const now = clock.now();
    if (!clock.isSure || Math.abs(now - this.#forgotAt) < dayMs) return;
    this.#forgotAt = now;
    await store.outbox.forgetTold({ deliveries: now - keepDeliveriesMs, keys: now - keepKeysMs });
  }
}

/** Looks now, for what became due while the server was off, and then every minute. Answers how to stop. */
export function keepTelling(services: OutboxServices): () => Promise<void> {
  const outbox = new Outbox(services);
  let running = Promise.resolve();
  const look = () => {
    running = running
      .then(() => outbox.look())
      .catch((error: unknown) =>
        services.log.error('Reports and alerts could not be sent, it is tried again in a minute:', error),
      );
  };
  look();
  const timer = setInterval(look, everyMs).unref();
  return () => {
    clearInterval(timer);
    outbox.stop();
    return running;
  };
}
