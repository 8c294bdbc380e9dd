import { createHmac } from 'node:crypto';
import { createGuardedFetch } from '../net/guarded-fetch.ts';
import { findPrivateAddress, type MayReach } from '../net/reach.ts';
import { oneLine } from '../text/one-line.ts';
import type { Notification, NotificationTable } from './notification.ts';
import { SendingTrouble } from './trouble.ts';

const timeoutMs = 15_000;

interface WebhookCall {
  /** Of the delivery: one that is sent again has the same. */
  id: string;
  notification: Notification;
  url: string;
  format: 'standard' | 'slack';
  /** `whsec_…`; undefined: there is none. */
  secret: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
  signal: AbortSignal;
}

/** @throws SendingTrouble */
export async function sendWebhook(mayReach: MayReach, call: WebhookCall): Promise<void> {
  const { url, signal } = call;
  const { headers, body } = call.format === 'slack' ? toSlackCall(call) : toStandardCall(call);
  let status: number;
  try {
    const response = await createGuardedFetch(mayReach)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'headcount', ...headers },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    status = response.status;
    // The response body is not needed, however long it is.
    await response.body?.cancel();
  } catch (error) {
    throw troubleOf(error);
  }
  if (status >= 200 && status < 300) return;
  throw new SendingTrouble(`The webhook answered ${status}.`, { isFinal: status === 410 });
}

type Sent = { headers: Record<string, string>; body: string };

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function toStandardCall({ id, notification, secret, now }: WebhookCall): Sent {
  const { kind, facts, ...shown } = notification;
  const body = JSON.stringify({
    type: kind,
    timestamp: new Date(now).toISOString(),
    data: { ...shown, ...facts },
  });
  const timestamp = String(Math.floor(now / 1000));
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(secret !== undefined && {
        'webhook-signature': `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`,
      }),
    },
    body,
  };
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function toSlackCall({ notification: { title, paragraphs, tables, url } }: WebhookCall): Sent {
  const text = [
    `*${escapeSlack(title)}*`,
    ...paragraphs.map(escapeSlack),
    ...tables.map(toSlackTable),
    escapeSlack(url),
  ].join('\n\n');
  return { headers: {}, body: JSON.stringify({ text, unfurl_links: false, unfurl_media: false }) };
}

function toSlackTable({ title, text, url, rows }: NotificationTable): string {
  const lines = rows.map(({ name, value }) => `• ${escapeSlack(name)}: ${escapeSlack(value)}`);
  const [about, link] = [text, url].map((one) => (one ? [escapeSlack(one)] : []));
  return [`*${escapeSlack(title)}*`, ...(about ?? []), ...lines, ...(link ?? [])].join('\n');
}

/** Characters that stay unescaped cannot make links or mention anybody. */
function escapeSlack(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The address is a secret, and an error may hold it. */
function troubleOf(error: unknown): SendingTrouble {
  const options = { cause: error };
  if (findPrivateAddress(error)) {
    return new SendingTrouble(
      'The webhook is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS.',
      options,
    );
  }
  if ((error as Error).name === 'TimeoutError') {
    return new SendingTrouble(`The webhook did not answer within ${timeoutMs / 1000} seconds.`, options);
  }
  const { code } = error as NodeJS.ErrnoException;
  return new SendingTrouble(`The webhook could not be reached${code ? ` (${code})` : ''}.`, options);
}
