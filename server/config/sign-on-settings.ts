import { isPrivateHost } from '../net/private-host.ts';
import { allSecret, asText, ConfigError, type Environment, optionalSetting } from './setting.ts';

/** Where users sign in by an account that they have elsewhere (OpenID Connect). */
export interface SignOnConfig {
  /** As the provider calls itself, to the letter. */
  issuer: string;
  clientId: string;
  /** To be shown nowhere; null: the provider asks for none. */
  clientSecret: string | null;
  /** How people call the provider. */
  label: string;
}

export const signOnSettings = {
  issuer: optionalSetting({
    name: 'HEADCOUNT_OIDC_ISSUER',
    standard: 'no single sign-on',
    meaning:
      'issuer of the OpenID Connect provider that users sign in with, such as https://login.example.com',
    parse: parseIssuer,
  }),
  clientId: optionalSetting({
    name: 'HEADCOUNT_OIDC_CLIENT_ID',
    standard: 'none',
    meaning: 'client id of this server at the provider; needed with HEADCOUNT_OIDC_ISSUER',
    parse: asText,
  }),
  clientSecret: optionalSetting({
    name: 'HEADCOUNT_OIDC_CLIENT_SECRET',
    standard: 'none',
    meaning: 'client secret of this server at the provider, if it needs one',
    secretsIn: allSecret,
    parse: asText,
  }),
  label: optionalSetting({
    name: 'HEADCOUNT_OIDC_LABEL',
    standard: "the issuer's host",
    meaning: 'what people call the provider: "Continue with …"',
    parse: parseLabel,
  }),
};

/** Null: users sign in with passwords alone. @throws ConfigError */
export function readSignOnConfig(env: Environment): SignOnConfig | null {
  const issuer = signOnSettings.issuer.read(env);
  const clientId = signOnSettings.clientId.read(env);
  if (issuer === undefined) return null;
  if (clientId === undefined) {
    throw new ConfigError(
      'HEADCOUNT_OIDC_ISSUER also needs HEADCOUNT_OIDC_CLIENT_ID: what the provider knows this server by.',
    );
  }
  return {
    issuer,
    clientId,
    clientSecret: signOnSettings.clientSecret.read(env) ?? null,
    label: signOnSettings.label.read(env) ?? new URL(issuer).host,
  };
}

/** Without TLS anyone in between could sign in as anybody. */
function parseIssuer(text: string, name: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateHost(url.hostname));
  if (url && isSafe && !url.search && !url.hash && !url.username) return text;
  throw new ConfigError(
    `${name} must be an https address such as https://login.example.com, as the provider itself gives it, not "${text}".`,
  );
}

function parseLabel(text: string, name: string): string {
  if (text.trim() !== '' && text.length <= 50 && !/\p{C}/u.test(text)) return text.trim();
  throw new ConfigError(`${name} must be a name of at most 50 characters, such as "Example Inc".`);
}
