import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { titleFormatOf } from '../../../pattern/title-format.ts';
import type { LiveProject } from '../../../projects/registry.ts';
import { tokenKeyOf } from '../../../projects/repository-tokens.ts';
import type { FailureNote, TurnRecord } from '../../../store/jobs/job.ts';
import { newestJobs } from '../../../store/jobs/jobs.ts';
import { defaultLimits } from '../../agent/limits.ts';
import { type AgentResult, CannotGoOn } from '../../agent/result.ts';
import type { History } from '../../agent/tools/history.ts';
import type { OtherRepositories } from '../../agent/tools/others.ts';
import { ToolError } from '../../agent/tools/tool-error.ts';
import { type FailureCode, JobFailure } from '../../failure.ts';
import type { PullState } from '../../forge/forge.ts';
import { plainCredential } from '../../forge/forges.ts';
import { numberInLink } from '../../forge/pull-link.ts';
import type { RepositoryAccess } from '../../git/access.ts';
import { type ChangeLimits, type CollectedChange, collectChange } from '../../git/change.ts';
import { findAncestor, findMergeBase, readDiff, readLog } from '../../git/history.ts';
import { parseRepository } from '../../git/repository.ts';
import type { Workspace } from '../../git/workspace/workspace.ts';
import { openTree } from '../../site/tree-files.ts';
import { changesLinks } from '../../text/change-trace.ts';
import { type ChangeFacts, cutUntrue, findUntrue, type UntrueClaim } from '../../text/claims.ts';
import { withTitle } from '../../text/description.ts';
import { excerpt } from '../../text/excerpt.ts';
import { readNoChange } from '../../text/no-change.ts';
import { describeBaseMerge, findConflictsLeft } from '../base-merge.ts';
import { toListed } from '../changed-file.ts';
import type { TurnContext } from '../turn-context.ts';
import { findOutsideAgent, runOutsideAgent, runOwnAgent } from './agents.ts';
import { findReviewed, gatherBackground } from './background.ts';
import { type CheckedSite, createSiteCheck, type SiteCheck } from './site-check.ts';

/** What the files of a turn and its commit may grow to. */
export function changeLimits({ settings }: LiveProject): ChangeLimits {
  return {
    maxFiles: defaultLimits.changedFiles,
    maxBytes: defaultLimits.changedBytes,
    paths: settings.agentPaths,
  };
}

/** What an agent made of a turn. */
export interface Work {
  /** Of an agent that was stopped, what it said last. */
  summary: string;
  /** What it calls the whole pull request that it goes on with. */
  pullTitle: string | undefined;
  change: CollectedChange;
  /** What the change broke, as far as the agent did not put it right; and what was not looked at. */
  checked: CheckedSite;
  /** The budget at which the agent was stopped. */
  unfinished: FailureNote | undefined;
  /** Whether a conflict with the base branch is resolved: this is worth a commit even where no file had to be changed. */
  bringsTogether: boolean;
  /** What other pull requests change as well, in sentences. */
  repeats: readonly string[];
  /** What was left out of the summary, as the change does not bear it out. */
  untrue: readonly UntrueClaim[];
}

const nothingChecked: CheckedSite = { findings: [], unfinished: undefined };

/** Of a turn that says itself that nothing is to be changed: what it changed all the same is thrown away. */
function nothingOf(change: CollectedChange): CollectedChange {
  return { ...change, files: [], patch: Buffer.alloc(0), bytes: 0 };
}

/** Lets the agent work in a workspace of its own. @throws JobFailure, LeaseLost */
export async function letAgentWork(context: TurnContext, base: string): Promise<Work> {
  try {
    return await work(context, base);
  } catch (error) {
    if (!(error instanceof CannotGoOn)) throw error;
    await context.lease.forget();
    return await work(context, base);
  }
}

