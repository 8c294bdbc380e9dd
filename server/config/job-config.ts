import type { MayReach } from '../net/reach.ts';
import { jobSettings, modelSettings } from './job-settings.ts';
import type { Environment } from './setting.ts';

interface ProviderConfig {
  apiKey: string | undefined;
  baseUrl: string | undefined;
}

/** What the environment says about agent jobs. */
export interface JobConfig {
  /** Turns at work at once, those of other processes on this database included; 0: this process runs none. */
  maxTurns: number;
  maxTurnsPerProject: number;
  /** How long a turn is held without a sign of life before another process takes it over. */
  leaseMs: number;
  /** How long a stopping server lets turns go on before it hands them back; `docker stop` kills after ten seconds. */
  graceMs: number;
  /** Wait before a turn is tried again after a passing error; doubled each time. */
  retryMs: number;
  /** Completed and failed jobs are archived after so many days without activity; 0: never. */
  archiveDays: number;
  /** Whether a repository, a code host or a model may have this address. */
  mayReach: MayReach;
  git: {
    /** Ways by which repositories may be reached. */
    protocols: string[];
    /** Where git is searched for. */
    path: string;
    /** Proxies and certificates, as git and curl know them. */
    network: Record<string, string>;
    /** Who the commits are by. */
    author: { name: string; email: string };
  };
  models: Record<'anthropic' | 'openai' | 'google' | 'compatible', ProviderConfig>;
  /** The environment of outside agents, besides PATH: what HEADCOUNT_AGENT_ENV names. */
  agentEnvironment: Record<string, string>;
  /** What outside agents can read besides the system's folders, while they are confined. */
  agentFolders: string[];
  hasAgentNetwork: boolean;
}

const networkVariables = [
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** @throws ConfigError */
export function readJobConfig(env: Environment): JobConfig {
  const { gitProtocols, gitAuthor, agentVariables } = jobSettings;
  return {
    maxTurns: jobSettings.maxTurns.read(env),
    maxTurnsPerProject: jobSettings.maxTurnsPerProject.read(env),
    leaseMs: jobSettings.leaseMs.read(env),
    graceMs: jobSettings.graceMs.read(env),
    retryMs: jobSettings.retryMs.read(env),
    archiveDays: jobSettings.archiveDays.read(env),
    mayReach: jobSettings.privateNetworks.read(env),
    git: {
      protocols: gitProtocols.read(env),
      path: env.PATH || '/usr/local/bin:/usr/bin:/bin',
      network: pick(env, networkVariables),
      author: gitAuthor.read(env),
    },
    models: readModels(env),
    agentEnvironment: pick(env, agentVariables.read(env) ?? []),
    agentFolders: jobSettings.agentFolders.read(env) ?? [],
    hasAgentNetwork: jobSettings.agentNetwork.read(env),
  };
}

function readModels(env: Environment): JobConfig['models'] {
  const { anthropicKey, anthropicUrl, openaiKey, openaiUrl, googleKey, compatibleUrl, compatibleKey } =
    modelSettings;
  return {
    anthropic: { apiKey: anthropicKey.read(env), baseUrl: anthropicUrl.read(env) },
    openai: { apiKey: openaiKey.read(env), baseUrl: openaiUrl.read(env) },
    google: { apiKey: googleKey.read(env), baseUrl: undefined },
    compatible: { apiKey: compatibleKey.read(env), baseUrl: compatibleUrl.read(env) },
  };
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
