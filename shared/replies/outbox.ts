import { z } from 'zod';

const time = z.iso.datetime();

const delivery = z.object({
  id: z.string().describe('What receivers know it by: `webhook-id`, and part of the `Message-ID`.'),
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
});

export const deliveriesReply = z
  .object({
    deliveries: z.array(delivery),
    hasMore: z.boolean().describe('Whether there are rows after these.'),
  })
  .meta({ id: 'Deliveries' });

/** `GET /v1/projects/{projectId}/deliveries` */
export type DeliveriesReply = z.infer<typeof deliveriesReply>;

export const trialReply = z
  .object({ receivers: z.int().min(0).describe('To so many it is sent.') })
  .meta({ id: 'Trial' });

/** `POST /v1/projects/{projectId}/deliveries` */
export type TrialReply = z.infer<typeof trialReply>;
