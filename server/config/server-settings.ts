import { resolve } from 'node:path';
import { logFormats, logLevels } from '../log.ts';
import { type IsTrusted, parseProxies } from '../net/address.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { decodeKey } from './secret-key.ts';
import {
  allSecret,
  asOneOf,
  asSwitch,
  asText,
  asWholeNumber,
  ConfigError,
  optionalSetting,
  setting,
  type ValueSetting,
} from './setting.ts';

export interface ListenAddress {
  host: string;
  port: number;
}

export const serverSettings = {
  port: setting({
    name: 'HEADCOUNT_PORT',
    standard: '8787',
    meaning: 'port to listen on; 0: any free one',
    parse: asWholeNumber({ min: 0, max: 65_535 }),
  }),
  host: setting({
    name: 'HEADCOUNT_HOST',
    standard: '127.0.0.1',
    meaning: 'address to listen on; 0.0.0.0 or :: for all',
    parse: asText,
  }),
  dataDir: setting({
    name: 'HEADCOUNT_DATA_DIR',
    standard: './data',
    meaning: 'data folder',
    parse: (text) => resolve(text),
  }),
  databaseUrl: optionalSetting({
    name: 'HEADCOUNT_DATABASE_URL',
    standard: 'SQLite, in the data folder',
    meaning:
      'a PostgreSQL that several servers share, such as postgres://user:password@host:5432/headcount; it also needs HEADCOUNT_SECRET_KEY',
    secretsIn: (text) => parseDatabaseUrl(text)?.passwords ?? [],
    parse: asDatabaseUrl,
  }),
  baseUrl: optionalSetting({
    name: 'HEADCOUNT_BASE_URL',
    standard: 'http://localhost:<port>',
    meaning:
      'public address of the server, with the path if it is below one; with https the session cookie is Secure',
    parse: parseBaseUrl,
  }),
  trustedProxies: {
    name: 'HEADCOUNT_TRUSTED_PROXIES',
    standard: 'loopback',
    meaning:
      'proxies whose X-Forwarded-For is believed: addresses and ranges with commas between them, "loopback", or "none"',
    // Set to nothing it means that none is trusted.
    read: (env) => readProxies(env.HEADCOUNT_TRUSTED_PROXIES),
  } satisfies ValueSetting<IsTrusted>,
  maxConnections: setting({
    name: 'HEADCOUNT_MAX_CONNECTIONS',
    standard: '10000',
    meaning: 'connections that may be open at once; further ones are answered 503',
    parse: asWholeNumber({ min: 1, max: 1_000_000 }),
  }),
  connectionsPerNetwork: optionalSetting({
    name: 'HEADCOUNT_MAX_CONNECTIONS_PER_NETWORK',
    formerName: 'HEADCOUNT_NETWORK_CONNECTIONS',
    standard: 'a quarter of all; private networks have no limit',
    meaning:
      'connections that one network (IPv4 address, /64 of IPv6) may have open, private networks too, trusted proxies not; 0: no limit',
    parse: asWholeNumber({ min: 0, max: 1_000_000 }),
  }),
  maxHitsPerNetwork: setting({
    name: 'HEADCOUNT_MAX_HITS_PER_NETWORK',
    formerName: 'HEADCOUNT_HITS_PER_NETWORK',
    standard: '10000',
    meaning: 'hits a minute that a project counts from one network (IPv4 address, /48 of IPv6); 0: no limit',
    parse: asWholeNumber({ min: 0, max: 1_000_000_000 }),
  }),
  metricsAddress: optionalSetting({
    name: 'HEADCOUNT_METRICS_ADDRESS',
    standard: 'none',
    meaning: 'address and port at which Prometheus reads /metrics without a key, such as 127.0.0.1:9464',
    parse: parseAddressAndPort,
  }),
  logFormat: optionalSetting({
    name: 'HEADCOUNT_LOG_FORMAT',
    formerName: 'HEADCOUNT_LOG',
    standard: 'text on a terminal and for commands, otherwise json',
    meaning: 'how the log is written: text (sentences) or json (a line each)',
    parse: asOneOf(logFormats),
  }),
  logLevel: setting({
    name: 'HEADCOUNT_LOG_LEVEL',
    standard: 'info',
    meaning: 'lowest level that is logged: info, warn or error',
    parse: asOneOf(logLevels),
  }),
  offline: setting({
    name: 'HEADCOUNT_OFFLINE',
    standard: '0',
    meaning: '1: the operators of AI clients are not asked for their addresses and keys',
    parse: asSwitch,
  }),
  countryDatabase: optionalSetting({
    name: 'HEADCOUNT_COUNTRY_DATABASE',
    standard: 'countries that come with Headcount',
    meaning: 'a MaxMind DB file (.mmdb) to count by instead; one with cities adds regions and cities',
    parse: (text) => resolve(text),
  }),
  secretKey: optionalSetting({
    name: 'HEADCOUNT_SECRET_KEY',
    standard: 'a file in the data folder, made when it is needed',
    meaning:
      "32 random bytes in base64 that encrypt salts, second factors and the projects' secrets; commands need it as the server does",
    secretsIn: allSecret,
    parse: parseSecretKey,
  }),
  /** An empty one is not the same as none, so that no backup is readable by mistake. */
  backupPassphrase: {
    name: 'HEADCOUNT_BACKUP_PASSPHRASE',
    standard: 'none',
    meaning: 'encrypts what "headcount backup" writes, and decrypts what "headcount restore" reads',
    secretsIn: allSecret,
    read: (env) => env.HEADCOUNT_BACKUP_PASSPHRASE,
  } satisfies ValueSetting<string | undefined>,
};

