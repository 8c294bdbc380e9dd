import { forgeKinds } from '../../../shared/jobs/forge.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { findSandboxFault, sandboxOf } from '../../jobs/agent/command/sandbox.ts';
import { CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { type OptionValues, readList } from '../terminal/options.ts';

/** Options about agent jobs of `project add` and `project set`. */
export const jobOptions = {
  repository: { type: 'string' },
  ref: { type: 'string' },
  forge: { type: 'string' },
  'forge-url': { type: 'string' },
  'github-app-id': { type: 'string' },
  'github-installation-id': { type: 'string' },
  model: { type: 'string' },
  'fallback-model': { type: 'string' },
  'model-limits': { type: 'string', multiple: true },
  'branch-prefix': { type: 'string' },
  'commit-author': { type: 'string' },
  'sign-off': { type: 'boolean' },
  'no-sign-off': { type: 'boolean' },
  'commit-format': { type: 'string' },
  draft: { type: 'boolean' },
  'no-draft': { type: 'boolean' },
  label: { type: 'string', multiple: true },
  reviewers: { type: 'string' },
  'max-open-pull-requests': { type: 'string' },
  'close-issues': { type: 'boolean' },
  'no-close-issues': { type: 'boolean' },
  'turn-steps': { type: 'string' },
  'turn-tokens': { type: 'string' },
  'turn-minutes': { type: 'string' },
  'turn-cost': { type: 'string' },
  'monthly-budget': { type: 'string' },
  comments: { type: 'string' },
  mention: { type: 'string' },
  'mend-checks': { type: 'boolean' },
  'no-mend-checks': { type: 'boolean' },
  'tell-effects': { type: 'boolean' },
  'no-tell-effects': { type: 'boolean' },
  'docs-folder': { type: 'string' },
  'agent-paths': { type: 'string', multiple: true },
  'agent-hosts': { type: 'string', multiple: true },
  'agent-repositories': { type: 'string', multiple: true },
  'agent-command': { type: 'string' },
  'agent-unconfined': { type: 'boolean' },
  'no-agent-unconfined': { type: 'boolean' },
} as const;

export const jobOptionOf = {
  repository: '--repository',
  ref: '--ref',
  forge: '--forge',
  forgeUrl: '--forge-url',
  githubAppId: '--github-app-id',
  githubInstallationId: '--github-installation-id',
  model: '--model',
  fallbackModel: '--fallback-model',
  modelLimits: '--model-limits',
  branchPrefix: '--branch-prefix',
  commitAuthor: '--commit-author',
  signOff: '--sign-off',
  commitFormat: '--commit-format',
  draft: '--draft',
  labels: '--label',
  reviewers: '--reviewers',
  maxOpenPullRequests: '--max-open-pull-requests',
  closeIssues: '--close-issues',
  turnSteps: '--turn-steps',
  turnTokens: '--turn-tokens',
  turnMinutes: '--turn-minutes',
  turnCost: '--turn-cost',
  monthlyBudget: '--monthly-budget',
  comments: '--comments',
  mention: '--mention',
  mendChecks: '--mend-checks',
  tellEffects: '--tell-effects',
  docsFolder: '--docs-folder',
  agentPaths: '--agent-paths',
  agentHosts: '--agent-hosts',
  agentRepositories: '--agent-repositories',
  agentCommand: '--agent-command',
  agentUnconfined: '--agent-unconfined',
} satisfies Partial<Record<keyof ProjectSettings, string>>;

export const jobHelp = `Agent jobs need a repository and a model ("" takes one away again):
  --repository <address>     where the site's code is, such as https://github.com/owner/name
  --ref <name>               branch, tag or commit that jobs begin at (the default branch)
  --forge <kind>             ${forgeKinds.join(', ')}, none, or auto: find out (auto)
  --forge-url <address>      base address of the forge's API, if it is not the usual one
  --github-app-id <id>       sign in as a GitHub App instead of with a token
  --github-installation-id <id>  its installation (looked up by the repository)
  --model <provider/model>   such as anthropic/claude-opus-4-5; providers are anthropic, openai,
                             google, and compatible for HEADCOUNT_MODEL_BASE_URL
  --fallback-model <provider/model>  goes on with a turn where the model is overloaded
  --model-limits <limits>    how many tokens a model reads and writes, such as "compatible/qwen context=32768
                             output=8192"; several as above (known for the usual models)
  --turn-steps <number>      answers of the model that a turn may take (60)
  --turn-tokens <number>     tokens, where those read from a cache count as what they cost (2000000)
  --turn-minutes <number>    how long a turn may take (30)
  --turn-cost <dollars>      what a turn may cost, where the price of the model is known (no limit)
  --monthly-budget <dollars> what the jobs of a month may cost; none is taken once it is spent (no limit)
  --branch-prefix <text>     what branches begin with, {words} of the prompt among it (headcount/{words}-)
  --commit-author <mailbox>  author of commits, such as "Docs Bot <bot@example.com>" (HEADCOUNT_GIT_AUTHOR)
  --sign-off, --no-sign-off  whether commits end with "Signed-off-by" and their author (DCO) (no)
  --commit-format <format>   what titles of commits and pull requests have to match: conventional, or a
                             regular expression such as "^(docs|fix): " (any title)
  --draft, --no-draft        whether pull requests are opened as drafts (no)
  --label <name>             a label that pull requests get; several as above
  --reviewers <whose>        who is asked for a review: owners, whom CODEOWNERS names; authors, or else who
                             wrote the changed pages last; or off (owners)
  --max-open-pull-requests <number>  no job begins another one while so many are open (any number)
  --close-issues, --no-close-issues  whether "Fixes #42" in pull requests may close issues (no)
  --comments <whose>         whose comments at pull requests become messages: members, who may write to
                             the repository, or off (members)
  --mention <name>           what such a comment begins with, after an @ (headcount)
  --mend-checks, --no-mend-checks  whether failed checks of pull requests are mended, twice at most (no)
  --tell-effects, --no-tell-effects  whether a comment at merged pull requests says, 14 and 28 days later, how
                             people and AI read the changed pages since (yes)
  --docs-folder <path>       where the documentation is in the repository (found by itself)
  --agent-paths <glob>       files that agents may change besides pages, images and navigation, such
                             as "data/*.yml"; "!api/**" keeps some from them. Several as above
  --agent-hosts <host>       a host of the web whose pages agents may read, such as docs.example.com;
                             several as above (none)
  --agent-repositories <address>  another repository that agents may read and never change; several as
                             above (none)
  --agent-command <list>     an outside agent as a JSON list: '["claude", "-p"]'
  --agent-unconfined, --no-agent-unconfined  run it with all rights of the server, outside of the sandbox (no)
`;

/** Only what was given: `undefined` leaves a setting as it is. */
export function givenJobSettings(
  values: OptionValues<typeof jobOptions>,
): Record<keyof typeof jobOptionOf, unknown> {
  return {
    repository: orNull(values.repository),
    ref: values.ref,
    forge: values.forge,
    forgeUrl: orNull(values['forge-url']),
    githubAppId: orNull(values['github-app-id']),
    githubInstallationId: readId(values['github-installation-id']),
    model: orNull(values.model),
    fallbackModel: orNull(values['fallback-model']),
    modelLimits: readList(values['model-limits']),
    turnSteps: readNumber(values, 'turn-steps'),
    turnTokens: readNumber(values, 'turn-tokens'),
    turnMinutes: readNumber(values, 'turn-minutes'),
    turnCost: readNumber(values, 'turn-cost'),
    monthlyBudget: readNumber(values, 'monthly-budget'),
    branchPrefix: values['branch-prefix'],
    commitAuthor: orNull(values['commit-author']),
    signOff: readSwitch(values, 'sign-off'),
    commitFormat: orNull(values['commit-format']),
    draft: readSwitch(values, 'draft'),
    labels: readList(values.label),
    reviewers: values.reviewers,
    maxOpenPullRequests: readNumber(values, 'max-open-pull-requests'),
    closeIssues: readSwitch(values, 'close-issues'),
    comments: values.comments,
    mention: values.mention,
    mendChecks: readSwitch(values, 'mend-checks'),
    tellEffects: readSwitch(values, 'tell-effects'),
    docsFolder: values['docs-folder'],
    agentPaths: readList(values['agent-paths']),
    agentHosts: readList(values['agent-hosts']),
    agentRepositories: readList(values['agent-repositories']),
    agentCommand: readCommand(values['agent-command']),
    agentUnconfined: readSwitch(values, 'agent-unconfined'),
  };
}

/** @throws UsageError where both are given */
function readSwitch(
  values: OptionValues<typeof jobOptions>,
  name: 'draft' | 'sign-off' | 'close-issues' | 'mend-checks' | 'tell-effects' | 'agent-unconfined',
): boolean | undefined {
  const isOn = values[name];
  const isOff = values[`no-${name}`];
  if (isOn && isOff) throw new UsageError(`Give either --${name} or --no-${name}.`);
  return isOn ? true : isOff ? false : undefined;
}

function orNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

/** Bounds are those of the settings. @throws UsageError */
function readNumber(
  values: OptionValues<typeof jobOptions>,
  name:
    | 'max-open-pull-requests'
    | 'turn-steps'
    | 'turn-tokens'
    | 'turn-minutes'
    | 'turn-cost'
    | 'monthly-budget',
): number | null | undefined {
  const text = values[name];
  if (text === undefined || text === '') return orNull(text) as null | undefined;
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a number, not "${text}".`);
}

function readId(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return orNull(text) as null | undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new UsageError(`--github-installation-id must be a whole number, not "${text}".`);
  }
  return Number(text);
}

/** The argument vector itself may hold what should not be repeated. */
function readCommand(text: string | undefined): unknown {
  if (text === undefined || text === '') return orNull(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--agent-command must be a JSON list such as \'["claude", "-p"]\'.');
  }
}

/** An outside agent that could not be shut in is refused here already, not by its first job. @throws CommandError */
export async function checkSandbox(
  given: Partial<ProjectSettings>,
  { agentCommand, agentUnconfined }: ProjectSettings,
  { config }: Terminal,
): Promise<void> {
  const isGiven = given.agentCommand !== undefined || given.agentUnconfined !== undefined;
  if (!isGiven || agentCommand === null || agentUnconfined) return;
  const fault = await findSandboxFault(sandboxOf(config), config.jobs.git.path);
  if (fault !== undefined) throw new CommandError(fault);
}
