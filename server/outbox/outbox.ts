import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { periodically } from '../periodic.ts';
import type { LiveProject } from '../projects/registry.ts';
import { type Alert, keyOf, letterOf } from './alert.ts';
import { Courier, type CourierServices } from './courier.ts';
import { findDayAlerts } from './day-alerts.ts';
import { writeDigest } from './digest.ts';
import { lastPeriod } from './digest-period.ts';
import { tellEffects } from './effects.ts';
import { findJobAlerts } from './job-alerts.ts';
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
/** Days before the newest sealed one that a server which was off looks at. */
const maxDaysBack = 7;

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
    const { log } = this.#services;
    const { digest, alerts } = project.settings;
    try {
      await this.#tellEffects(project);
      if ((digest === 'never' && alerts.length === 0) || !hasReceivers(project)) return;
      if (alerts.includes('finished_job')) await this.#tellJobs(project);
      await this.#tellSealed(project);
    } catch (error) {
      log.error(`What there is to tell of project ${project.id} could not be written:`, error);
    }
  }

  /** What came of merged pull requests, where another day is sealed since the last look. */
  async #tellEffects(project: LiveProject): Promise<void> {
    const { store } = this.#services;
    const { repository, forge, tellEffects: isWanted } = project.settings;
    if (!isWanted || repository === null || forge === 'none') return;
    const sealedThrough = await store.outbox.sealedThrough(project.id);
    const place = `effects ${project.id}`;
    if (sealedThrough === null || this.#seen.get(place) === `${sealedThrough}`) return;
    await tellEffects(this.#services, project, sealedThrough);
    this.#seen.set(place, `${sealedThrough}`);
  }

  /** What follows from sealed days, where there is another since the last look, or another setting. */
  async #tellSealed(project: LiveProject): Promise<void> {
    const { store } = this.#services;
    const { digest, alerts } = project.settings;
    const sealedThrough = await store.outbox.sealedThrough(project.id);
    if (sealedThrough === null) return;
    const state = `${digest} ${alerts} ${sealedThrough}`;
    if (this.#seen.get(project.id) === state) return;
    const firstDay = await store.firstDay(project.id);
    if (firstDay !== null) {
      await this.#tellDigest(project, sealedThrough, firstDay);
      await this.#tellDays(project, sealedThrough, firstDay);
    }
    this.#seen.set(project.id, state);
  }

  async #tellDigest(project: LiveProject, sealedThrough: Day, firstDay: Day): Promise<void> {
    const { store, now } = this.#services;
    const { id, settings } = project;
    if (settings.digest === 'never') return;
    const period = lastPeriod(settings.digest, sealedThrough);
    if (firstDay >= period.to) return;
    const key = `digest ${settings.digest} ${period.from}`;
    if ((await store.outbox.findTold(id, [key])).length > 0) return;
    const letter = await writeDigest(store, { id, name: settings.name }, period, this.#urlOf(project));
    await store.outbox.tell(addressed(project, letter, { key, at: now() }));
  }

  /** Each sealed day is looked at once; the first time the newest alone, as what is older is no news. */
  async #tellDays(project: LiveProject, sealedThrough: Day, firstDay: Day): Promise<void> {
    const { store, now } = this.#services;
    const { id: projectId, settings } = project;
    if (settings.alerts.length === 0) return;
    const days = Array.from({ length: maxDaysBack }, (_, i) => sealedThrough - maxDaysBack + 1 + i);
    const told = await store.outbox.findTold(projectId, days.map(keyOfDay));
    const last = days.findLast((day) => told.includes(keyOfDay(day))) ?? sealedThrough - 1;
    for (let day = last + 1; day <= sealedThrough; day++) {
      const alerts = await findDayAlerts(store, { projectId, day, firstDay }, settings.alerts);
      for (const alert of alerts) await this.#tellAlert(project, alert);
      // Last of all: who is interrupted before looks again, and tells what was not told yet.
      const looked = { kind: '', title: '', letter: '', deliveries: [] };
      await store.outbox.tell({ ...looked, projectId, key: keyOfDay(day), at: now() });
    }
  }

  async #tellJobs(project: LiveProject): Promise<void> {
    const { store, now } = this.#services;
    for (const alert of await findJobAlerts(store, project.id, now())) await this.#tellAlert(project, alert);
  }

  async #tellAlert(project: LiveProject, alert: Alert): Promise<void> {
    const { store, now } = this.#services;
    const { id, settings } = project;
    const letter = letterOf(alert, { id, name: settings.name }, this.#urlOf(project));
    await store.outbox.tell(addressed(project, letter, { key: keyOf(alert), at: now() }));
  }

  #urlOf({ id }: LiveProject): string {
    return addressOf(this.#services.config.baseUrl, `/p/${id}`);
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

function keyOfDay(day: Day): string {
  return `day ${day}`;
}

/** Looks now, for what became due while the server was off, and then every minute. Answers how to stop. */
export function keepOutbox(services: OutboxServices): () => Promise<void> {
  const outbox = new Outbox(services);
  const failure = 'Reports and alerts could not be sent, it is tried again in a minute:';
  const { log } = services;
  const { stop } = periodically(() => outbox.look(), { everyMs, isDueNow: true, log, failure });
  return () => {
    outbox.stop();
    return stop();
  };
}
