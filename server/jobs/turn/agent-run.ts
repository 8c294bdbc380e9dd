import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../agent/command.ts';
import { defaultLimits } from '../agent/limits.ts';
import { projectAnalytics } from '../agent/project-analytics.ts';
import { buildCommandPrompt } from '../agent/prompt.ts';
import type { AgentDone, AgentEvent, AgentResult } from '../agent/result.ts';
import { JobFailure } from '../failure.ts';
import { type CollectedChange, collectChange } from '../git/change.ts';
import type { Worktree } from '../git/worktree.ts';
import type { Workshop } from './turn-context.ts';

/** What the files of a turn and its commit may grow to. */
export const changeLimits = { maxFiles: defaultLimits.changedFiles, maxBytes: defaultLimits.changedBytes };

const maxGuidanceBytes = 256_000;
/** How long an outside agent may take to end when it is told to. */
const commandGraceMs = 5_000;

/** Lets the agent work in a checkout of its own. @throws JobFailure, LeaseLost */
export async function doWork(
  shop: Workshop,
  base: string,
): Promise<{ summary: string; change: CollectedChange }> {
  const { workspace, destination, held } = shop;
  // An earlier attempt may have left half a conversation.
  await held.forget();
  const reading = readGuidance(shop, base);
  // What is wrong with it comes out below; a checkout that fails before has its own say.
  reading.catch(() => undefined);
  const argv = findOutsideAgent(shop);
  const access = await destination.access();
  // An outside agent looks at files without asking.
  const worktree = await workspace.openWorktree(access, base, { onDemand: argv === undefined });
  try {
    const guidance = await reading;
    const result = argv
      ? await runOutsideAgent(shop, argv, worktree, guidance)
      : await runOwnAgent(shop, worktree, guidance);
    held.signal.throwIfAborted();
    worktree.commitFiles?.throwIfFailed();
    const { summary } = succeed(result);
    const change = await collectChange(worktree, changeLimits, held.signal);
    checkForSecrets(shop, change.patch);
    return { summary, change };
  } finally {
    await worktree.close();
  }
}

/** Undefined for our own. A job keeps the agent that it was created with. */
function findOutsideAgent({ project, held }: Workshop): readonly string[] | undefined {
  const argv = project.settings.agentCommand;
  return argv && basename(argv[0] ?? '') === held.job.model ? argv : undefined;
}

async function runOwnAgent(
  { context, project, destination, held, redact }: Workshop,
  worktree: Worktree,
  guidance: string | undefined,
): Promise<AgentResult> {
  // The AI SDK takes half a second and 60 MB, which a server without jobs can do without.
  const [{ runAgent }, { createModel }, { parseMessages }] = await Promise.all([
    import('../agent/agent.ts'),
    import('../agent/model.ts'),
    import('../agent/message.ts'),
  ]);
  const { config, store, now, agentLimits: limits } = context;
  return await runAgent({
    model: createModel(held.job.model, config.jobs.models),
    directory: worktree.root,
    links: worktree.links,
    commitFiles: worktree.commitFiles,
    prompt: held.turn.prompt,
    history: parseMessages(await store.jobs.readMessages(held.job.id)),
    ...(guidance !== undefined && { guidance }),
    analytics: projectAnalytics(store, project),
    limits,
    searchPath: config.jobs.git.path,
    secrets: destination.secrets,
    signal: held.signal,
    now,
    wait: (ms, signal) => pause(ms, undefined, { signal }),
    onEvent: (event) => held.say(toLine(event)),
    onMessages: (messages) =>
      held.remember(messages.map((message) => JSON.parse(redact(JSON.stringify(message))))),
  });
}

async function runOutsideAgent(
  { context, destination, held }: Workshop,
  argv: readonly string[],
  worktree: Worktree,
  guidance: string | undefined,
): Promise<AgentResult> {
  await worktree.giveRepository();
  const { git, agentEnvironment } = context.config.jobs;
  return await runCommand({
    argv,
    directory: worktree.root,
    prompt: buildCommandPrompt(held.turn.prompt, guidance),
    env: { PATH: git.path, ...agentEnvironment },
    limits: context.agentLimits,
    graceMs: commandGraceMs,
    secrets: destination.secrets,
    signal: held.signal,
    onEvent: (event) => held.say(toLine(event)),
  });
}

function toLine({ type, ...data }: AgentEvent): { type: string; data: Record<string, unknown> } {
  return { type, data };
}

function succeed(result: AgentResult): AgentDone {
  if (result.status === 'done') return result;
  throw result.failure;
}

/** Conventions of the repository; a file that cannot be read is as good as none. */
async function readGuidance({ workspace, destination }: Workshop, base: string): Promise<string | undefined> {
  try {
    const bytes = await workspace.readFile(await destination.access(), base, 'AGENTS.md', maxGuidanceBytes);
    return bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'too_large') return undefined;
    throw error;
  }
}

/** An outside agent knows its own keys, and could be talked into writing them down. */
function checkForSecrets({ redact }: Workshop, patch: Buffer): void {
  const text = patch.toString('latin1');
  if (redact(text) === text) return;
  throw new JobFailure(
    'forbidden_change',
    'The change holds a key or token of this installation, so it was thrown away: look into the request and the pages that the agent read.',
  );
}
