import type { Context } from '../context.ts';
import { SecretError } from '../projects/key-file.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { ClaimedDelivery, DeliveryOutcome } from '../store/outbox.ts';
import { sendMail } from './mail.ts';
import type { Notification } from './notification.ts';
import { SendingTrouble } from './trouble.ts';

export type DeliveryServices = Pick<Context, 'config' | 'store' | 'registry' | 'secrets' | 'log' | 'now'>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Before it is tried again, after each try: two days in all. */
const pausesMs = [
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
  24 * hourMs,
] as const;
const longestPauseMs = 24 * hourMs;
/** Longer than any try takes; after so long, others may claim the delivery of a process that died. */
const leaseMs = 5 * minuteMs;
/** A slow recipient delays no other. */
const atOnce = 4;

/** Sends due deliveries; each is claimed by one node at a time. */
export class DeliveryWorker {
  readonly #services: DeliveryServices;
  readonly #stopping: AbortSignal;
  #isClosing = false;

  /** @param stopping aborts deliveries that are under way */
  constructor(services: DeliveryServices, stopping: AbortSignal) {
    this.#services = services;
    this.#stopping = stopping;
  }

  async deliverDue(): Promise<void> {
    const first = await this.#claim();
    if (!first) return;
    await Promise.all(Array.from({ length: atOnce }, async (_, i) => this.#work(i === 0 ? first : null)));
  }

  /** Leaves the rest for later, or to another node. */
  stopClaiming(): void {
    this.#isClosing = true;
  }

  async #claim(): Promise<ClaimedDelivery | null> {
    const { store, now } = this.#services;
    const at = now();
    const latest = at + longestPauseMs + hourMs;
    return this.#isClosing ? null : store.outbox.claimDelivery({ now: at, until: at + leaseMs, latest });
  }

  async #work(first: ClaimedDelivery | null): Promise<void> {
    const { store } = this.#services;
    for (let claimed = first ?? (await this.#claim()); claimed; claimed = await this.#claim()) {
      const outcome = await this.#try(claimed);
      // An aborted delivery may have been sent or not: it is tried again, under the same id.
      if (this.#stopping.aborted && outcome.sentAt === null) return;
      await store.outbox.settleDelivery(claimed.id, claimed.attempts, outcome);
    }
  }

  async #try(claimed: ClaimedDelivery): Promise<DeliveryOutcome> {
    const { now } = this.#services;
    try {
      await this.#send(claimed);
      return { sentAt: now(), dueAt: null, trouble: null };
    } catch (error) {
      return this.#putOff(claimed, toTrouble(error, this.#services));
    }
  }

  #putOff({ kind, projectId, channel, attempts }: ClaimedDelivery, trouble: SendingTrouble): DeliveryOutcome {
    const { log, now } = this.#services;
    const pause = trouble.isFinal ? undefined : pausesMs[attempts - 1];
    if (pause === undefined) {
      log.warn(`A ${kind} of project ${projectId} was given up on, by ${channel}: ${trouble.message}`);
    }
    const dueAt = pause === undefined ? null : now() + pause;
    return { sentAt: null, dueAt, trouble: trouble.message };
  }

  /** @throws SendingTrouble, SecretError */
  async #send(claimed: ClaimedDelivery): Promise<void> {
    const project = this.#services.registry.project(claimed.projectId);
    if (!project) throw new SendingTrouble('The project was removed.', { isFinal: true });
    const notification = JSON.parse(claimed.letter) as Notification;
    if (claimed.channel === 'mail') await this.#mail(project, claimed, notification);
    else if (claimed.channel === 'webhook') await this.#call(project, claimed, notification);
    else await this.#comment(project, claimed, notification);
  }

  async #mail(
    { settings }: LiveProject,
    { id, receiver: recipient }: ClaimedDelivery,
    notification: Notification,
  ): Promise<void> {
    const { config } = this.#services;
    if (!settings.mailTo.includes(recipient)) {
      throw new SendingTrouble('The address was removed from the settings.', { isFinal: true });
    }
    await endedBy(
      this.#stopping,
      sendMail(config.mail, { id, recipient, notification, server: config.baseUrl }),
    );
  }

  async #call(project: LiveProject, { id }: ClaimedDelivery, notification: Notification): Promise<void> {
    const { config, secrets, now } = this.#services;
    const { webhookUrl: url, webhookSecret: secret } = await secrets.read(project.id);
    if (url === undefined) {
      throw new SendingTrouble('The webhook was removed from the settings.', { isFinal: true });
    }
    const { webhookFormat: format } = project.settings;
    const { mayReach } = config.jobs;
    // It loads TLS, which a server without a webhook does not need.
    const { sendWebhook } = await import('./webhook.ts');
    await sendWebhook(mayReach, {
      id,
      notification,
      url,
      format,
      secret,
      now: now(),
      signal: this.#stopping,
    });
  }

  async #comment(
    project: LiveProject,
    { receiver: url }: ClaimedDelivery,
    notification: Notification,
  ): Promise<void> {
    // The same for the code that calls code hosts.
    const { postComment } = await import('./comment.ts');
    await postComment(this.#services, project, { url, notification, signal: this.#stopping });
  }
}

function toTrouble(error: unknown, { log }: DeliveryServices): SendingTrouble {
  if (error instanceof SendingTrouble) return error;
  if (error instanceof SecretError) return new SendingTrouble(error.message);
  log.error('Something could not be sent:', error);
  return new SendingTrouble('It could not be sent; the log of the server has the reason.');
}

/** For an action that takes no signal: after the abort it goes on, and nobody waits for it. */
function endedBy(signal: AbortSignal, action: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    action.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
