import { digestTerms, webhookFormats } from '../../../shared/project/outbox-settings.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { type OptionValues, readList } from '../terminal/options.ts';

/** Options of `project add` and `project set` about who is told what. */
export const outboxOptions = {
  digest: { type: 'string' },
  alert: { type: 'string', multiple: true },
  'mail-to': { type: 'string', multiple: true },
  'webhook-format': { type: 'string' },
} as const;

export const outboxOptionOf = {
  digest: '--digest',
  alerts: '--alert',
  mailTo: '--mail-to',
  webhookFormat: '--webhook-format',
} satisfies Partial<Record<keyof ProjectSettings, string>>;

export const outboxHelp = `Reports and alerts by mail and webhook, once their days are sealed:
  --digest <how often>       ${digestTerms.join(', ')}: send the numbers of the week or month (never)
  --alert <kind>             tell what happens: new_client, silent_client, busy_client (an AI client comes,
                             stops, or reads three times as much), spoofing, silent_way (nothing comes in
                             by the script, reports, …), finished_job. Several as above
  --mail-to <address>        by mail to this address, where the server has HEADCOUNT_SMTP_URL.
                             Several as above
  --webhook-format <format>  ${webhookFormats.join(' (Standard Webhooks, signed) or ')}, to the address of
                             --webhook-url-stdin
`;

/** Only what was given: `undefined` leaves a setting as it is. */
export function givenOutboxSettings(
  values: OptionValues<typeof outboxOptions>,
): Record<keyof typeof outboxOptionOf, unknown> {
  return {
    digest: values.digest,
    alerts: readList(values.alert),
    mailTo: readList(values['mail-to']),
    webhookFormat: values['webhook-format'],
  };
}