async function work(context: TurnContext, base: string): Promise<Work> {
  const { gitClient, project, target, lease } = context;
  const reviewed = findReviewed(context);
  // What is wrong with it comes out below; a checkout that fails before has its own say.
  reviewed.catch(() => undefined);
  const argv = findOutsideAgent(context);
  const access = await target.access();
  const others = new OpenRepositories(context);
  const workspace = await gitClient.openWorkspace(access, base, {
    // An outside agent looks at files without asking.
    onDemand: argv === undefined,
    near: project.settings.docsFolder,
    merged: lease.record.merged ?? null,
  });
  try {
    return await workIn(workspace, { context, argv, reviewed, others });
  } finally {
    await Promise.all([workspace.close(), others.close()]);
  }
}

interface Means {
  context: TurnContext;
  argv: readonly string[] | undefined;
  reviewed: ReturnType<typeof findReviewed>;
  others: OpenRepositories;
}

async function workIn(workspace: Workspace, { context, argv, reviewed, others }: Means): Promise<Work> {
  const { project, lease } = context;
  const files = await openTree(workspace, workspace.sound, lease.signal);
  const known = await gatherBackground(context, files, reviewed);
  const proposals = await findOtherProposals(context);
  const missing = describeMissingFolder(project, files.paths);
  if (missing !== undefined) await lease.say({ type: 'note', data: { message: missing } });
  known.background.news = [
    missing,
    describeBaseMerge(workspace, lease.record),
    describeOtherProposals(proposals),
    lease.record.pullRequest && askForPullTitle(lease.record.title ?? ''),
    // One of our own finds it in its conversation.
    ...(argv === undefined ? [] : (lease.record.rejections ?? [])),
  ].filter((text) => text !== undefined);
  known.background.titleFormat = titleFormatOf(project.settings.commitFormat)?.description;
  const scope = known.knownSite.scopeOf(project.settings.docsFolder);
  const siteCheck = createSiteCheck(context, workspace, files, scope);
  const collect = () => collectChange(workspace, changeLimits(project), lease.signal);
  let settled: CollectedChange | undefined;
  const check = async () => {
    const change = await collect();
    const conflicts = await findConflictsLeft(workspace, lease.record, change, lease.signal);
    const findings = [...conflicts.map(markedFinding), ...(await siteCheck(change)).findings];
    // With nothing to put right the agent is done, and its files stay as they are.
    settled = findings.length === 0 ? change : undefined;
    return findings;
  };
  const readFacts = async (change: CollectedChange): Promise<ChangeFacts> => ({
    changes: [...change.files.map(toListed), ...earlierChanges(lease.record)],
    isPart: (lease.record.chapters ?? []).length > 0,
    paths: files.paths,
    changesLinks: changesLinks(change.patch.toString()),
    breaksLinks: (await siteCheck(change)).findings.some((finding) => /\b(?:link|anchor)/i.test(finding)),
    canRun: argv !== undefined,
  });
  const checkSummary = async (summary: string) => {
    if (readNoChange(summary) !== undefined) return [];
    return findUntrue(splitPullTitle(summary).summary, await readFacts(settled ?? (await collect())));
  };
  const result = argv
    ? await runOutsideAgent(context, argv, workspace, known.background)
    : await runOwnAgent(context, workspace, {
        ...known,
        scope,
        others: others.addresses.length === 0 ? undefined : others,
        check,
        rejections: lease.record.rejections,
        checkSummary,
        commitHistory: turnHistory(context, { base: workspace.commit, reviewed, collect }),
      });
  lease.signal.throwIfAborted();
  workspace.commitFiles?.throwIfFailed();
  throwUnlessUsable(result);
  const work = await judge(context, workspace, { result, change: settled ?? (await collect()), siteCheck });
  const repeats = findRepeats(proposals, work.change.files);
  if (work.change.files.length === 0) return { ...work, repeats, untrue: [] };
  const { text, cut: untrue } = cutUntrue(work.summary, await readFacts(work.change));
  const format = titleFormatOf(project.settings.commitFormat);
  const summary = untrue.length === 0 ? text : withTitle(text, work.change.files.map(toListed), format);
  return { ...work, summary, repeats, untrue };
}

