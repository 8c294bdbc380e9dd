import { z } from 'zod';
import { forgeChoices } from '../jobs/forge.ts';
import { fillPrefix, readBranch, readRef } from '../jobs/git-ref.ts';
import { leastTokens, readModelLimits } from '../jobs/model-limits.ts';
import { gitProtocols, readRepository } from '../jobs/repository.ts';
import { notPlain, plainText } from '../name.ts';
import { isPlain } from '../plain-text.ts';
import { hostAsSent } from './host.ts';

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

/** Whatever stands in an address is shown to everybody who may see the project. */
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

/** As long as what a job puts behind the prefix can be. */
const longestName = 'job_FmSOVHq35HapDQ0FmPrZ7go9-100';
/** And as long as words of a prompt can be. */
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

const dollars = z
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

/** How agent jobs of a project work; each field as a row of an older version lacks it. */
export const jobSettings = {
  /** Null: the project takes no jobs. */
  repository: repositoryAddress.nullable().default(null),
  /** Branch, tag or commit that jobs begin at; empty: the repository's default branch. */
  ref: base.default(''),
  forge: z
    .enum(forgeChoices, {
      error: `must be ${forgeChoices.slice(0, -1).join(', ')} or ${forgeChoices.at(-1)}`,
    })
    .default('auto'),
  /** Base address of the forge's API; null: where this kind of forge usually has it. */
  forgeUrl: forgeAddress.nullable().default(null),
  /** App ID or client ID. */
  githubAppId: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be the ID or client ID of a GitHub App')
    .nullable()
    .default(null),
  /** Null: looked up by the repository. */
  githubInstallationId: z.int('must be a whole number').positive('must be above 0').nullable().default(null),
  model: modelName.nullable().default(null),
  /** Goes on with a turn where the model is overloaded. */
  fallbackModel: modelName.nullable().default(null),
  /** How many tokens a model reads and writes, where Headcount does not know it: `provider/model context=… output=…`. */
  modelLimits: z.array(modelLimits).max(20, 'must be at most 20').default([]),
  /** `{words}` stands for the first words of the prompt. */
  branchPrefix: branchPrefix.default('headcount/{words}-'),
  /** Whom commits are by; null: whom the server says. */
  commitAuthor: mailbox.nullable().default(null),
  /** Whether each commit ends with `Signed-off-by` and its author, as the Developer Certificate of Origin has it. */
  signOff: z.boolean().default(false),
  /** What titles of commits and pull requests have to match: "conventional", or a regular expression; null: anything. */
  commitFormat: z
    .string()
    .min(1, 'must not be empty')
    .max(300, 'must have at most 300 characters')
    .refine(isPlain, notPlain)
    .nullable()
    .default(null),
  /** Whether pull requests are opened as drafts. */
  draft: z.boolean().default(false),
  /** Of pull requests, where the code host knows them. */
  labels: z.array(label).max(10, 'must be at most 10').default([]),
  reviewers: z
    .enum(reviewerChoices, {
      error: `must be ${reviewerChoices.slice(0, -1).join(', ')} or ${reviewerChoices.at(-1)}`,
    })
    .default('owners'),
  /** How many of jobs may be open before another one is begun; null: any number. */
  maxOpenPullRequests: limit(1_000),
  /** Whether "Fixes #42" in a pull request closes the issue once it is merged. */
  closeIssues: z.boolean().default(false),
  /** Whose comments at the pull requests of jobs become messages: of those who may write to the repository, or nobody's. */
  comments: z.enum(commentChoices, { error: `must be ${commentChoices.join(' or ')}` }).default('members'),
  /** What such a comment begins with, after an @. */
  mention: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/,
      'must be a name such as headcount, without the @: letters, digits, and - . _ between them',
    )
    .default('headcount'),
  /** Whether failed checks of a pull request are mended, twice at most. */
  mendChecks: z.boolean().default(false),
  /** Whether it is told at a merged pull request of a job how its pages are read since. */
  tellEffects: z.boolean().default(true),
  /** Where the documentation is; empty: it is found by the files of its framework. */
  docsFolder: repositoryFolder.default(''),
  /** Files that agents may change besides content; after a "!" such as they may not. */
  agentPaths: z.array(fileGlob).max(100, 'must be at most 100').default([]),
  /** Hosts of the web whose pages agents may read. */
  agentHosts: z.array(webHost).max(50, 'must be at most 50').default([]),
  /** Other repositories that agents may read. */
  agentRepositories: z.array(repositoryAddress).max(10, 'must be at most 10').default([]),
  /** What one turn may use; null: the usual. */
  turnSteps: limit(500),
  turnTokens: limit(100_000_000),
  turnMinutes: limit(240),
  /** In dollars, where the price of the model is known; null: no limit. */
  turnCost: dollars,
  monthlyBudget: dollars,
  /** An outside agent in place of the built-in one: program and arguments, run without a shell. */
  agentCommand: z
    .array(argument, 'must be a JSON list of texts such as ["claude", "-p"]')
    .min(1, 'must name a program')
    .max(100, 'must have at most 100 arguments')
    .nullable()
    .default(null),
  /** Whether the outside agent runs with all rights of the server. */
  agentUnconfined: z.boolean().default(false),
};
