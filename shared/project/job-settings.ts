import { z } from 'zod';
import { forgeChoices, forgeKinds } from '../jobs/forge.ts';
import { fillPrefix, readBranch, readRef } from '../jobs/git-ref.ts';
import { leastTokens, readModelLimits } from '../jobs/model-limits.ts';
import { gitProtocols, readRepository } from '../jobs/repository.ts';
import { notPlain, plainText } from '../name.ts';
import { isPlain } from '../plain-text.ts';
import { hostAsSent } from './host.ts';
import { comingAs, editor, editorHere, operatorHere, owner, ownerHere } from './setting.ts';

/** `provider/model`; the runner knows the providers' own rules. */
const modelName = z
  .string()
  .regex(
    /^(anthropic|openai|google|compatible)\/[\x21-\x7e]{1,200}$/,
    'must be <provider>/<model>, with anthropic, openai, google or compatible as provider',
  );

function parseAddress(text: string): URL | null {
  return /^[a-z]+:\/\/\S+$/.test(text) ? URL.parse(text) : null;
}

/** All parts of an address are shown to everybody who may see the project. */
const hasNoSecret = (text: string) => {
  const url = parseAddress(text);
  return !url || (url.username === '' && url.password === '');
};

const repositoryAddress = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .superRefine((text, { addIssue }) => {
    const read = readRepository(text);
    if ('fault' in read) addIssue({ code: 'custom', message: repositoryFaults[read.fault] });
  });

const repositoryFaults = {
  address: 'must be an address such as https://github.com/owner/name',
  scheme: `must begin with ${gitProtocols.map((protocol) => `${protocol}://`).join(', ')}`,
  user: 'must not hold a user name or token: leave it out and give the token with --forge-token-stdin',
} as const;

const forgeAddress = z
  .string()
  .max(1000, 'must have at most 1,000 characters')
  .refine(hasNoSecret, 'must not hold a user name or token')
  .refine((text) => {
    const url = parseAddress(text);
    return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  }, 'must be the base address of an API, such as https://git.example.com/api/v1');

const base = z.string().superRefine((text, { addIssue }) => {
  const ref = readRef(text);
  if ('fault' in ref)
    addIssue({ code: 'custom', message: `must be a branch, a tag or a commit: ${ref.fault}` });
});

/** The longest name that a job adds to the prefix. */
const longestName = 'job_FmSOVHq35HapDQ0FmPrZ7go9-100';
/** The longest words of a prompt in a branch name. */
const longestPrompt = 'x'.repeat(100);

const branchPrefix = z.string().superRefine((text, { addIssue }) => {
  const read = readBranch(fillPrefix(text, longestPrompt), longestName);
  if ('fault' in read) {
    addIssue({ code: 'custom', message: `must be the beginning of a branch name: ${read.fault}` });
  }
});

const mailbox = z
  .string()
  .max(200, 'must have at most 200 characters')
  .regex(
    /^[^<>\p{Cc}]+ <[^<>\s@]+@[^<>\s@]+>$/u,
    'must be a name and an address such as Docs Bot <bot@example.com>',
  )
  .refine(isPlain, notPlain);

const modelLimits = z
  .string()
  .refine(
    (text) => readModelLimits(text) !== undefined,
    `must be a model and its tokens such as compatible/qwen context=32768 output=8192, with at least ${leastTokens.context} and ${leastTokens.output}`,
  );

const argument = z
  .string('must be a JSON list of texts such as ["claude", "-p"]')
  .min(1, 'must not have empty arguments')
  .max(10_000, 'must have arguments of at most 10,000 characters');

/** Of files in the repository; picomatch's language. */
const fileGlob = z
  .string()
  .regex(
    /^!?[^\s/!][^\p{Cc}]{0,500}$/u,
    'must be a glob of files in the repository such as data/*.yml, without a slash before it',
  )
  .refine(isPlain, notPlain);

/** Of the open web, by its name; addresses by number and names of a local network are none. */
const webHost = z
  .string()
  .overwrite((text) => hostAsSent(text) ?? text)
  .max(253, 'must have at most 253 characters')
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be the name of a host such as docs.example.com, without https:// and without a path',
  );

const label = plainText.regex(/^[^,]{1,50}$/u, 'must have 1 to 50 characters, without commas');

const limit = (max: number) =>
  z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(max, `must be at most ${max}`)
    .nullable()
    .default(null);

const dollars = () =>
  z
    .number('must be a number of dollars, such as 2.50')
    .positive('must be above 0')
    .max(1_000_000, 'must be at most 1000000')
    .nullable()
    .default(null);

/** A folder in the repository; empty: none is named. */
const repositoryFolder = z
  .string()
  .max(500, 'must have at most 500 characters')
  .refine(
    (text) => text === '' || text.split('/').every((name) => /^(?!\.{1,2}$)[^\\\p{Cc}]+$/u.test(name)),
    'must be a folder of the repository such as website/docs, without a slash before or after it',
  )
  .refine(isPlain, notPlain);

