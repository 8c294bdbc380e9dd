import { Registry } from './admin/registry.ts';
import type { Config } from './config.ts';
import { createProofs, type Proofs } from './identity/proof/proof.ts';
import { openCountryDatabase } from './ingest/country.ts';
import { Ingest } from './ingest/ingest.ts';
import type { Log } from './log.ts';
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
  ingest: Ingest;
}

/** @throws ConfigError for a country database that cannot be used. */
export async function createContext(
  parts: Pick<Context, 'config' | 'store' | 'log' | 'now'> & { proofs?: Proofs },
): Promise<Context> {
  const { config, store, log, now } = parts;
  const registry = new Registry(store, log);
  await registry.refresh();
  const findCountry = openCountryDatabase(config.countryDatabase);
  const proofs = parts.proofs ?? createProofs({ dataDir: config.dataDir, offline: config.offline, log, now });
  const ingest = new Ingest({ store, registry, findCountry, proofs, log, now });
  return { ...parts, proofs, registry, ingest };
}
