import { z } from 'zod';
import { lazily, type Reply, reply } from './reply.ts';
import { paging } from './reports/analytics.ts';

/** The query of the log of deliveries. */
export const deliveriesQuery = z.object(paging({ max: 250, standard: 50 }));

export type DeliveriesQuery = z.infer<typeof deliveriesQuery>;

const time = z.iso.datetime();

const delivery = lazily(() =>
  z.object({
    id: z.string().describe('The id that recipients see: `webhook-id`, and part of the `Message-ID`.'),
    kind: z
      .string()
      .describe(
        '`digest.weekly`, `digest.monthly`, `alert.` and the kind of alert, `effect` of a merged pull request, or `trial`.',
      ),
    title: z.string(),
    channel: z.enum(['mail', 'webhook', 'pull_request']),
    receiver: z
      .string()
      .nullable()
      .describe('The address of a mail, or of the pull request that is commented on; null for a webhook.'),
    state: z.enum(['waiting', 'sent', 'failed']),
    trouble: z.string().nullable().describe('Why it was not sent when that was last tried.'),
    attempts: z.int().min(0),
    createdAt: time,
    sentAt: time.nullable(),
    dueAt: time.nullable().describe('When it is tried next; null: never again.'),
  }),
);

export const deliveriesReply = reply('Deliveries', () => ({
  deliveries: z.array(delivery()),
  hasMore: z.boolean().describe('Whether there are rows after these.'),
}));

/** `GET /v1/projects/{projectId}/deliveries` */
export type DeliveriesReply = Reply<typeof deliveriesReply>;

export const trialReply = reply('Trial', () => ({
  receivers: z.int().min(0).describe('How many recipients it is sent to.'),
}));

/** `POST /v1/projects/{projectId}/deliveries` */
export type TrialReply = Reply<typeof trialReply>;
