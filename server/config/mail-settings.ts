import { passwordsIn } from './database-url.ts';
import { asMailbox, ConfigError, type Environment, optionalSetting } from './setting.ts';

/** Where mail goes out, and who it is from. */
export interface MailConfig {
  /** It holds a password: to be shown nowhere. */
  smtpUrl: string;
  from: { name: string; email: string };
}

export const mailSettings = {
  smtpUrl: optionalSetting({
    name: 'HEADCOUNT_SMTP_URL',
    standard: 'no mail is sent',
    meaning: 'mail server, such as smtps://user:password@mail.example.com; it also needs HEADCOUNT_MAIL_FROM',
    secretsIn: passwordsIn,
    parse: parseSmtpUrl,
  }),
  from: optionalSetting({
    name: 'HEADCOUNT_MAIL_FROM',
    standard: 'none',
    meaning: 'sender of mail, such as "Headcount <reports@example.com>"',
    parse: asMailbox,
  }),
};

/** Null: no mail is sent. @throws ConfigError */
export function readMailConfig(env: Environment): MailConfig | null {
  const smtpUrl = mailSettings.smtpUrl.read(env);
  const from = mailSettings.from.read(env);
  if (smtpUrl === undefined) return null;
  if (from === undefined) {
    throw new ConfigError(
      'HEADCOUNT_SMTP_URL also needs HEADCOUNT_MAIL_FROM: sender of mail, such as "Headcount <reports@example.com>".',
    );
  }
  return { smtpUrl, from };
}

/** What was given is not repeated, as it holds a password. */
function parseSmtpUrl(text: string, name: string): string {
  const url = /^smtps?:\/\/[^\s]+$/.test(text) ? URL.parse(text) : null;
  if (url && url.hostname !== '' && /^\/?$/.test(url.pathname)) return text;
  throw new ConfigError(
    `${name} must be the address of a mail server such as smtps://user:password@mail.example.com or smtp://localhost:25; percent-encode special characters ("@" is "%40").`,
  );
}
