import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveProject } from '../../projects/registry.ts';
import type { FailureNote } from '../../store/job.ts';
import type { AgentTask, Progress } from '../agent/agent.ts';
import { runCommand } from '../agent/command/command.ts';
import { findSandboxFault, sandboxOf } from '../agent/command/sandbox.ts';
import { defaultLimits } from '../agent/limits.ts';
import type { Message } from '../agent/message.ts';
import { projectAnalytics } from '../agent/project-analytics.ts';
import { type Background, buildCommandPrompt } from '../agent/prompt.ts';
import { type AgentEvent, type AgentResult, CannotGoOn } from '../agent/result.ts';
import { type FailureCode, JobFailure } from '../failure.ts';
import { type ChangeLimits, type CollectedChange, collectChange } from '../git/change.ts';
import type { Workspace } from '../git/workspace.ts';
import { openTree } from '../site/tree-files.ts';
import { readNoChange } from '../text/no-change.ts';
import { findReviewed, gatherBackground, type Known } from './background.ts';
import { describeBaseMerge, findConflictsLeft } from './base-merge.ts';
import { limitsOf } from './budget.ts';
import type { TurnLease } from './lease.ts';
import { readManner } from './manner.ts';
import { describeOtherProposals, findOtherProposals, findRepeats } from './other-proposals.ts';
import { OpenRepositories } from './other-repositories.ts';
import { type CheckedSite, SiteCheck } from './site-check.ts';
import type { TurnContext } from './turn-context.ts';
import { turnHistory } from './turn-history.ts';

/** What the files of a turn and its commit may grow to. */
export function changeLimits({ settings }: LiveProject): ChangeLimits {
  return {
    maxFiles: defaultLimits.changedFiles,
    maxBytes: defaultLimits.changedBytes,
    paths: settings.agentPaths,
  };
}

/** How long an outside agent may take to end when it is told to. */
const commandGraceMs = 5_000;

/** What an agent made of a turn. */
export interface Work {
  /** Of an agent that was stopped, what it said last. */
  summary: string;
  change: CollectedChange;
  /** What the change broke, as far as the agent did not put it right; and what was not looked at. */
  checked: CheckedSite;
  /** The budget at which the agent was stopped. */
  unfinished: FailureNote | undefined;
  /** Whether a conflict with the base branch is resolved: this is worth a commit even where no file had to be changed. */
  bringsTogether: boolean;
  /** What other pull requests change as well, in sentences. */
  repeats: readonly string[];
}

/** Of a turn that says itself that nothing is to be changed: what it changed all the same is thrown away. */
const plain = { bringsTogether: false, repeats: [] };
const nothingChecked: CheckedSite = { findings: [], unfinished: undefined };

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
  const { gitClient, target, lease } = context;
  const reviewed = findReviewed(context);
  // What is wrong with it comes out below; a checkout that fails before has its own say.
  reviewed.catch(() => undefined);
  const argv = findOutsideAgent(context);
  const access = await target.access();
  // An outside agent looks at files without asking.
  const others = new OpenRepositories(context);
  const workspace = await gitClient.openWorkspace(access, base, {
    onDemand: argv === undefined,
    near: context.project.settings.docsFolder,
    merged: lease.record.merged ?? null,
  });
  const collect = () => collectChange(workspace, changeLimits(context.project), lease.signal);
  try {
    const files = await openTree(workspace, workspace.sound, lease.signal);
    const known = await gatherBackground(context, files, reviewed);
    const proposals = await findOtherProposals(context);
    known.background.news = [
      describeBaseMerge(workspace, lease.record),
      describeOtherProposals(proposals),
    ].filter((text) => text !== undefined);
    const scope = known.knownSite.scopeOf(context.project.settings.docsFolder);
    const siteCheck = new SiteCheck(context, workspace, files, scope);
    let settled: CollectedChange | undefined;
    const check = async () => {
      const change = await collect();
      const conflicts = await findConflictsLeft(workspace, lease.record, change, lease.signal);
      const findings = [...conflicts.map(markedFinding), ...(await siteCheck.check(change)).findings];
      // With nothing to put right the agent is done, and its files stay as they are.
      settled = findings.length === 0 ? change : undefined;
      return findings;
    };
    const result = argv
      ? await runOutsideAgent(context, argv, workspace, known.background)
      : await runOwnAgent(context, workspace, {
          ...known,
          scope,
          others: others.addresses.length === 0 ? undefined : others,
          check,
          commitHistory: turnHistory(context, { base: workspace.commit, reviewed, collect }),
        });
    lease.signal.throwIfAborted();
    workspace.commitFiles?.throwIfFailed();
    throwUnlessUsable(result);
    const change = settled ?? (await collect());
    if (readNoChange(result.status === 'done' ? result.summary : '') !== undefined) {
      return { ...toWork(result, nothingOf(change), nothingChecked), ...plain };
    }
    const left = await findConflictsLeft(workspace, lease.record, change, lease.signal);
    // One that changed nothing at all leaves the branch as it was.
    if (left.length > 0 && change.files.length > 0) {
      throw result.status === 'failed' ? result.failure : unresolved(context, left);
    }
    await checkForSecrets(context, workspace, change);
    const work = toWork(result, change, await siteCheck.check(change));
    const bringsTogether = workspace.conflicts.length > 0 && left.length === 0;
    return { ...work, bringsTogether, repeats: findRepeats(proposals, change.files) };
  } finally {
    await Promise.all([workspace.close(), others.close()]);
  }
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
    `${where}, and the agent did not bring both together: tell it in a message what is to stand there, or merge by hand.`,
  );
}

