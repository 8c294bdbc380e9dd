import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { attemptMemory, LoginLimiter } from './admin/sign-in/login-limiter.ts';
import { Passwords } from './admin/sign-in/password.ts';
import { Sessions } from './admin/sign-in/sessions.ts';
import { SignOnProvider } from './admin/sign-on/provider.ts';
import { liveVisitors } from './analytics/live.ts';
import { latelyMeasured } from './analytics/measured.ts';
import { createReportLimits } from './analytics/report-limits.ts';
import { auditedCatalogues, theServer } from './audit/audit-list.ts';
import { Clock } from './clock.ts';
import { keyBytes } from './config/secret-key.ts';
import type { Context } from './context.ts';
import type { FindPlace } from './counting/places/place.ts';
import { openPlaces } from './counting/places/places.ts';
import { SaltCipher } from './counting/visitor/salt.ts';
import { keepPrivate } from './files/private-file.ts';
import { dashboardFolder } from './files/shipped.ts';
import { createReadiness } from './health/readiness.ts';
import { usualTiming } from './http/listening/http-server.ts';
import { SetupNotice } from './http/setup-notice.ts';
import { CatalogueKeeper } from './identity/loaded/catalogue-keeper.ts';
import { openNetworks } from './identity/networks/asn-database.ts';
import { createProofs } from './identity/proof/proof.ts';
import { Ingest } from './ingest/ingest.ts';
import { defaultLimits } from './jobs/agent/limits.ts';
import { EventStreams } from './jobs/api/event-streams.ts';
import { RunnerPulse } from './jobs/turn/runner-pulse.ts';
import { TurnMeter } from './jobs/turn/turn-meter.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createHttpsGetBytes, type HttpsGet } from './net/https-get.ts';
import { instanceOf } from './projects/instance.ts';
import { keyFile, loadSecretKey, SecretError } from './projects/key-file.ts';
import { KeyUses } from './projects/key-uses.ts';
import { Registry } from './projects/registry.ts';
import { Secrets } from './projects/secrets.ts';
import { SiteFiles, type SiteFilesOptions } from './sitefiles/site-files.ts';
import { Listeners } from './store/changes.ts';

type Needed = Pick<Context, 'config' | 'store' | 'log' | 'now'>;

/** What tests put in the place of the usual. */
type Replaced = Pick<
  Context,
  | 'clock'
  | 'proofs'
  | 'eventStreams'
  | 'timing'
  | 'agentLimits'
  | 'webGet'
  | 'passwords'
  | 'dashboardFolder'
  | 'runnerPulse'
> & {
  findPlace: FindPlace;
  siteOptions: SiteFilesOptions;
  catalogueGet: HttpsGet;
  /** Between two looks for projects and keys that are not known. */
  betweenLooksMs: number;
};

/** @throws ConfigError for a database of countries or networks that cannot be used. */
export async function createContext(parts: Needed & Partial<Replaced>): Promise<Context> {
  const { config, store, log } = parts;
  const clock = parts.clock ?? new Clock({ wall: parts.now, uptime: parts.now, log });
  const { now } = clock;
  const projects = await readProjects({ ...parts, now });
  const { dataDir, offline } = config;
  const proofs = parts.proofs ?? createProofs({ dataDir, offline, store: store.nodes?.ranges, log, now });
  const keptCatalogue = auditedCatalogues(store, theServer, now);
  const catalogue = await CatalogueKeeper.open({ config, store: keptCatalogue, log }, parts.catalogueGet);
  const secretKey = findSecretKey(parts);
  const siteFiles = await openSiteFiles({ ...parts, ...projects, now });
  const counting = createCounting({ ...parts, ...projects, clock, proofs, siteFiles, secretKey });
  const { ingest } = counting;
  const turnMeter = new TurnMeter();
  const runnerPulse = parts.runnerPulse ?? new RunnerPulse();
  const measured = latelyMeasured();
  return {
    ...parts,
    ...projects,
    ...counting,
    now,
    clock,
    proofs,
    catalogue,
    siteFiles,
    passwords: parts.passwords ?? new Passwords(),
    signOn: config.signOn && new SignOnProvider({ config: config.signOn, log, now }),
    loginLimiter: new LoginLimiter({
      store: store.nodes?.loginAttempts ?? attemptMemory(now),
      nameOf: nameNetworks(secretKey),
      now,
    }),
    reportLimits: createReportLimits(),
    latelyMeasured: measured,
    live: liveVisitors({ store, measured, now }),
    turnMeter,
    runnerPulse,
    readiness: createReadiness({ store, ingest, runnerPulse }),
    metrics: createMetrics({ config, store, ingest, turnMeter, proofs, now }),
    eventStreams: parts.eventStreams ?? new EventStreams(),
    liveStreams: new EventStreams({ maxStreams: 500 }),
    forgeCalls: new Listeners(),
    stopping: new AbortController(),
    setupNotice: new SetupNotice({ config, log }),
    timing: parts.timing ?? usualTiming,
    agentLimits: parts.agentLimits ?? defaultLimits,
    webGet: parts.webGet ?? createHttpsGetBytes(),
    dashboardFolder: parts.dashboardFolder ?? dashboardFolder,
  };
}

async function openSiteFiles({
  config: { offline },
  store,
  registry,
  log,
  now,
  siteOptions = {},
}: Needed & Pick<Context, 'registry'> & Partial<Replaced>): Promise<SiteFiles> {
  const siteFiles = new SiteFiles({ store: store.sites, registry, offline, log, now, ...siteOptions });
  await siteFiles.load();
  return siteFiles;
}

/** Projects, and who is let in to them. */
async function readProjects({ config, store, log, now, betweenLooksMs }: Needed & Partial<Replaced>) {
  const registry = new Registry(store, log, betweenLooksMs);
  const sessions = new Sessions({ store, log, now });
  await Promise.all([registry.refresh(), sessions.refresh()]);
  return {
    registry,
    sessions,
    keyUses: new KeyUses({ store, log, now }),
    secrets: new Secrets({ store, ...config }),
  };
}

/** What hits are counted with. */
function createCounting({
  findPlace,
  secretKey,
  ...parts
}: Pick<Context, 'config' | 'store' | 'log' | 'registry' | 'clock' | 'proofs' | 'siteFiles'> &
  Partial<Replaced> & { secretKey: Buffer }) {
  const { countryDatabase, clients, maxHitsPerNetwork } = parts.config;
  const saltCipher = new SaltCipher(secretKey);
  const ingest = new Ingest({
    ...parts,
    findPlace: findPlace ?? openPlaces(countryDatabase),
    findNetwork: openNetworks(clients.asnDatabase),
    saltCipher,
    maxHitsPerNetwork,
  });
  return { saltCipher, instance: instanceOf(secretKey), ingest };
}

/** Who guesses passwords is recognised, but no stored value reveals an address. */
function nameNetworks(secretKey: Buffer): (network: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'headcount networks of guesses', 32));
  return (network) => createHmac('sha256', key).update(network).digest('base64url');
}

/** Views are counted without the key too, as long as this process runs. */
function findSecretKey({ config, log }: Pick<Context, 'config' | 'log'>): Buffer {
  if (!config.secretKey) keepPrivate(join(config.dataDir, keyFile), log);
  try {
    return loadSecretKey(config);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    log.error(
      `${error.message} Until the next start salts are encrypted with a key in memory, after it the visitors of active days may be counted twice.`,
    );
    return randomBytes(keyBytes);
  }
}
