import { z } from 'zod';
import { editorHere, ownerHere } from './setting.ts';

/** Host names inside a network need no dot; whether they work is seen when mail is sent. */
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

/** Alerts, sent as soon as something is known; all of them are off by default. */
export const alertKinds = [
  'new_client',
  'silent_client',
  'busy_client',
  'spoofing',
  'silent_way',
  'finished_job',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Who gets a project's numbers, and how often. Each field has a default, as rows of older versions lack it. */
export const outboxSettings = {
  mailTo: ownerHere(z.array(mailAddress).max(20, 'must be at most 20').default([]), {
    option: 'mail-to <address>',
    says: `by mail to this address, where the server has HEADCOUNT_SMTP_URL.
Several as above`,
  }),
  /** The format of the webhook: Standard Webhooks with our own fields, or Slack's messages. */
  webhookFormat: ownerHere(
    z.enum(webhookFormats, { error: `must be ${webhookFormats.join(' or ')}` }).default('standard'),
    {
      option: 'webhook-format <format>',
      says: `${webhookFormats.join(' (Standard Webhooks, signed) or ')}, to the address of
--webhook-url-stdin`,
    },
  ),
  alerts: editorHere(
    z
      .array(z.enum(alertKinds, { error: `must be one of ${alertKinds.join(', ')}` }))
      .max(alertKinds.length, `must be at most ${alertKinds.length}`)
      .default([]),
    {
      option: 'alert <kind>',
      says: `alert about: new_client, silent_client, busy_client (an AI client comes,
stops, or reads three times as much), spoofing, silent_way (nothing comes in
by the script, reports, …), finished_job. Several as above`,
      before: 'mailTo',
    },
  ),
  /** How often the numbers are sent. */
  digest: editorHere(z.enum(digestTerms, { error: 'must be never, weekly or monthly' }).default('never'), {
    option: 'digest <how often>',
    says: `${digestTerms.join(', ')}: send the numbers of the week or month (never)`,
    before: 'alerts',
  }),
  /** Saved views whose numbers are in it, by their ids. */
  digestViews: editorHere(
    z
      .array(z.string().trim().min(1, 'must be the id or the name of a saved view').max(80))
      .max(10, 'must be at most 10')
      .overwrite((views) => [...new Set(views)])
      .default([]),
    {
      option: 'digest-view <view>',
      says: 'with the numbers of this saved view, by id or name. Several as above',
      before: 'alerts',
    },
  ),
};
