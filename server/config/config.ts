import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type IsTrusted, parseProxies } from '../net/address.ts';
import { type JobConfig, readJobConfig } from './job-config.ts';
import { decodeKey } from './secret-key.ts';
import { ConfigError, type Environment, readSwitch } from './setting.ts';

export { ConfigError } from './setting.ts';

export interface Config {
  port: number;
  /** The address to listen on. */
  host: string;
  dataDir: string;
  /** Where browsers and programs reach this server, without a trailing slash. */
  baseUrl: string;
  /** Peers whose X-Forwarded-For is believed. */
  trustedProxies: IsTrusted;
  /** MaxMind DB file that knows countries; null: countries are not counted. */
  countryDatabase: string | null;
  /** Asks nobody: what operators publish about their AI clients is then as old as this version. */
  offline: boolean;
  /** What secrets of projects are encrypted with; null: a key file in the data folder. */
  secretKey: Buffer | null;
  jobs: JobConfig;
}

/** Reads the settings once. @throws ConfigError */
export function readConfig(env: Environment): Config {
  const port = readPort(env.HEADCOUNT_PORT || '8787');
  const host = env.HEADCOUNT_HOST || '127.0.0.1';
  return {
    port,
    host,
    dataDir: resolve(env.HEADCOUNT_DATA_DIR || './data'),
    baseUrl: readBaseUrl(env.HEADCOUNT_BASE_URL || `http://${nameOf(host)}:${port}`),
    trustedProxies: readProxies(env.HEADCOUNT_TRUSTED_PROXIES),
    countryDatabase: env.HEADCOUNT_COUNTRY_DATABASE ? resolve(env.HEADCOUNT_COUNTRY_DATABASE) : null,
    offline: readSwitch('HEADCOUNT_OFFLINE', env.HEADCOUNT_OFFLINE),
    secretKey: readSecretKey(env.HEADCOUNT_SECRET_KEY),
    jobs: readJobConfig(env),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new ConfigError(`HEADCOUNT_PORT must be a whole number from 0 to 65535, and is "${text}".`);
  }
  return port;
}

/** The value itself must not come back in the message. */
function readSecretKey(text = ''): Buffer | null {
  if (text === '') return null;
  const key = decodeKey(text);
  if (!key) {
    throw new ConfigError(
      'HEADCOUNT_SECRET_KEY must be 32 random bytes in base64, such as "openssl rand -base64 32" prints.',
    );
  }
  return key;
}

/** What to call a listening address in an address line: an address that means "all" cannot be opened. */
function nameOf(host: string): string {
  if (host === '127.0.0.1' || host === '::1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    throw new ConfigError(
      `HEADCOUNT_BASE_URL must be an address such as https://count.example.com, and is "${text}".`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readProxies(text = 'loopback'): IsTrusted {
  try {
    return parseProxies(text);
  } catch (error) {
    throw new ConfigError(
      `HEADCOUNT_TRUSTED_PROXIES must be a list such as "loopback,10.0.0.0/8,2001:db8::1" or "none": ${(error as Error).message}`,
    );
  }
}