/** Who is asked for a review: nobody, whom the repository names, or else also who wrote last what is changed. */
export const reviewerChoices = ['off', 'owners', 'authors'] as const;

export const commentChoices = ['off', 'members'] as const;

/** How agent jobs of a project work. Each field has a default, as rows of older versions lack it. */
export const jobSettings = {
  /** Null: the project takes no jobs. */
  repository: ownerHere(repositoryAddress.nullable().default(null), {
    option: 'repository <address>',
    says: "where the site's code is, such as https://github.com/owner/name",
  }),
  /** Branch, tag or commit that jobs begin at; empty: the repository's default branch. */
  ref: editorHere(base.default(''), {
    option: 'ref <name>',
    says: 'branch, tag or commit that jobs begin at (the default branch)',
  }),
  forge: ownerHere(
    z
      .enum(forgeChoices, {
        error: `must be ${forgeChoices.slice(0, -1).join(', ')} or ${forgeChoices.at(-1)}`,
      })
      .default('auto'),
    { option: 'forge <kind>', says: `${forgeKinds.join(', ')}, none, or auto: find out (auto)` },
  ),
  /** Base address of the forge's API; null: where this kind of forge usually has it. */
  forgeUrl: ownerHere(forgeAddress.nullable().default(null), {
    option: 'forge-url <address>',
    says: "base address of the forge's API, if it is not the usual one",
  }),
  /** App ID or client ID. */
  githubAppId: ownerHere(
    z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'must be the ID or client ID of a GitHub App')
      .nullable()
      .default(null),
    { option: 'github-app-id <id>', says: 'sign in as a GitHub App instead of with a token' },
  ),
  /** Null: looked up by the repository. */
  githubInstallationId: ownerHere(
    z.int('must be a whole number').positive('must be above 0').nullable().default(null),
    { option: 'github-installation-id <id>', says: 'its installation (looked up by the repository)' },
  ),
  model: ownerHere(modelName.nullable().default(null), {
    option: 'model <provider/model>',
    says: `such as anthropic/claude-opus-4-5; providers are anthropic, openai,
google, and compatible for HEADCOUNT_MODEL_BASE_URL`,
  }),
  /** Goes on with a turn where the model is overloaded. */
  fallbackModel: ownerHere(modelName.nullable().default(null), {
    option: 'fallback-model <provider/model>',
    says: 'goes on with a turn where the model is overloaded',
  }),
  /** How many tokens a model reads and writes, where Headcount does not know it: `provider/model context=… output=…`. */
  modelLimits: ownerHere(z.array(modelLimits).max(20, 'must be at most 20').default([]), {
    option: 'model-limits <limits>',
    says: `how many tokens a model reads and writes, such as "compatible/qwen context=32768
output=8192"; several as above (known for the usual models)`,
  }),
  /** `{words}` is replaced by the first words of the prompt. */
  branchPrefix: ownerHere(branchPrefix.default('headcount/{words}-'), {
    option: 'branch-prefix <text>',
    says: 'what branches begin with, {words} of the prompt among it (headcount/{words}-)',
  }),
  /** Whom commits are by; null: whom the server says. */
  commitAuthor: ownerHere(mailbox.nullable().default(null), {
    option: 'commit-author <mailbox>',
    says: 'author of commits, such as "Docs Bot <bot@example.com>" (HEADCOUNT_GIT_AUTHOR)',
  }),
  /** Whether each commit ends with `Signed-off-by` and its author, as the Developer Certificate of Origin has it. */
  signOff: ownerHere(z.boolean().default(false), {
    option: 'sign-off',
    says: 'whether commits end with "Signed-off-by" and their author (DCO) (no)',
  }),
  /** What titles of commits and pull requests have to match: "conventional", or a regular expression; null: anything. */
  commitFormat: editorHere(
    z
      .string()
      .min(1, 'must not be empty')
      .max(300, 'must have at most 300 characters')
      .refine(isPlain, notPlain)
      .nullable()
      .default(null),
    {
      option: 'commit-format <format>',
      says: `what titles of commits and pull requests have to match: conventional, or a
regular expression such as "^(docs|fix): " (any title)`,
    },
  ),
  /** Whether pull requests are opened as drafts. */
  draft: editor(z.boolean().default(false), {
    option: 'draft',
    says: 'whether pull requests are opened as drafts (no)',
  }),
  /** Of pull requests, where the code host knows them. */
  labels: ownerHere(z.array(label).max(10, 'must be at most 10').default([]), {
    option: 'label <name>',
    says: 'a label that pull requests get; several as above',
  }),
  reviewers: comingAs('editor', 'off')(
    z
      .enum(reviewerChoices, {
        error: `must be ${reviewerChoices.slice(0, -1).join(', ')} or ${reviewerChoices.at(-1)}`,
      })
      .default('owners'),
    {
      option: 'reviewers <whose>',
      says: `who is asked for a review: owners, whom CODEOWNERS names; authors, or else who
wrote the changed pages last; or off (owners)`,
    },
  ),
  /** How many of jobs may be open before another one is begun; null: any number. */
  maxOpenPullRequests: editor(limit(1_000), {
    option: 'max-open-pull-requests <number>',
    says: 'no job begins another one while so many are open (any number)',
  }),
  /** Whether "Fixes #42" in a pull request closes the issue once it is merged. */
  closeIssues: editorHere(z.boolean().default(false), {
    option: 'close-issues',
    says: 'whether "Fixes #42" in pull requests may close issues (no)',
  }),
  /** Whose comments at the pull requests of jobs become messages: of those who may write to the repository, or nobody's. */
  comments: comingAs('owner', 'off')(
    z.enum(commentChoices, { error: `must be ${commentChoices.join(' or ')}` }).default('members'),
    {
      option: 'comments <whose>',
      says: `whose comments at pull requests become messages: members, who may write to
the repository, or off (members)`,
    },
  ),
  /** What such a comment begins with, after an @. */
  mention: editorHere(
    z
      .string()
      .regex(
        /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/,
        'must be a name such as headcount, without the @: letters, digits, and - . _ between them',
      )
      .default('headcount'),
    { option: 'mention <name>', says: 'what such a comment begins with, after an @ (headcount)' },
  ),
  /** Whether failed checks of a pull request are mended, twice at most. */
  mendChecks: editorHere(z.boolean().default(false), {
    option: 'mend-checks',
    says: 'whether failed checks of pull requests are mended, twice at most (no)',
  }),
  /** Whether the effect of a job is posted as a comment on its merged pull request. */
  reportEffects: comingAs('owner', false)(z.boolean().default(true), {
    option: 'report-effects',
    says: `whether a comment at merged pull requests says, 14 and 28 days
later, how people and AI read the changed pages since (yes)`,
  }),
  /** Where the documentation is; empty: it is found by the files of its framework. */
  docsFolder: editorHere(repositoryFolder.default(''), {
    option: 'docs-folder <path>',
    says: 'where the documentation is in the repository (found by itself)',
  }),
  /** Files that agents may change besides content; after a "!" such as they may not. */
  agentPaths: ownerHere(z.array(fileGlob).max(100, 'must be at most 100').default([]), {
    option: 'agent-paths <glob>',
    says: `files that agents may change besides pages, images and navigation, such
as "data/*.yml"; "!api/**" keeps some from them. Several as above`,
  }),
  /** Hosts of the web whose pages agents may read. */
  agentHosts: ownerHere(z.array(webHost).max(50, 'must be at most 50').default([]), {
    option: 'agent-hosts <host>',
    says: `a host of the web whose pages agents may read, such as docs.example.com;
several as above (none)`,
  }),
  /** Other repositories that agents may read. */
  agentRepositories: ownerHere(z.array(repositoryAddress).max(10, 'must be at most 10').default([]), {
    option: 'agent-repositories <address>',
    says: `another repository that agents may read and never change; several as
above (none)`,
  }),
  /** What one turn may use; null: the usual. */
  turnSteps: ownerHere(limit(500), {
    option: 'turn-steps <number>',
    says: 'answers of the model that a turn may take (60)',
    before: 'branchPrefix',
  }),
  turnTokens: ownerHere(limit(100_000_000), {
    option: 'turn-tokens <number>',
    says: 'tokens, where those read from a cache count as what they cost (2000000)',
    before: 'branchPrefix',
  }),
  turnMinutes: ownerHere(limit(240), {
    option: 'turn-minutes <number>',
    says: 'how long a turn may take (30)',
    before: 'branchPrefix',
  }),
  /** In dollars, where the price of the model is known; null: no limit. */
  turnCost: owner(dollars(), {
    option: 'turn-cost <dollars>',
    says: 'what a turn may cost, where the price of the model is known (no limit)',
    before: 'branchPrefix',
  }),
  monthlyBudget: owner(dollars(), {
    option: 'monthly-budget <dollars>',
    says: 'what the jobs of a month may cost; none is taken once it is spent (no limit)',
    before: 'branchPrefix',
  }),
  /** An outside agent in place of the built-in one: program and arguments, run without a shell. */
  agentCommand: operatorHere(
    z
      .array(argument, 'must be a JSON list of texts such as ["claude", "-p"]')
      .min(1, 'must name a program')
      .max(100, 'must have at most 100 arguments')
      .nullable()
      .default(null),
    { option: 'agent-command <list>', says: `an outside agent as a JSON list: '["claude", "-p"]'` },
  ),
  /** Whether the outside agent runs with all rights of the server. */
  agentUnconfined: operatorHere(z.boolean().default(false), {
    option: 'agent-unconfined',
    says: 'run it with all rights of the server, outside of the sandbox (no)',
  }),
};