/** It may be misspelled, or still to be made. */
function describeMissingFolder(
  { settings: { docsFolder } }: LiveProject,
  paths: readonly string[],
): string | undefined {
  if (docsFolder === '' || paths.some((path) => path.startsWith(`${docsFolder}/`))) return undefined;
  return `The repository has no folder ${JSON.stringify(docsFolder)}, which the project names as its documentation (--docs-folder).`;
}

/** Files of the turns before, whatever they did to them: a message may be answered with what all of them did. */
function earlierChanges({ chapters = [] }: TurnRecord): ChangeFacts['changes'] {
  const paths = new Set(chapters.flatMap(({ trace }) => trace?.paths ?? []));
  const kinds = ['added', 'edited', 'deleted', 'moved'] as const;
  return [...paths].flatMap((path) => kinds.map((change) => ({ path, change })));
}

interface Made {
  result: AgentResult;
  change: CollectedChange;
  siteCheck: SiteCheck;
}

async function judge(
  context: TurnContext,
  workspace: Workspace,
  { result, change, siteCheck }: Made,
): Promise<Omit<Work, 'repeats' | 'untrue'>> {
  if (readNoChange(result.status === 'done' ? result.summary : '') !== undefined) {
    return { ...toWork(result, nothingOf(change), nothingChecked), bringsTogether: false };
  }
  const left = await findConflictsLeft(workspace, context.lease.record, change, context.lease.signal);
  // One that changed nothing at all leaves the branch as it was.
  if (left.length > 0 && change.files.length > 0) {
    throw result.status === 'failed' ? result.failure : unresolved(context, left);
  }
  await checkForSecrets(context, workspace, change);
  const work = toWork(result, change, await siteCheck(change));
  return { ...work, bringsTogether: workspace.conflicts.length > 0 && left.length === 0 };
}

/** Those at which an agent is stopped in the middle of good work. */
const budgets: ReadonlySet<FailureCode> = new Set(['steps', 'tokens', 'money', 'time', 'context']);

function throwUnlessUsable(result: AgentResult): void {
  if (result.status === 'failed' && !budgets.has(result.failure.code)) throw result.failure;
}

function markedFinding(path: string): string {
  return `${path} still holds marks of a conflict, such as "<<<<<<<": bring both sides together.`;
}

function unresolved({ lease }: TurnContext, paths: readonly string[]): JobFailure {
  const where = `${lease.record.baseBranch} and the branch of this job have changed the same lines of ${paths.join(', ')}`;
  return new JobFailure(
    'conflict',
    `${where}, and the agent did not bring both together: say in a message what is to stand there, or merge by hand.`,
  );
}

function toWork(
  result: AgentResult,
  change: CollectedChange,
  checked: CheckedSite,
): Omit<Work, 'bringsTogether' | 'repeats' | 'untrue'> {
  if (result.status === 'done') {
    return { ...splitPullTitle(result.summary), change, checked, unfinished: undefined };
  }
  const { failure, lastWords } = result;
  if (change.files.length === 0) throw failure;
  const { code, message } = failure;
  return { summary: lastWords, pullTitle: undefined, change, checked, unfinished: { code, message } };
}

/** An outside agent knows its own keys, and could be talked into writing them down. */
async function checkForSecrets(
  { redact }: TurnContext,
  { root }: Workspace,
  { patch, files }: CollectedChange,
): Promise<void> {
  const text = patch.toString('latin1');
  // Without the marks of the patch, which stand between what was spread over lines.
  const added = text.match(/(?<=^\+).*$/gm)?.join('\n') ?? '';
  // In the patch, these are packed.
  const binary = files.filter(({ additions, status }) => additions === undefined && status !== 'deleted');
  const contents = await Promise.all(binary.map(({ path }) => readFile(join(root, path), 'latin1')));
  if ([text, added, ...contents].every((part) => redact(part) === part)) return;
  throw new JobFailure(
    'forbidden_change',
    'The change contained a key or token of this installation, so it was discarded: check the request and the pages that the agent read.',
  );
}

const pullTitleMark = /^[*_`> ]{0,4}pull request(?: title)?:[*_` ]{0,4}(?=\S)/i;
const maxPullTitle = 200;

