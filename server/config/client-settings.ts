import { createPublicKey, type KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { allSecret, ConfigError, type Environment, optionalSetting, splitWords } from './setting.ts';

export interface ClientConfig {
  /** Whose catalogues are taken up; none: nobody's. */
  catalogueKeys: KeyObject[];
  /** Where a newer catalogue is looked for; null: nowhere. It may hold a secret: only its host is to be shown. */
  catalogueUrl: string | null;
  /** MaxMind DB file that knows whose network an address is of; null: that is not looked at. */
  asnDatabase: string | null;
}

export const clientSettings = {
  catalogueKey: optionalSetting({
    name: 'HEADCOUNT_CATALOGUE_KEY',
    standard: 'none',
    meaning:
      'public keys, with commas between them, by one of which catalogues of AI clients are signed that may be loaded, as "headcount catalogue key" prints them',
    parse: (text, name) => splitWords(text).map((word) => parsePublicKey(word, name)),
  }),
  catalogueUrl: optionalSetting({
    name: 'HEADCOUNT_CATALOGUE_URL',
    standard: 'none',
    meaning: 'https address where a newer signed catalogue is looked for once a day',
    secretsIn: allSecret,
    parse: parseUrl,
  }),
  asnDatabase: optionalSetting({
    name: 'HEADCOUNT_ASN_DATABASE',
    standard: 'none',
    meaning:
      'a MaxMind DB file (.mmdb) of networks: whose network an unproved AI client comes from, and what exclusions by network need',
    parse: (text) => resolve(text),
  }),
};

/** @throws ConfigError */
export function readClientConfig(env: Environment): ClientConfig {
  const catalogueKeys = clientSettings.catalogueKey.read(env) ?? [];
  const catalogueUrl = clientSettings.catalogueUrl.read(env) ?? null;
  if (catalogueUrl !== null && catalogueKeys.length === 0) {
    throw new ConfigError(
      'HEADCOUNT_CATALOGUE_URL also needs HEADCOUNT_CATALOGUE_KEY: the public key that its catalogue is signed with.',
    );
  }
  return { catalogueKeys, catalogueUrl, asnDatabase: clientSettings.asnDatabase.read(env) ?? null };
}

function parsePublicKey(text: string, name: string): KeyObject {
  const x = Buffer.from(text, 'base64').toString('base64url');
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) {
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  }
  throw new ConfigError(
    `${name} must be public keys of Ed25519, each 32 bytes in base64, as "headcount catalogue key" prints them.`,
  );
}

/** The value may hold a secret, so that it does not come back in the message. */
function parseUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return text;
  throw new ConfigError(`${name} must be an https address such as https://example.com/catalogue.signed.`);
}
