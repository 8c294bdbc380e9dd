import { z } from 'zod';

/** Names of hosts need no dot inside a network; what is sent there says whether they are any good. */
const mailAddress = z
  .string()
  .trim()
  .max(254, 'must have at most 254 characters')
  .regex(
    /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u,
    'must be a mail address such as me@example.com',
  );

export const digestTerms = ['never', 'weekly', 'monthly'] as const;
export const webhookFormats = ['standard', 'slack'] as const;

/** What is told as soon as it is known; all of them are off until somebody asks for them. */
export const alertKinds = [
  'new_client',
  'silent_client',
  'busy_client',
  'spoofing',
  'silent_way',
  'finished_job',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Who is told of a project's numbers, and how often; each field as a row of an older version lacks it. */
export const outboxSettings = {
  mailTo: z.array(mailAddress).max(20, 'must be at most 20').default([]),
  /** What the webhook understands: Standard Webhooks with our own fields, or Slack's messages. */
  webhookFormat: z
    .enum(webhookFormats, { error: `must be ${webhookFormats.join(' or ')}` })
    .default('standard'),
  alerts: z
    .array(z.enum(alertKinds, { error: `must be one of ${alertKinds.join(', ')}` }))
    .max(alertKinds.length, `must be at most ${alertKinds.length}`)
    .default([]),
  /** How often the numbers are sent. */
  digest: z.enum(digestTerms, { error: 'must be never, weekly or monthly' }).default('never'),
};
