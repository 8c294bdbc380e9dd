import type { LoginLimiter } from './admin/sign-in/login-limiter.ts';
import type { Passwords } from './admin/sign-in/password.ts';
import type { Sessions } from './admin/sign-in/sessions.ts';
import type { SignOnProvider } from './admin/sign-on/provider.ts';
import type { liveVisitors } from './analytics/live.ts';
import type { latelyMeasured } from './analytics/measured.ts';
import type { ReportLimits } from './analytics/report-limits.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { SaltCipher } from './counting/visitor/salt.ts';
import type { Readiness } from './health/readiness.ts';
import type { HttpTiming } from './http/listening/http-server.ts';
import type { SetupNotice } from './http/setup-notice.ts';
import type { CatalogueKeeper } from './identity/loaded/catalogue-keeper.ts';
import type { Proofs } from './identity/proof/proof.ts';
import type { Ingest } from './ingest/ingest.ts';
import type { AgentLimits } from './jobs/agent/limits.ts';
import type { EventStreams } from './jobs/api/event-streams.ts';
import type { ForgeCall } from './jobs/comments/pull-watch.ts';
import type { RunnerPulse } from './jobs/turn/runner-pulse.ts';
import type { TurnMeter } from './jobs/turn/turn-meter.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { HttpsGetBytes } from './net/https-get.ts';
import type { KeyUses } from './projects/key-uses.ts';
import type { Registry } from './projects/registry.ts';
import type { Secrets } from './projects/secrets.ts';
import type { SiteFiles } from './sitefiles/site-files.ts';
import type { Listeners } from './store/changes.ts';
import type { Store } from './store/store.ts';

/** What every part of the server is handed; built by `createContext` alone, for main and for tests. */
export interface Context {
  config: Config;
  store: Store;
  log: Log;
  /** Milliseconds since 1970, as far as the clock can be believed. */
  now: () => number;
  /** Knows whether it can. */
  clock: Clock;
  /** What operators of AI clients publish to be known by. */
  proofs: Proofs;
  /** Which AI clients there are, where a newer catalogue than that of this version was loaded. */
  catalogue: CatalogueKeeper;
  registry: Registry;
  /** What the sites of projects say of themselves. */
  siteFiles: SiteFiles;
  sessions: Sessions;
  passwords: Passwords;
  loginLimiter: LoginLimiter;
  /** Whose accounts users may sign in by; null: nobody's. */
  signOn: SignOnProvider | null;
  keyUses: KeyUses;
  /** Reads and makes the salts of days. */
  saltCipher: SaltCipher;
  /** What those who have the key know this installation by. */
  instance: string;
  ingest: Ingest;
  reportLimits: ReportLimits;
  latelyMeasured: ReturnType<typeof latelyMeasured>;
  live: ReturnType<typeof liveVisitors>;
  /** Decrypts what projects sign in with. */
  secrets: Secrets;
  /** What turns took, and whether the runner lives. */
  turnMeter: TurnMeter;
  runnerPulse: RunnerPulse;
  eventStreams: EventStreams;
  /** Apart, so that open pages leave those of jobs their room. */
  liveStreams: EventStreams;
  /** Webhooks of code hosts that were let in. */
  /** Passes accepted webhooks to the watch over pull requests. */
  forgeCalls: Listeners<ForgeCall>;
  /** Aborted when the server stops: what takes long then ends. */
  stopping: AbortController;
  readiness: Readiness;
  metrics: Metrics;
  setupNotice: SetupNotice;
  timing: HttpTiming;
  /** What one turn of an agent may use up. */
  agentLimits: AgentLimits;
  /** Reads the pages of the web that projects let agents read. */
  webGet: HttpsGetBytes;
  /** The built pages. */
  dashboardFolder: string;
}