function toWork(
  result: AgentResult,
  change: CollectedChange,
  checked: CheckedSite,
): Omit<Work, 'bringsTogether' | 'repeats'> {
  if (result.status === 'done') return { summary: result.summary, change, checked, unfinished: undefined };
  const { failure, lastWords } = result;
  if (change.files.length === 0) throw failure;
  const { code, message } = failure;
  return { summary: lastWords, change, checked, unfinished: { code, message } };
}

/** Undefined for our own. A job keeps the agent that it was created with. */
function findOutsideAgent({ project, lease }: TurnContext): readonly string[] | undefined {
  const argv = project.settings.agentCommand;
  return argv && basename(argv[0] ?? '') === lease.job.model ? argv : undefined;
}

async function runOwnAgent(
  context: TurnContext,
  workspace: Workspace,
  known: Known & Pick<AgentTask, 'check' | 'commitHistory' | 'others' | 'scope'>,
): Promise<AgentResult> {
  const { services, project, target, lease, redact } = context;
  // The AI SDK takes half a second and 60 MB, which a server without jobs can do without.
  const [{ runAgent }, { createModel }, { createModelRequest }, { parseMessages }] = await Promise.all([
    import('../agent/agent.ts'),
    import('../agent/model/model.ts'),
    import('../agent/model/model-request.ts'),
    import('../agent/message.ts'),
  ]);
  const { config, store, now } = services;
  const images = await store.jobs.readImages(lease.job.id, lease.turn.number);
  const manner = await readManner(context, lease.record.base ?? workspace.commit);
  const { fallbackModel, agentHosts: hosts } = project.settings;
  const request = createModelRequest(config.jobs.mayReach);
  const connect = (name: string) => createModel(name, config.jobs.models, request);
  return await runAgent({
    model: connect(lease.job.model),
    fallback:
      fallbackModel === null || fallbackModel === lease.job.model ? undefined : connect(fallbackModel),
    cacheKey: lease.job.id,
    directory: workspace.root,
    links: workspace.links,
    commitFiles: workspace.commitFiles,
    conflicted: new Set(workspace.conflicts.map(({ path }) => path)),
    paths: project.settings.agentPaths,
    prompt: lease.turn.prompt,
    images,
    attached: images.filter(({ turn }) => turn === lease.turn.number),
    history: parseMessages(await store.jobs.readMessages(lease.job.id)),
    isHistoryFresh: workspace.commit === (lease.earlier?.commit ?? lease.earlier?.base),
    progress: await readProgress(lease, parseMessages),
    ...known,
    manner,
    analytics: projectAnalytics(store, project),
    web: hosts.length === 0 ? undefined : { hosts, get: services.webGet },
    limits: await limitsOf(services, project, lease.turn.usage.cost),
    searchPath: config.jobs.git.path,
    secrets: target.secrets,
    signal: lease.signal,
    now,
    wait: (ms, signal) => pause(ms, undefined, { signal }),
    onEvent: (event) => lease.say(toLine(event)),
    onMessages: async (messages, usage) => {
      // Calls that were interrupted stay unanswered, and are carried out by the next attempt.
      if (usage === undefined) lease.signal.throwIfAborted();
      const clean = messages.map((message) => JSON.parse(redact(JSON.stringify(message))));
      await lease.remember(clean, usage);
    },
  });
}

/** What was paid for once is not paid for again. Messages that another version wrote may have to be forgotten. */
async function readProgress(lease: TurnLease, parse: (stored: unknown) => Message[]): Promise<Progress> {
  const { usage } = lease.turn;
  const stored = await lease.recall();
  const messages = parse(stored);
  if (messages.length < stored.length) await lease.forget();
  return { messages, usage };
}

async function runOutsideAgent(
  { services, project, target, lease }: TurnContext,
  argv: readonly string[],
  workspace: Workspace,
  background: Background,
): Promise<AgentResult> {
  const { git, agentEnvironment } = services.config.jobs;
  const sandbox = project.settings.agentUnconfined ? undefined : sandboxOf(services.config);
  const fault = sandbox && (await findSandboxFault(sandbox, git.path));
  if (fault !== undefined) throw new JobFailure('command_settings', fault);
  await workspace.giveRepository();
  return await runCommand({
    argv,
    directory: workspace.root,
    prompt: buildCommandPrompt(lease.turn.prompt, background),
    env: { PATH: git.path, ...agentEnvironment },
    sandbox,
    limits: await limitsOf(services, project, null),
    graceMs: commandGraceMs,
    secrets: target.secrets,
    signal: lease.signal,
    onEvent: (event) => lease.say(toLine(event)),
  });
}

function toLine({ type, ...data }: AgentEvent): { type: string; data: Record<string, unknown> } {
  return { type, data };
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
    'The change holds a key or token of this installation, so it was thrown away: look into the request and the pages that the agent read.',
  );
}
