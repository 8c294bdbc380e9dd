import { isAbsolute } from 'node:path';
import { type MayReach, parseReach } from '../net/reach.ts';
import { passwordsIn } from './database-url.ts';
import {
  allSecret,
  asMailbox,
  asSwitch,
  asText,
  asWholeNumber,
  ConfigError,
  optionalSetting,
  setting,
  splitWords,
} from './setting.ts';

const toMs = (parse: (text: string, name: string) => number) => (text: string, name: string) =>
  parse(text, name) * 1000;

export const jobSettings = {
  maxTurns: setting({
    name: 'HEADCOUNT_MAX_JOBS',
    formerName: 'HEADCOUNT_JOBS',
    standard: '2',
    meaning: 'jobs that are worked on at once; 0: none',
    parse: asWholeNumber({ min: 0, max: 100 }),
  }),
  maxTurnsPerProject: setting({
    name: 'HEADCOUNT_MAX_JOBS_PER_PROJECT',
    formerName: 'HEADCOUNT_JOBS_PER_PROJECT',
    standard: '1',
    meaning: 'the same for one project',
    parse: asWholeNumber({ min: 1, max: 100 }),
  }),
  leaseMs: setting({
    name: 'HEADCOUNT_JOB_LEASE',
    standard: '60',
    meaning: 'seconds without a sign of life after which another server takes over a turn',
    parse: toMs(asWholeNumber({ min: 1, max: 3_600 })),
  }),
  graceMs: setting({
    name: 'HEADCOUNT_JOB_GRACE',
    standard: '5',
    meaning: 'seconds that turns have to finish when the server stops',
    parse: toMs(asWholeNumber({ min: 0, max: 3_600 })),
  }),
  retryMs: setting({
    name: 'HEADCOUNT_JOB_RETRY',
    standard: '10',
    meaning: 'seconds before a turn is tried again after a passing error; doubled each time',
    parse: toMs(asWholeNumber({ min: 0, max: 3_600 })),
  }),
  archiveDays: setting({
    name: 'HEADCOUNT_JOB_ARCHIVE_DAYS',
    standard: '30',
    meaning: 'days without activity after which finished jobs are archived; 0: never',
    parse: asWholeNumber({ min: 0, max: 36_500 }),
  }),
  gitProtocols: setting({
    name: 'HEADCOUNT_GIT_PROTOCOLS',
    standard: 'https',
    meaning: 'how repositories may be reached: https, http, file, with commas between them',
    parse: parseProtocols,
  }),
  privateNetworks: setting({
    name: 'HEADCOUNT_PRIVATE_NETWORKS',
    standard: 'none',
    meaning:
      'private addresses that repositories, code hosts, models and webhooks may have: "none", "allow" for all, or ranges with commas between them',
    parse: parseNetworks,
  }),
  gitAuthor: setting({
    name: 'HEADCOUNT_GIT_AUTHOR',
    standard: 'Headcount <headcount@localhost>',
    meaning: 'the author of commits',
    parse: asMailbox,
  }),
  agentVariables: optionalSetting({
    name: 'HEADCOUNT_AGENT_ENV',
    standard: 'none',
    meaning: 'names of variables that are passed to outside agents, besides PATH',
    parse: parseVariables,
  }),
  agentFolders: optionalSetting({
    name: 'HEADCOUNT_AGENT_READABLE_FOLDERS',
    formerName: 'HEADCOUNT_AGENT_FOLDERS',
    standard: 'none',
    meaning:
      'folders that outside agents can read in their sandbox, besides /usr, such as that of their program',
    parse: parseFolders,
  }),
  agentNetwork: setting({
    name: 'HEADCOUNT_AGENT_NETWORK',
    standard: '1',
    meaning: '0: outside agents reach no network in their sandbox',
    parse: asSwitch,
  }),
};

const apiKey = (name: string, provider: string) =>
  optionalSetting({
    name,
    standard: 'none',
    meaning: `API key for ${provider}`,
    secretsIn: allSecret,
    parse: asText,
  });
const baseUrl = (name: string, provider: string, standard: string) =>
  optionalSetting({
    name,
    standard,
    meaning: `base URL of ${provider}`,
    secretsIn: passwordsIn,
    parse: asText,
  });

const compatible = 'base URL of a server with the OpenAI protocol, for models named compatible/…';

export const modelSettings = {
  anthropicKey: apiKey('ANTHROPIC_API_KEY', 'Anthropic'),
  anthropicUrl: baseUrl('ANTHROPIC_BASE_URL', "Anthropic's API", 'its own'),
  openaiKey: apiKey('OPENAI_API_KEY', 'OpenAI'),
  openaiUrl: baseUrl('OPENAI_BASE_URL', "OpenAI's API", 'its own'),
  googleKey: apiKey('GOOGLE_GENERATIVE_AI_API_KEY', 'Google'),
  compatibleUrl: baseUrl('HEADCOUNT_MODEL_BASE_URL', compatible, 'none'),
  compatibleKey: apiKey('HEADCOUNT_MODEL_API_KEY', 'that server'),
};

const knownProtocols = ['https', 'http', 'file'];

function parseProtocols(text: string, name: string): string[] {
  const protocols = splitWords(text);
  const unknown = protocols.find((protocol) => !knownProtocols.includes(protocol));
  if (unknown !== undefined || protocols.length === 0) {
    throw new ConfigError(`${name} must be a list of ${knownProtocols.join(', ')}, not "${text}".`);
  }
  return protocols;
}

/** What they hold opens what agents must not get to. */
const ownVariables = [
  'HEADCOUNT_SECRET_KEY',
  'HEADCOUNT_DATABASE_URL',
  'PGPASSWORD',
  'PGPASSFILE',
  'HEADCOUNT_SMTP_URL',
  'HEADCOUNT_OIDC_CLIENT_SECRET',
  'HEADCOUNT_BACKUP_PASSPHRASE',
];

function parseVariables(text: string, name: string): string[] {
  const names = splitWords(text);
  const wrong = names.find((word) => !/^[A-Za-z_]\w*$/.test(word) || ownVariables.includes(word));
  if (wrong !== undefined) {
    throw new ConfigError(
      `${name} must be a list of variables to pass to outside agents, and "${wrong}" cannot be one.`,
    );
  }
  return names;
}

function parseFolders(text: string, name: string): string[] {
  const folders = splitWords(text);
  const wrong = folders.find((folder) => !isAbsolute(folder));
  if (wrong === undefined) return folders;
  throw new ConfigError(
    `${name} must be a list of folders such as /opt/agent, and "${wrong}" is not a folder.`,
  );
}

function parseNetworks(text: string, name: string): MayReach {
  try {
    return parseReach(text);
  } catch (error) {
    throw new ConfigError(
      `${name} must be "none", "allow", or a list such as "loopback,10.0.0.0/8": ${(error as Error).message}`,
    );
  }
}