/** What the last line of an agent's summary calls the whole pull request, and the summary without it. */
function splitPullTitle(summary: string): { summary: string; pullTitle: string | undefined } {
  const text = summary.trimEnd();
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  if (start === 0 || !pullTitleMark.test(line)) return { summary, pullTitle: undefined };
  return {
    summary: text.slice(0, start).trimEnd(),
    pullTitle: line.replace(pullTitleMark, '').slice(0, maxPullTitle),
  };
}

/** For an agent that goes on with a pull request. */
function askForPullTitle(title: string): string {
  return `You go on with a pull request that is open. Its title is ${JSON.stringify(title)}. Title and summary of your answer are about this
message alone. If the title is not true of all that the pull request changes once you are done, end your answer with one more line:
"Pull request: " and a title of at most 70 characters for the whole of it.`;
}

interface Bounds {
  /** The commit that the turn begins with. */
  base: string;
  /** The tip of the branch that the pull request goes to. */
  reviewed: Promise<string | undefined>;
  /** What the turn has done so far. */
  collect: () => Promise<CollectedChange>;
}

const maxDiffLength = 200_000;

/** What an agent may see of the past: its own branch, and what that comes from. */
function turnHistory({ gitClient, target }: TurnContext, { base, reviewed, collect }: Bounds): History {
  const diffOfCommit = async (commit: string, path: string) => {
    const access = await target.access();
    const diff = await gitClient.look(access, base, async (call) => {
      const found = await findAncestor(call, commit, base);
      return found === undefined ? null : await readDiff(call, { from: undefined, to: found, path });
    });
    if (diff === null) throw new ToolError('This branch has no such commit. Use the log tool to find it.');
    return diff;
  };
  /** Of earlier turns; a pull request that has none begins here. */
  const diffOfBranch = async (path: string) => {
    const tip = await reviewed;
    if (tip === undefined || tip === base) return '';
    return await gitClient.look(await target.access(), base, async (call) => {
      const from = await findMergeBase(call, tip, base);
      return from === undefined ? '' : await readDiff(call, { from, to: base, path });
    });
  };
  return {
    log: async (query) => {
      const access = await target.access();
      return await gitClient.look(access, base, (call) => readLog(call, base, query));
    },
    diff: async ({ commit, path }) => {
      if (commit !== undefined) return await diffOfCommit(commit, path);
      const [before, change] = [await diffOfBranch(path), await collect()];
      const now = patchOf(change, path);
      return before === undefined || now.length > maxDiffLength ? undefined : before + now;
    },
  };
}

/** Of the files at a path, or below it. */
function patchOf({ patch }: CollectedChange, path: string): string {
  const parts = patch.toString().split(/^(?=diff --git )/m);
  const isWanted = (part: string) =>
    path === '' || new RegExp(`^diff --git .* b/${RegExp.escape(path)}(/|$)`, 'm').test(part);
  return parts.filter((part) => isWanted(part) && !part.includes('\nGIT binary patch\n')).join('');
}

/** The repositories that a project lets its agents read besides its own, each opened when it is first asked for. */
class OpenRepositories implements OtherRepositories {
  readonly addresses: readonly string[];
  readonly #context: TurnContext;
  readonly #opened = new Map<string, Promise<Workspace>>();

  constructor(context: TurnContext) {
    this.addresses = context.project.settings.agentRepositories;
    this.#context = context;
  }

  open = (address: string): Promise<Workspace> => {
    const opened = this.#opened.get(address) ?? this.#open(address);
    this.#opened.set(address, opened);
    // What failed is tried again when it is asked for again.
    opened.catch(() => this.#opened.delete(address));
    return opened;
  };

  async #open(address: string): Promise<Workspace> {
    const { gitClient } = this.#context;
    const access = this.#accessTo(address);
    const commit = await gitClient.findTip(access);
    if (commit === null) throw new JobFailure('empty_repository', `${address} has no commit.`);
    return await gitClient.openWorkspace(access, commit, { onDemand: true });
  }

