import { isIP } from 'node:net';
import type { LogFormat, LogLevel } from '../log.ts';
import type { IsTrusted } from '../net/address.ts';
import { type ClientConfig, readClientConfig } from './client-settings.ts';
import { type JobConfig, readJobConfig } from './job-config.ts';
import { type MailConfig, readMailConfig } from './mail-settings.ts';
import { type ListenAddress, serverSettings } from './server-settings.ts';
import { ConfigError, type Environment } from './setting.ts';
import { secretTextsOf } from './settings.ts';
import { readSignOnConfig, type SignOnConfig } from './sign-on-settings.ts';

export { ConfigError } from './setting.ts';

export interface Config {
  port: number;
  /** The address to listen on. */
  host: string;
  dataDir: string;
  /** A PostgreSQL instead of the database in the data folder; null: none. It holds a password: to be shown nowhere. */
  databaseUrl: string | null;
  /** Where browsers and programs reach this server, without a trailing slash. */
  baseUrl: string;
  /** Otherwise it is what this machine would call itself. */
  isBaseUrlGiven: boolean;
  /** Peers whose X-Forwarded-For is believed. */
  trustedProxies: IsTrusted;
  /** Open at once. */
  maxConnections: number;
  /** Open at once from one network; 0: without a bound; null: a quarter, and private networks without a bound. */
  connectionsPerNetwork: number | null;
  /** Hits a minute for each project; 0: without a bound. */
  maxHitsPerNetwork: number;
  /** MaxMind DB file that knows countries; null: countries are not counted. */
  countryDatabase: string | null;
  /** Where metrics are read without a key; null: nowhere. */
  metricsAddress: ListenAddress | null;
  /** Null: by who reads it. */
  logFormat: LogFormat | null;
  logLevel: LogLevel;
  /** Asks nobody: what operators publish about their AI clients is then as old as this version. */
  offline: boolean;
  /** How AI clients are known, besides by what came with Headcount. */
  clients: ClientConfig;
  /** What secrets of projects are encrypted with; null: a key file in the data folder. */
  secretKey: Buffer | null;
  /** Of backups; null: none is given. */
  backupPassphrase: string | null;
  /** Null: no mail is sent. */
  mail: MailConfig | null;
  /** Null: users sign in with passwords alone. */
  signOn: SignOnConfig | null;
  jobs: JobConfig;
  /** All that is secret in the settings, for who takes it out of texts: to be shown nowhere. */
  secretTexts: string[];
}

/** Reads the settings once. @throws ConfigError */
export function readConfig(env: Environment): Config {
  const port = serverSettings.port.read(env);
  const host = serverSettings.host.read(env);
  const databaseUrl = serverSettings.databaseUrl.read(env) ?? null;
  const secretKey = serverSettings.secretKey.read(env) ?? null;
  if (databaseUrl !== null && secretKey === null) throw keyMissing();
  return {
    port,
    host,
    dataDir: serverSettings.dataDir.read(env),
    databaseUrl,
    baseUrl: serverSettings.baseUrl.read(env) ?? `http://${nameOf(host)}:${port}`,
    isBaseUrlGiven: serverSettings.baseUrl.read(env) !== undefined,
    trustedProxies: serverSettings.trustedProxies.read(env),
    maxConnections: serverSettings.maxConnections.read(env),
    connectionsPerNetwork: serverSettings.connectionsPerNetwork.read(env) ?? null,
    maxHitsPerNetwork: serverSettings.maxHitsPerNetwork.read(env),
    countryDatabase: serverSettings.countryDatabase.read(env) ?? null,
    metricsAddress: serverSettings.metricsAddress.read(env) ?? null,
    logFormat: serverSettings.logFormat.read(env) ?? null,
    logLevel: serverSettings.logLevel.read(env),
    offline: serverSettings.offline.read(env),
    clients: readClientConfig(env),
    secretKey,
    backupPassphrase: serverSettings.backupPassphrase.read(env) ?? null,
    mail: readMailConfig(env),
    signOn: readSignOnConfig(env),
    jobs: readJobConfig(env),
    secretTexts: secretTextsOf(env),
  };
}

/** A key file of one machine would be another on the next. */
function keyMissing(): ConfigError {
  return new ConfigError(
    'HEADCOUNT_DATABASE_URL also needs HEADCOUNT_SECRET_KEY, the same for all servers and commands on that database: 32 random bytes in base64, such as "openssl rand -base64 32" prints.',
  );
}

/** What to call a listening address in an address line: an address that means "all" cannot be opened. */
function nameOf(host: string): string {
  if (host === '127.0.0.1' || host === '::1' || host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}
