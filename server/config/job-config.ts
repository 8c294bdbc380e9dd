import { ConfigError, type Environment, readWholeNumber, readWords } from './setting.ts';

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
}

const knownProtocols = ['https', 'http', 'file'];
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
  return {
    maxTurns: readWholeNumber(env, 'HEADCOUNT_JOBS', { usual: 2, min: 0, max: 100 }),
    maxTurnsPerProject: readWholeNumber(env, 'HEADCOUNT_JOBS_PER_PROJECT', { usual: 1, min: 1, max: 100 }),
    leaseMs: readWholeNumber(env, 'HEADCOUNT_JOB_LEASE', { usual: 60, min: 1, max: 3_600 }) * 1000,
    graceMs: readWholeNumber(env, 'HEADCOUNT_JOB_GRACE', { usual: 5, min: 0, max: 3_600 }) * 1000,
    retryMs: readWholeNumber(env, 'HEADCOUNT_JOB_RETRY', { usual: 10, min: 0, max: 3_600 }) * 1000,
    archiveDays: readWholeNumber(env, 'HEADCOUNT_JOB_ARCHIVE_DAYS', { usual: 30, min: 0, max: 36_500 }),
    git: {
      protocols: readProtocols(env.HEADCOUNT_GIT_PROTOCOLS || 'https'),
      path: env.PATH || '/usr/local/bin:/usr/bin:/bin',
      network: pick(env, networkVariables),
      author: readAuthor(env.HEADCOUNT_GIT_AUTHOR || 'Headcount <headcount@localhost>'),
    },
    models: {
      anthropic: provider(env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL),
      openai: provider(env.OPENAI_API_KEY, env.OPENAI_BASE_URL),
      google: provider(env.GOOGLE_GENERATIVE_AI_API_KEY, undefined),
      compatible: provider(env.HEADCOUNT_MODEL_API_KEY, env.HEADCOUNT_MODEL_BASE_URL),
    },
    agentEnvironment: pick(env, readAgentVariables(env.HEADCOUNT_AGENT_ENV)),
  };
}

/** An empty variable is as good as none. */
function provider(apiKey: string | undefined, baseUrl: string | undefined): ProviderConfig {
  return { apiKey: apiKey || undefined, baseUrl: baseUrl || undefined };
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function readProtocols(text: string): string[] {
  const protocols = readWords(text);
  const unknown = protocols.find((protocol) => !knownProtocols.includes(protocol));
  if (unknown !== undefined || protocols.length === 0) {
    throw new ConfigError(
      `HEADCOUNT_GIT_PROTOCOLS must be a list of ${knownProtocols.join(', ')}, and is "${text}".`,
    );
  }
  return protocols;
}

function readAuthor(text: string): { name: string; email: string } {
  const [, name, email] = /^([^<>\p{C}]{1,100}?) *<([^<>\s\p{C}]{1,200})>$/u.exec(text) ?? [];
  if (name === undefined || email === undefined) {
    throw new ConfigError(
      `HEADCOUNT_GIT_AUTHOR must be like "Headcount <bot@example.com>", and is "${text}".`,
    );
  }
  return { name, email };
}

function readAgentVariables(text: string | undefined): string[] {
  const names = readWords(text);
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name) || name === 'HEADCOUNT_SECRET_KEY');
  if (wrong !== undefined) {
    throw new ConfigError(
      `HEADCOUNT_AGENT_ENV must be a list of variables that outside agents get, and cannot have "${wrong}" in it.`,
    );
  }
  return names;
}
