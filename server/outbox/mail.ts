import type { MailConfig } from '../config/mail-settings.ts';
import { quoted } from '../text/one-line.ts';
import type { Letter } from './letter.ts';
import { hintOf, toHtml, toText } from './mail-text.ts';
import { SendingTrouble } from './trouble.ts';

/** A mail server that is silent for longer is given up on. */
const timeoutMs = 20_000;

interface Mail {
  /** Of the delivery: a mail that is sent again has the same. */
  id: string;
  receiver: string;
  letter: Letter;
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
  // Loaded by whoever has a mail to send.
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

function messageOf({ from }: MailConfig, { id, receiver, letter, server }: Mail) {
  const hint = hintOf(letter, receiver, server);
  const domain = from.email.split('@').at(-1) ?? '';
  return {
    from: { name: from.name, address: from.email },
    to: { name: '', address: receiver },
    subject: letter.title,
    text: toText(letter, hint),
    html: toHtml(letter, hint),
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    list: { unsubscribe: { url: `mailto:${from.email}?subject=unsubscribe`, comment: 'by hand' } },
  };
}

/** What comes before a mail: a refusal says nothing of the mail, and may be mended at the server. */
const greetings: readonly (string | undefined)[] = ['EHLO', 'HELO', 'STARTTLS', 'CONN'];

interface MailError {
  code?: string;
  /** Of SMTP: the one that went wrong, and what was answered. */
  command?: string;
  responseCode?: number;
  response?: string;
  message?: string;
}

/** What the server answers to a password is not repeated, as some answer with a part of it. */
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