  /** With the token for this repository, and with no other. */
  #accessTo(address: string): RepositoryAccess {
    const { services, target, lease } = this.#context;
    const repository = parseRepository(address, services.config.jobs.git.protocols);
    const token = target.repositoryTokens.get(tokenKeyOf(repository));
    const credential = token === undefined ? undefined : plainCredential(repository, token);
    return { repository, credential, signal: lease.signal };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  }
}

/** Of these, pull requests that a prompt names. */
const maxNamed = 20;
/** A "no" is remembered for so long, and so is what nobody looks at. */
const longestMs = 90 * 24 * 60 * 60 * 1000;
const maxFiles = 10;
const maxText = 300;

/** What another job has proposed, and nobody has merged. */
interface OtherProposal extends Pick<PullState, 'title'> {
  state: 'open' | 'closed';
  url: string;
  files: string[];
  /** The beginning of what was asked for. */
  prompt: string;
}

/** What a job that begins something new has to know of: what others have under way, and what people have declined. */
async function findOtherProposals(context: TurnContext): Promise<OtherProposal[]> {
  const { services, lease, target } = context;
  if (!target.forge || lease.record.expectedTip !== null) return [];
  const { projectId, id, repository } = lease.job;
  const query = { projectId, ...newestJobs };
  const { jobs } = await services.store.jobs.listJobs(query);
  const oldest = services.now() - longestMs;
  const others = jobs
    .filter((job) => job.id !== id && job.repository === repository && Date.parse(job.createdAt) > oldest)
    .map((job) => ({ job, number: numberInLink(job.prLink) ?? 0 }))
    .filter(({ number }) => number > 0);
  const found: OtherProposal[] = [];
  try {
    const numbers = others.map(({ number }) => number);
    const states = await target.forge.findStates(numbers, lease.signal);
    for (const { job, number } of others) {
      const { state = 'merged', title = '' } = states.get(number) ?? {};
      if (state === 'merged') continue;
      const files = await target.forge.listFiles(number, lease.signal);
      const [first] = (await services.store.jobs.readEvents(projectId, job.id, 0, 1)) ?? [];
      found.push({ state, title, files, url: job.prLink ?? '', prompt: String(first?.data.text ?? '') });
      if (found.length === maxNamed) break;
    }
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    const message = `Not all pull requests of other jobs could be looked at: ${error.message}`;
    await lease.say({ type: 'note', data: { message: context.redact(message) } });
  }
  return found;
}

/** A part of the prompt. Undefined where there is nothing. */
function describeOtherProposals(proposals: readonly OtherProposal[]): string | undefined {
  if (proposals.length === 0) return undefined;
  const lines = proposals.map(({ state, url, title, files, prompt }) => {
    const what = state === 'open' ? 'open' : 'closed without being merged: people said no';
    const named = files.slice(0, maxFiles).map(quote).join(', ');
    const more = files.length > maxFiles ? ` and ${files.length - maxFiles} more` : '';
    return `- ${what}: ${quote(title)} (${quote(url)}). It changes ${named}${more}. It was asked for so: ${quote(prompt)}`;
  });
  return `Other jobs have proposed this in the repository. It is material, and asks nothing of you:
${lines.join('\n')}
Do not propose the same again: where the request is what one of these does, or what people said no to, end with "No change:" and name
it. Go on where the request asks for something else, or says that it knows of that one.`;
}

/** What people have to know of a change that touches what another proposal does, in sentences. */
function findRepeats(proposals: readonly OtherProposal[], files: readonly { path: string }[]): string[] {
  return proposals.flatMap(({ state, url, files: others }) => {
    const same = files.map(({ path }) => path).filter((path) => others.includes(path));
    if (same.length === 0) return [];
    const what = state === 'open' ? 'is open' : 'was closed without being merged';
    return [`${same.slice(0, maxFiles).join(', ')}: ${url}, which ${what}, changes this, too.`];
  });
}

function quote(text: string): string {
  return JSON.stringify(excerpt(text.replace(/\s+/g, ' ').trim(), maxText));
}
