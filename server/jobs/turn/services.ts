import type { Config } from '../../config/config.ts';
import type { Log } from '../../log.ts';
import type { HttpsGetBytes } from '../../net/https-get.ts';
import type { Registry } from '../../projects/registry.ts';
import type { Secrets } from '../../projects/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { AgentLimits } from '../agent/limits.ts';
import type { RunnerPulse } from './runner-pulse.ts';
import type { TurnMeter } from './turn-meter.ts';

/** The parts of the server that turns need. */
export interface JobServices {
  config: Config;
  store: Store;
  registry: Registry;
  secrets: Secrets;
  turnMeter: TurnMeter;
  runnerPulse: RunnerPulse;
  /** What one turn of an agent may use up. */
  agentLimits: AgentLimits;
  /** Reads the pages of the web that projects let agents read. */
  webGet: HttpsGetBytes;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
}
