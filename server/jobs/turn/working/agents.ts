import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readMeasured } from '../../../analytics/measured.ts';
import { parseRange } from '../../../analytics/range.ts';
import { ApiError } from '../../../errors.ts';
import { factsOf } from '../../../identity/client-facts.ts';
import type { LiveProject } from '../../../projects/registry.ts';
import type { RangeQuery } from '../../../store/counts/analytics-store.ts';
import type { Store } from '../../../store/store.ts';
import type { AgentTask, Progress } from '../../agent/agent.ts';
import { runCommand } from '../../agent/command/command.ts';
import { findSandboxFault, sandboxOf } from '../../agent/command/sandbox.ts';
import type { Message } from '../../agent/message.ts';
import { type Background, buildCommandPrompt, type PullRequestStyle } from '../../agent/prompt.ts';
import type { AgentEvent, AgentResult } from '../../agent/result.ts';
import type { AnalyticsQuery, ProjectAnalytics } from '../../agent/tools/analytics.ts';
import { ToolError } from '../../agent/tools/tool-error.ts';
import { JobFailure } from '../../failure.ts';
import type { Look } from '../../git/access.ts';
import { listSubjects } from '../../git/commit.ts';
import type { Workspace } from '../../git/workspace/workspace.ts';
import { limitsOf } from '../budget.ts';
import type { TurnLease } from '../lease.ts';
import type { TurnContext } from '../turn-context.ts';
import type { Known } from './background.ts';
import { readFirstText } from './reviewed-text.ts';

/** How long an outside agent may take to end when it is stopped. */
const commandGraceMs = 5_000;

/** Undefined for our own. A job keeps the agent that it was created with. */
export function findOutsideAgent({ project, lease }: TurnContext): readonly string[] | undefined {
  const argv = project.settings.agentCommand;
  return argv && basename(argv[0] ?? '') === lease.job.model ? argv : undefined;
}

/** The AI SDK takes half a second and 60 MB, which a server without jobs can do without. */
const loadOwnAgent = () =>
  Promise.all([
    import('../../agent/agent.ts'),
    import('../../agent/model/model.ts'),
    import('../../agent/model/model-request.ts'),
    import('../../agent/message.ts'),
  ]);

/** Loads what the agent of a turn is made of, so that this is done while git waits for the repository. */
export function prepareAgent(context: TurnContext): void {
  // What is wrong with it comes out where it is needed.
  if (findOutsideAgent(context) === undefined) loadOwnAgent().catch(() => undefined);
}

export async function runOwnAgent(
  context: TurnContext,
  workspace: Workspace,
  known: Known &
    Pick<AgentTask, 'check' | 'checkSummary' | 'commitHistory' | 'others' | 'rejections' | 'scope'>,
): Promise<AgentResult> {
  const { services, project, target, lease, redact } = context;
  const [{ runAgent }, { createModel }, { createModelRequest }, { parseMessages }] = await loadOwnAgent();
  const { config, store, now } = services;
  const images = await store.jobs.readImages(lease.job.id, lease.turn.number);
  const style = await readPullRequestStyle(context, workspace);
  const { fallbackModel, modelLimits, agentHosts: hosts } = project.settings;
  const request = createModelRequest(config.jobs.mayReach);
  const connect = (name: string) => createModel(name, config.jobs.models, request);
  const limits = await limitsOf(services, project, lease.turn.usage.cost);
  return await runAgent({
    model: connect(lease.job.model),
    fallback:
      fallbackModel === null || fallbackModel === lease.job.model ? undefined : connect(fallbackModel),
    modelLimits,
    cacheKey: lease.job.id,
    directory: workspace.root,
    links: workspace.links,
    commitFiles: workspace.commitFiles,
    isIgnored: workspace.isIgnored,
    conflicted: new Set(workspace.conflicts.map(({ path }) => path)),
    paths: project.settings.agentPaths,
    prompt: lease.turn.prompt,
    images,
    attached: images.filter(({ turn }) => turn === lease.turn.number),
    history: parseMessages(await store.jobs.readMessages(lease.job.id)),
    isHistoryFresh: workspace.commit === (lease.earlier?.commit ?? lease.earlier?.base),
    progress: await readProgress(lease, parseMessages),
    ...known,
    style,
    analytics: projectAnalytics(store, project),
    web: hosts.length === 0 ? undefined : { hosts, get: services.webGet },
    limits,
    searchPath: config.jobs.git.path,
    secrets: target.secrets,
    signal: lease.signal,
    now,
    wait: (ms, signal) => pause(ms, undefined, { signal }),
    onEvent: (event) => lease.say(toLine(event)),
    onMessages: async (messages, usage, model) => {
      // Calls that were interrupted stay unanswered, and are carried out by the next attempt.
      if (usage === undefined) lease.signal.throwIfAborted();
      const clean = messages.map((message) => JSON.parse(redact(JSON.stringify(message))));
      await lease.remember(clean, usage);
      if (model !== undefined) await noteMaker(lease, model);
      // Turns beside this one spend of the same budget.
      if (usage) limits.cost = (await limitsOf(services, project, lease.usage.cost)).cost;
    },
  });
}

