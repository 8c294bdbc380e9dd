import { type DeliveriesQuery, deliveriesQuery } from '../../shared/outbox.ts';
import type { DeliveriesReply, TrialReply } from '../../shared/replies/outbox.ts';
import { addressOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import { ApiError, tooMany } from '../errors.ts';
import { type Call, type Route, route } from '../http/route.ts';
import type { LoggedDelivery } from '../store/outbox.ts';
import { oneLine } from '../text/one-line.ts';
import { addressed, hasReceivers } from './receivers.ts';

const replies = () => import('../../shared/replies/outbox.ts');

const path = '/v1/projects/:projectId/deliveries';
const minuteMs = 60_000;

/** What was sent to people and programs. */
export const outboxRoutes: readonly Route[] = [
  route({
    name: 'deliveries.list',
    method: 'GET',
    path,
    access: 'project',
    role: 'editor',
    summary: 'What was sent by mail and webhook in the last 30 days, the newest first, and what was not',
    query: deliveriesQuery,
    answers: { 200: { says: 'A page of deliveries', json: async () => (await replies()).deliveriesReply } },
    handle: listDeliveries,
  }),
  route({
    name: 'deliveries.try',
    method: 'POST',
    path,
    access: 'project',
    summary: 'Send a line to all receivers of the project, to try them',
    description: 'It goes out within a minute, and the list of deliveries tells what became of it.',
    answers: { 202: { says: 'It will be sent', json: async () => (await replies()).trialReply } },
    refusals: ['invalid', 'too_many'],
    handle: tryReceivers,
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
async function tryReceivers(
  { store, config, now }: Context,
  { project }: Call<'project'>,
): Promise<TrialReply> {
  if (!hasReceivers(project)) {
    throw new ApiError('invalid', 'The project has no receivers: set mailTo or the secret webhookUrl first.');
  }
  const { id, settings } = project;
  const at = now();
  const letter = {
    kind: 'trial',
    title: `${oneLine(settings.name)}: a trial`,
    project: { id, name: settings.name },
    paragraphs: ['Somebody tried the receivers of this project. This one works.'],
    tables: [],
    url: addressOf(config.baseUrl, `/p/${id}`),
    facts: {},
  };
  const announcement = addressed(project, letter, { key: `trial ${Math.floor(at / minuteMs)}`, at });
  if (!(await store.outbox.tell(announcement))) {
    const limit = { name: 'trials', limit: 1, windowMs: minuteMs, retryAfterMs: minuteMs - (at % minuteMs) };
    throw tooMany('The receivers were tried a moment ago: wait a minute.', limit);
  }
  return { receivers: announcement.deliveries.length };
}