function parseAddressAndPort(text: string, name: string): ListenAddress {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new ConfigError(`${name} must be an address and a port such as 127.0.0.1:9464, not "${text}".`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function parseBaseUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    throw new ConfigError(`${name} must be a URL such as https://count.example.com, not "${text}".`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!/^[/\w.~-]*$/.test(path) || path.includes('//')) {
    throw new ConfigError(
      `The path of ${name} may have letters, digits and "-", ".", "_", "~", such as https://example.com/analytics, not "${text}".`,
    );
  }
  const [, first = ''] = path.split('/');
  if (ownNames.has(first.toLowerCase())) {
    throw new ConfigError(
      `${name} is below /${first}, which is an address of Headcount itself: take another path, such as https://example.com/analytics.`,
    );
  }
  return url.origin + path;
}

/**
 * What paths of this server begin with. Below one of them it would not be clear whether a proxy has removed the path already.
 */
const ownNames: ReadonlySet<string> = new Set([
  ...[
    'v1',
    'v2',
    'mcp',
    'hc.js',
    'hc-events.js',
    'hc-debug.js',
    'client.tgz',
    'connect.tgz',
    'badge',
    'share',
  ],
  ...[
    'docs',
    'docs.css',
    'help',
    'openapi.json',
    'robots.txt',
    'healthz',
    'readyz',
    'metrics',
    'assets',
    'p',
  ],
  ...['sign-in', 'sign-on', 'setup', 'invitation', 'installation'],
]);

function readProxies(text = 'loopback'): IsTrusted {
  try {
    return parseProxies(text);
  } catch (error) {
    throw new ConfigError(
      `HEADCOUNT_TRUSTED_PROXIES must be a list such as "loopback,10.0.0.0/8,2001:db8::1" or "none": ${(error as Error).message}`,
    );
  }
}

/** It holds a password, so that the value must not come back in the message. */
function asDatabaseUrl(text: string, name: string): string {
  if (parseDatabaseUrl(text)) return text;
  throw new ConfigError(
    `${name} must be a URL such as postgres://user:password@host:5432/headcount, with special characters percent-encoded.`,
  );
}

/** The value itself must not come back in the message. */
function parseSecretKey(text: string, name: string): Buffer {
  const key = decodeKey(text);
  if (key) return key;
  throw new ConfigError(
    `${name} must be 32 random bytes in base64, such as "openssl rand -base64 32" prints.`,
  );
}