/** A pull request says who made it, as it happened. */
async function noteMaker(lease: TurnLease, name: string): Promise<void> {
  const { madeBy = [] } = lease.record;
  if (!madeBy.includes(name)) await lease.note({ madeBy: [...madeBy, name] });
}

/** What was paid for once is not paid for again. Messages that another version wrote may have to be forgotten. */
async function readProgress(lease: TurnLease, parse: (stored: unknown) => Message[]): Promise<Progress> {
  const { usage } = lease.turn;
  const stored = await lease.recall();
  const messages = parse(stored);
  if (messages.length < stored.length) await lease.forget();
  return { messages, usage };
}

export async function runOutsideAgent(
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
  await noteMaker(lease, lease.job.model);
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

/** What an agent may ask about the site it works on, answered from the same counts as the reports. */
function projectAnalytics(store: Store, { id, settings }: LiveProject): ProjectAnalytics {
  const toRange = ({ limit, ...dates }: AnalyticsQuery): RangeQuery => {
    try {
      return { projectId: id, ...parseRange(dates, settings.timeZone), limit, offset: 0 };
    } catch (error) {
      throw error instanceof ApiError ? new ToolError(error.message) : error;
    }
  };
  return {
    visitors: async (query) => {
      const range = toRange(query);
      const report = await store.readCounts({ ...range, dimension: 'path', measure: 'visitors' });
      const visitors = report.rows.map(({ name, ...count }) => ({ path: name, ...count }));
      const measured = await readMeasured(store, range);
      return { totals: report.totals, visitors, hasMore: report.hasMore, measured };
    },
    aiClients: async (query) => {
      const range = toRange(query);
      const { rows, hasMore } = await store.readClients(range);
      const aiClients = rows.map(({ name, visitors, views }) => {
        const { operator, purpose } = factsOf(name);
        return {
          client: name,
          operator: operator ?? 'unknown',
          purpose: purpose ?? 'unknown',
          visitors,
          views,
        };
      });
      return { aiClients, hasMore, measured: await readMeasured(store, range) };
    },
    aiFailures: async (query) => {
      const { rows, hasMore } = await store.readCounter({ ...toRange(query), counter: 'ai-failures' });
      const failures = rows.map(({ group, name, hits }) => {
        const [client = '', status = ''] = group.split('\t');
        return { path: name, client, status, requests: hits };
      });
      return { failures, hasMore };
    },
  };
}

const names = ['pull_request_template.md', 'PULL_REQUEST_TEMPLATE.md'];
const folders = ['.github/', '', 'docs/', '.gitea/', '.forgejo/'];
/** Where code hosts look for the text that a pull request begins with. */
const templates = [
  ...folders.flatMap((folder) => names.map((name) => folder + name)),
  ...['.gitlab/merge_request_templates/Default.md', '.gitlab/merge_request_templates/default.md'],
];
/** Folders of several templates, as GitHub, Gitea, Forgejo and GitLab have them. */
const choice =
  /^(?:(?:\.github|docs|\.gitea|\.forgejo)\/)?pull_request_template\/[^/]+\.md$|^\.gitlab\/merge_request_templates\/[^/]+\.md$/i;
const maxTemplates = 8;
const maxTemplateBytes = 16_000;
const maxSubjects = 15;

/** How pull requests look in this repository, of which a job opens one; always as its base has it. */
async function readPullRequestStyle(
  { gitClient, target, lease }: TurnContext,
  workspace: Pick<Workspace, 'commit' | 'files'>,
): Promise<PullRequestStyle | undefined> {
  if (!target.forge || lease.record.pullRequest !== undefined) return undefined;
  const access = await target.access();
  const base = lease.record.base ?? workspace.commit;
  const paths =
    base === workspace.commit
      ? workspace.files.map(({ path }) => path)
      : await gitClient.listFiles(access, base);
  return await gitClient.look(access, base, async (call) => {
    const [titles, template] = await Promise.all([
      listSubjects(call, base, maxSubjects),
      readTemplate(call, base),
    ]);
    return { titles, template: template ?? (await readChoice(call, base, paths)) };
  });
}

/** Several, of which one is chosen as a pull request is opened: together, each with its name. */
async function readChoice(call: Look, base: string, paths: readonly string[]): Promise<string | undefined> {
  const found = paths.filter((path) => choice.test(path)).slice(0, maxTemplates);
  const texts: string[] = [];
  for (const path of found) {
    const text = await readFirstText(call, base, [path], maxTemplateBytes);
    const plain = text && withoutHints(text);
    if (plain) texts.push(found.length === 1 ? plain : `${path}:\n\n${plain}`);
  }
  if (texts.length < 2) return texts[0];
  return `(One of these, whichever fits the change best, without its name.)\n\n${texts.join('\n\n')}`;
}

/** Without its hints, which are for who fills it in by hand. */
async function readTemplate(call: Look, base: string): Promise<string | undefined> {
  const text = await readFirstText(call, base, templates, maxTemplateBytes);
  return text && withoutHints(text);
}

function withoutHints(text: string): string | undefined {
  return text.replace(/<!--[\s\S]*?-->/g, '').trim() || undefined;
}
