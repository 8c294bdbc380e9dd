import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { periodically } from '../periodic.ts';
import type { LiveProject } from '../projects/registry.ts';
import { type Alert, keyOf, notificationOf } from './alert.ts';
import { findDayAlerts } from './day-alerts.ts';
import { type DeliveryServices, DeliveryWorker } from './delivery-worker.ts';
import { writeDigest } from './digest.ts';
import { lastPeriod } from './digest-period.ts';
import { postEffects } from './effects.ts';
import { findJobAlerts } from './job-alerts.ts';
import { addressed, hasRecipients } from './recipients.ts';

export type OutboxServices = DeliveryServices & Pick<Context, 'clock'>;

const everyMs = 60_000;
/** For deliveries under way when the server stops. */
const graceMs = 5_000;
const dayMs = 24 * 60 * 60 * 1000;
/** How long the owner can read deliveries. */
const keepDeliveriesMs = 30 * dayMs;
/** Longer than any two things of the same name are apart. */
const keepKeysMs = 400 * dayMs;
/** Days before the newest sealed one that a server which was off looks at. */
const maxDaysBack = 7;

/**
 * Writes notifications and sends them to their recipients. What is due follows from the sealed days and from the earlier
 * notifications, both of which are in the store, so that nothing is repeated or skipped by a restart, another node or a
 * clock that jumps.
 */
export class Outbox {
  readonly #services: OutboxServices;
  readonly #stopping = new AbortController();
  readonly #worker: DeliveryWorker;
  /** The state of each project at the last look. */
  readonly #seen = new Map<string, string>();
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(services: OutboxServices) {
    this.#services = services;
    this.#worker = new DeliveryWorker(services, this.#stopping.signal);
  }

  async look(): Promise<void> {
    for (const project of this.#services.registry.projects()) await this.#lookAt(project);
    await this.#worker.deliverDue();
    await this.#forget();
  }

  /** Deliveries under way have some seconds to end; the rest is sent after the next start, or by another node. */
  stop(): void {
    this.#worker.stopClaiming();
    setTimeout(() => this.#stopping.abort(), graceMs).unref();
  }

  /** A project whose numbers cannot be read does not affect the others. */
  async #lookAt(project: LiveProject): Promise<void> {
    const { log } = this.#services;
    const { digest, alerts } = project.settings;
    try {
      await this.#postEffects(project);
      if ((digest === 'never' && alerts.length === 0) || !hasRecipients(project)) return;
      if (alerts.includes('finished_job')) await this.#writeJobAlerts(project);
      await this.#writeSealedDays(project);
    } catch (error) {
      log.error(`The notifications of project ${project.id} could not be written:`, error);
    }
  }

  /** The effects of merged pull requests, where another day is sealed since the last look. */
  async #postEffects(project: LiveProject): Promise<void> {
    const { store } = this.#services;
    const { repository, forge, reportEffects: isWanted } = project.settings;
    if (!isWanted || repository === null || forge === 'none') return;
    const sealedThrough = await store.outbox.sealedThrough(project.id);
    const place = `effects ${project.id}`;
    if (sealedThrough === null || this.#seen.get(place) === `${sealedThrough}`) return;
    await postEffects(this.#services, project, sealedThrough);
    this.#seen.set(place, `${sealedThrough}`);
  }

  /** Digests and alerts, where another day is sealed or a setting has changed since the last look. */
  async #writeSealedDays(project: LiveProject): Promise<void> {
    const { store } = this.#services;
    const { digest, alerts } = project.settings;
    const sealedThrough = await store.outbox.sealedThrough(project.id);
    if (sealedThrough === null) return;
    const state = `${digest} ${alerts} ${sealedThrough}`;
    if (this.#seen.get(project.id) === state) return;
    const firstDay = await store.firstDay(project.id);
    if (firstDay !== null) {
      await this.#writeDigest(project, sealedThrough, firstDay);
      await this.#writeDayAlerts(project, sealedThrough, firstDay);
    }
    this.#seen.set(project.id, state);
  }

  async #writeDigest(project: LiveProject, sealedThrough: Day, firstDay: Day): Promise<void> {
    const { store, now } = this.#services;
    const { id, settings } = project;
    if (settings.digest === 'never') return;
    const period = lastPeriod(settings.digest, sealedThrough);
    if (firstDay >= period.to) return;
    const key = `digest ${settings.digest} ${period.from}`;
    if ((await store.outbox.findAnnounced(id, [key])).length > 0) return;
    const notification = await writeDigest(store, project, period, this.#urlOf(project));
    await store.outbox.announce(addressed(project, notification, { key, at: now() }));
  }

  /** Each sealed day is looked at once; the first time only the newest, as older ones are no news. */
  async #writeDayAlerts(project: LiveProject, sealedThrough: Day, firstDay: Day): Promise<void> {
    const { store, now } = this.#services;
    const { id: projectId, settings } = project;
    if (settings.alerts.length === 0) return;
    const days = Array.from({ length: maxDaysBack }, (_, i) => sealedThrough - maxDaysBack + 1 + i);
    const sent = await store.outbox.findAnnounced(projectId, days.map(keyOfDay));
    const last = days.findLast((day) => sent.includes(keyOfDay(day))) ?? sealedThrough - 1;
    for (let day = last + 1; day <= sealedThrough; day++) {
      const alerts = await findDayAlerts(store, { projectId, day, firstDay }, settings.alerts);
      for (const alert of alerts) await this.#writeAlert(project, alert);
      // Last of all: after an interruption the day is looked at again, and only the missing alerts are added.
      const looked = { kind: '', title: '', letter: '', deliveries: [] };
      await store.outbox.announce({ ...looked, projectId, key: keyOfDay(day), at: now() });
    }
  }

  async #writeJobAlerts(project: LiveProject): Promise<void> {
    const { store, now } = this.#services;
    for (const alert of await findJobAlerts(store, project.id, now())) await this.#writeAlert(project, alert);
  }

  async #writeAlert(project: LiveProject, alert: Alert): Promise<void> {
    const { store, now } = this.#services;
    const { id, settings } = project;
    const notification = notificationOf(alert, { id, name: settings.name }, this.#urlOf(project));
    await store.outbox.announce(addressed(project, notification, { key: keyOf(alert), at: now() }));
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
    await store.outbox.deleteAnnounced({ deliveries: now - keepDeliveriesMs, keys: now - keepKeysMs });
  }
}

function keyOfDay(day: Day): string {
  return `day ${day}`;
}

/** Looks now, for what became due while the server was off, and then every minute. Returns a function that stops it. */
export function keepOutbox(services: OutboxServices): () => Promise<void> {
  const outbox = new Outbox(services);
  const failure = 'Reports and alerts could not be sent; trying again in a minute:';
  const { log } = services;
  const { stop } = periodically(() => outbox.look(), { everyMs, isDueNow: true, log, failure });
  return () => {
    outbox.stop();
    return stop();
  };
}
