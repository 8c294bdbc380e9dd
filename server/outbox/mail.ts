import type { MailConfig } from '../config/mail-settings.ts';
import { escapeHtml } from '../text/escape-html.ts';
import { oneLine, quoted } from '../text/one-line.ts';
import type { Notification, NotificationTable } from './notification.ts';
import { SendingTrouble } from './trouble.ts';

/** A mail server that is silent for longer is given up on. */
const timeoutMs = 20_000;

interface Mail {
  /** Of the delivery: a mail that is sent again has the same. */
  id: string;
  recipient: string;
  notification: Notification;
  /** Address of this server. */
  server: string;
}

/** @throws SendingTrouble */
export async function sendMail(config: MailConfig | null, mail: Mail): Promise<void> {
  if (config === null) {
    throw new SendingTrouble('This server sends no mail: set HEADCOUNT_SMTP_URL and HEADCOUNT_MAIL_FROM.', {
      isFinal: true,
    });
  }
  // Loaded with the first mail.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: config.smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail(messageOf(config, mail));
  } catch (error) {
    throw troubleOf(error);
  } finally {
    transport.close();
  }
}

function messageOf({ from }: MailConfig, { id, recipient, notification, server }: Mail) {
  const hint = hintOf(notification, recipient, server);
  const domain = from.email.split('@').at(-1) ?? '';
  return {
    from: { name: from.name, address: from.email },
    to: { name: '', address: recipient },
    subject: notification.title,
    text: toText(notification, hint),
    html: toHtml(notification, hint),
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    list: { unsubscribe: { url: `mailto:${from.email}?subject=unsubscribe`, comment: 'by hand' } },
  };
}

/** Commands before the mail itself: an error there does not concern the mail, and may be fixed at the server. */
const greetings: readonly (string | undefined)[] = ['EHLO', 'HELO', 'STARTTLS', 'CONN'];

interface MailError {
  code?: string;
  /** Of SMTP: the one that went wrong, and what was answered. */
  command?: string;
  responseCode?: number;
  response?: string;
  message?: string;
}

/** The server's response to a password is not repeated, as some servers include a part of it. */
function troubleOf(error: unknown): SendingTrouble {
  const { code, command, responseCode = 0, response = '', message = '' } = error as MailError;
  const options = { cause: error };
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return new SendingTrouble(
      'The mail server refused the user or the password: see HEADCOUNT_SMTP_URL.',
      options,
    );
  }
  if (code === 'ETLS') {
    return new SendingTrouble(`The mail server did not begin TLS: ${quoted(response || message)}`, options);
  }
  if (response !== '') {
    const isFinal = responseCode >= 500 && !greetings.includes(command);
    return new SendingTrouble(`The mail server refused the mail: ${quoted(response)}`, {
      ...options,
      isFinal,
    });
  }
  // Node has a code for each way in which one may be bad; all of their messages have the word.
  if (/certificate/i.test(message)) {
    return new SendingTrouble(
      `The certificate of the mail server is not to be trusted: ${quoted(message)}`,
      options,
    );
  }
  return new SendingTrouble(`The mail server could not be used${code ? ` (${code})` : ''}.`, options);
}

/** Why somebody gets a mail, and how it ends. @param server its address */
function hintOf({ project }: Notification, recipient: string, server: string): string {
  return `You get this because the operators of Headcount at ${server} added ${recipient} to the recipients of reports and alerts of the project "${oneLine(project.name)}". To get no more of them, ask the operators to remove your address, under Settings, Reports and alerts.`;
}

function toText({ title, paragraphs, tables, url }: Notification, hint: string): string {
  const parts = [title, ...paragraphs, ...tables.map(toTextTable), url, `-- \n${hint}`];
  return `${parts.join('\n\n')}\n`;
}

function toTextTable({ title, text, url, rows }: NotificationTable): string {
  const lines = rows.map(({ name, value }) => `  ${oneLine(name)}: ${oneLine(value)}`);
  return [oneLine(title), ...(text ? [oneLine(text)] : []), ...lines, ...(url ? [url] : [])].join('\n');
}

function toHtml({ title, paragraphs, tables, url }: Notification, hint: string): string {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font: 15px/1.5 sans-serif; max-width: 40em">
<h1 style="font-size: 19px">${escapeHtml(title)}</h1>
${texts.join('\n')}
${tables.map(toHtmlTable).join('\n')}
<p><a href="${escapeHtml(url)}">Open the dashboard</a></p>
<hr><p style="font-size: 13px">${escapeHtml(hint)}</p>
</body></html>
`;
}

function toHtmlTable({ title, text, url, rows }: NotificationTable): string {
  const lines = rows.map(
    ({ name, value }) =>
      `<tr><td style="padding-right: 2em">${escapeHtml(oneLine(name))}</td><td>${escapeHtml(oneLine(value))}</td></tr>`,
  );
  return [
    `<h2 style="font-size: 16px">${escapeHtml(title)}</h2>`,
    text ? `<p>${escapeHtml(text)}</p>` : '',
    `<table>${lines.join('\n')}</table>`,
    url ? `<p><a href="${escapeHtml(url)}">Open this view</a></p>` : '',
  ].join('\n');
}
