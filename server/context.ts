import { Guesses } from './admin/login-limiter.ts';
import { Passwords } from './admin/password.ts';
import { Sessions } from './admin/sessions.ts';
import type { Config } from './config/config.ts';
import { openCountryDatabase } from './counting/country.ts';
import { dashboardFolder } from './http/pages.ts';
import { createProofs, type Proofs } from './identity/proof/proof.ts';
import { Ingest } from './ingest/ingest.ts';
import { type AgentLimits, defaultLimits } from './jobs/agent/limits.ts';
import { EventStreams } from './jobs/api/event-streams.ts';
import { JobNews } from './jobs/turn/job-news.ts';
import type { Log } from './log.ts';
import { KeyUses } from './projects/key-uses.ts';
import { Registry } from './projects/registry.ts';
import { Secrets } from './projects/secrets.ts';
import type { Store } from './store/store.ts';

/** What every part of the server is handed; built once, in main, and by tests with parts of their own. */
export interface Context {
  config: Config;
  store: Store;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
  /** What operators of AI clients publish to be known by. */
  proofs: Proofs;
  registry: Registry;
  sessions: Sessions;
  passwords: Passwords;
  guesses: Guesses;
  keyUses: KeyUses;
  ingest: Ingest;
  /** Decrypts what projects sign in with. */
  secrets: Secrets;
  /** Tells the runner of this process what the API did. */
  jobNews: JobNews;
  eventStreams: EventStreams;
  /** What one turn of an agent may use up. */
  agentLimits: AgentLimits;
  /** The built pages. */
  dashboardFolder: string;
}

/** @throws ConfigError for a country database that cannot be used. */
export async function createContext(
  parts: Pick<Context, 'config' | 'store' | 'log' | 'now'> &
    Partial<Pick<Context, 'proofs' | 'eventStreams' | 'agentLimits' | 'passwords' | 'dashboardFolder'>>,
): Promise<Context> {
  const { config, store, log, now } = parts;
  const registry = new Registry(store, log);
  await registry.refresh();
  const findCountry = openCountryDatabase(config.countryDatabase);
  const proofs = parts.proofs ?? createProofs({ dataDir: config.dataDir, offline: config.offline, log, now });
  const ingest = new Ingest({ store, registry, findCountry, proofs, log, now });
  const secrets = new Secrets({ store, ...config });
  const eventStreams = parts.eventStreams ?? new EventStreams();
  return {
    ...parts,
    proofs,
    registry,
    sessions: new Sessions({ store, registry, log, now }),
    passwords: parts.passwords ?? new Passwords(),
    guesses: new Guesses(now),
    keyUses: new KeyUses({ store, log, now }),
    ingest,
    secrets,
    jobNews: new JobNews(),
    eventStreams,
    agentLimits: parts.agentLimits ?? defaultLimits,
    dashboardFolder: parts.dashboardFolder ?? dashboardFolder,
  };
}
