import type { DeliveriesReply, TrialReply } from '../../shared/outbox.ts';
import { type DeliveriesQuery, deliveriesQuery, deliveriesReply, trialReply } from '../../shared/outbox.ts';
import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import { ApiError, tooMany } from '../errors.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { addressed, hasRecipients } from '../outbox/recipients.ts';
import type { LoggedDelivery } from '../store/outbox.ts';
import { oneLine } from '../text/one-line.ts';

const path = '/v1/projects/:projectId/deliveries';
const minuteMs = 60_000;

/** Deliveries to people and programs. */
export const deliveryOperations: readonly Route[] = [
  route({
    name: 'deliveries.list',
    method: 'GET',
    path,
    access: 'project',
    role: 'editor',
    summary: 'Deliveries by mail and webhook in the last 30 days, sent or not, the newest first',
    query: deliveriesQuery,
    answers: { 200: { says: 'A page of deliveries', json: deliveriesReply } },
    handle: listDeliveries,
  }),
  route({
    name: 'deliveries.try',
    method: 'POST',
    path,
    access: 'project',
    summary: 'Send a test message to all recipients of the project',
    description: 'It is sent within a minute; the list of deliveries shows the result.',
    answers: { 202: { says: 'It will be sent', json: trialReply } },
    refusals: ['invalid', 'too_many'],
    handle: sendTrial,
  }),
];

async function listDeliveries(
  { store }: Context,
  { project, query }: Call<'project', DeliveriesQuery>,
): Promise<DeliveriesReply> {
  const { rows, hasMore } = await store.outbox.listDeliveries({ projectId: project.id, ...query });
  return { deliveries: rows.map(toReply), hasMore };
}

function toReply({
  receiver,
  createdAt,
  sentAt,
  dueAt,
  ...delivery
}: LoggedDelivery): DeliveriesReply['deliveries'][number] {
  return {
    ...delivery,
    receiver: receiver || null,
    state: sentAt !== null ? 'sent' : dueAt !== null ? 'waiting' : 'failed',
    createdAt: timeOf(createdAt),
    sentAt: sentAt === null ? null : timeOf(sentAt),
    dueAt: dueAt === null ? null : timeOf(dueAt),
  };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** Once a minute at most, as it writes to people. @throws ApiError `invalid`, `too_many` */
async function sendTrial({ store, config, now }: Context, { project }: Call<'project'>): Promise<TrialReply> {
  if (!hasRecipients(project)) {
    throw new ApiError(
      'invalid',
      'The project has no recipients: set mailTo or the secret webhookUrl first.',
    );
  }
  const { id, settings } = project;
  const at = now();
  const notification = {
    kind: 'trial',
    title: `${oneLine(settings.name)}: test message`,
    project: { id, name: settings.name },
    paragraphs: ['This is a test message, which somebody sent to the recipients of this project.'],
    tables: [],
    url: addressOf(config.baseUrl, `/p/${id}`),
    facts: {},
  };
  const announcement = addressed(project, notification, { key: `trial ${Math.floor(at / minuteMs)}`, at });
  if (!(await store.outbox.announce(announcement))) {
    const limit = { name: 'trials', limit: 1, windowMs: minuteMs, retryAfterMs: minuteMs - (at % minuteMs) };
    throw tooMany('A test message was sent a moment ago: wait a minute.', limit);
  }
  return { receivers: announcement.deliveries.length };
}
