import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SecretTexts } from '../../../server/projects/secrets.ts';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { type ProjectSettings, projectSettings } from '../../../shared/project/project.ts';
import { type ForgeServer, startForgeServer } from '../forge/server.ts';
import type { SeedFiles } from '../git/git-server.ts';
import { type Headcount, type HeadcountOptions, startHeadcount } from '../headcount.ts';
import { type JobClient, jobClient } from './jobs.ts';
import { type ModelReply, type ModelServer, type Script, startModelServer } from './model/model-server.ts';

/** Secrets of the right lengths, which must turn up nowhere. */
export const forgeToken = 'ghp_sesame7f3a9c21b8sesame7f3a9c21b8';
export const modelKey = 'sk-scripted-0123456789abcdef';
export const slug = 'ada/site';

export interface Outside {
  forge: ForgeServer;
  model: ModelServer;
  /** Settings of Headcount for them. */
  env: Record<string, string>;
  settings: Partial<ProjectSettings>;
}

export interface JobRun extends Outside {
  headcount: Headcount;
  jobs: JobClient;
}

/** A model that does what prompts such as "write page.md some text" say, and then sums up. */
export const obedient: Script = ({ body }) => obey(body);

export function obey(body: Record<string, unknown>): ModelReply {
  const messages = body.messages as { role: string; content: unknown }[];
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: 'Write the page\n\nAs it was asked.' };
  const [, path, content] = /^write (\S+) (.*)$/s.exec(textOf(last?.content)) ?? [];
  if (path === undefined) return { text: 'Nothing to do\n\nThe page is fine.' };
  return { calls: [{ tool: 'write', input: { path, content: `${content}\n` } }] };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

interface OutsideOptions {
  script?: Script;
  kind?: ForgeKind | 'none';
  files?: SeedFiles;
  /** A folder for repositories, which is left there, and the port of an earlier server that had them. */
  gitAt?: { root: string; port?: number };
}

type Opened<T> = T & { close(): Promise<void> };

/** A git server with a site, its forge, and a model: everything but Headcount itself. */
export async function startOutside(options: OutsideOptions = {}): Promise<Outside> {
  const outside = await openOutside(options);
  onTestFinished(outside.close);
  return outside;
}

async function openOutside({
  script = obedient,
  kind = 'github',
  files = { 'index.md': '# Site\n' },
  gitAt,
}: OutsideOptions): Promise<Opened<Outside>> {
  const forge = await startForgeServer({ token: forgeToken, ...gitAt });
  const model = await startModelServer(script);
  const isThere = existsSync(forge.git.pathOf(slug));
  const repository = isThere ? forge.git.urlOf(slug) : await forge.git.createRepository(slug, files);
  const env = {
    HEADCOUNT_MAX_JOBS: '2',
    HEADCOUNT_MAX_JOBS_PER_PROJECT: '2',
    HEADCOUNT_JOB_RETRY: '0',
    HEADCOUNT_GIT_PROTOCOLS: 'http',
    HEADCOUNT_PRIVATE_NETWORKS: 'allow',
    OPENAI_API_KEY: modelKey,
    OPENAI_BASE_URL: `${model.url}/v1`,
    ANTHROPIC_API_KEY: modelKey,
    ANTHROPIC_BASE_URL: model.url,
  };
  const forgeUrl = kind === 'none' ? null : forge.apiUrl(kind);
  const settings = {
    repository,
    forge: kind,
    forgeUrl,
    ref: 'main',
    model: 'openai/gpt-scripted',
    branchPrefix: 'headcount/',
  };
  const close = async () => {
    await model.close();
    await (gitAt ? forge.git.stop() : forge.close());
  };
  return { forge, model, env, settings, close };
}

type ServerOptions = Pick<
  HeadcountOptions,
  'env' | 'project' | 'agentLimits' | 'dataDir' | 'goOnWith' | 'now' | 'webGet' | 'wrapStore'
>;

export type JobRunOptions = OutsideOptions & ServerOptions;

export async function startJobRun(options: JobRunOptions = {}): Promise<JobRun> {
  const run = await openJobRun(options);
  onTestFinished(run.close);
  return run;
}

export async function openJobRun(options: JobRunOptions): Promise<Opened<JobRun>> {
  const { script: _script, kind: _kind, files: _files, gitAt: _gitAt, ...ofServer } = options;
  const outside = await openOutside(options);
  const headcount = await startHeadcount({
    ...ofServer,
    env: { ...outside.env, ...options.env },
    project: { ...outside.settings, ...options.project },
  });
  const close = async () => {
    await headcount.stop();
    await outside.close();
  };
  if (!options.goOnWith) await setSecrets(headcount, { forgeToken });
  return { ...outside, headcount, jobs: jobClient(headcount.url, headcount), close };
}

export async function setSecrets(
  { context, projectId }: Pick<Headcount, 'context' | 'projectId'>,
  texts: Parameters<Headcount['context']['secrets']['encrypt']>[1],
): Promise<void> {
  const project = context.registry.project(projectId);
  if (!project) throw new Error('There is no such project.');
  const secrets = context.secrets.encrypt(projectId, texts);
  await context.store.setProject(projectId, project.settings, secrets);
  await context.registry.refresh();
}

export async function changeProject(
  { headcount: { context, projectId } }: Pick<JobRun, 'headcount'>,
  changes: Partial<ProjectSettings>,
): Promise<void> {
  const settings = context.registry.project(projectId)?.settings;
  await context.store.setProject(projectId, projectSettings.parse({ ...settings, ...changes }));
  await context.registry.refresh();
}

export interface PreparedProject {
  projectId: string;
  adminKey: string;
}

/** A data folder with one project in it, for servers that are processes of their own. */
export async function prepareDataDir(
  outside: Outside,
  secrets: SecretTexts = {},
): Promise<PreparedProject & { dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-jobs-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { dataDir, ...(await prepareProject(outside, outside.env, { dataDir, secrets })) };
}

/** Adds a project with its secrets to what the servers of these settings will find. */
export async function prepareProject(
  { settings }: Outside,
  env: Record<string, string>,
  { dataDir, secrets = {} }: { dataDir?: string; secrets?: SecretTexts } = {},
): Promise<PreparedProject> {
  const [project] = await prepareProjects([settings], env, dataDir, secrets);
  return project as PreparedProject;
}

/** The same for a project of each of the settings. */
export async function prepareProjects(
  [first = {}, ...others]: readonly Outside['settings'][],
  env: Record<string, string>,
  dataDir?: string,
  secrets: SecretTexts = {},
): Promise<PreparedProject[]> {
  const headcount = await startHeadcount({
    ...(dataDir !== undefined && { dataDir }),
    env: { ...env, HEADCOUNT_MAX_JOBS: '0' },
    project: first,
  });
  const projects: PreparedProject[] = [headcount];
  for (const settings of others) projects.push(await headcount.addProject(settings));
  for (const { projectId } of projects) {
    await setSecrets({ context: headcount.context, projectId }, { forgeToken, ...secrets });
  }
  await headcount.stop();
  return projects.map(({ projectId, adminKey }) => ({ projectId, adminKey }));
}

export function createJob({ ask, projectId }: JobClient, prompt: string): Promise<JobReply> {
  return ask('POST /v2/agent/{projectId}/job', { path: { projectId }, body: { prompt } });
}

export async function sendMessage(
  { ask, projectId }: JobClient,
  jobId: string,
  prompt: string,
): Promise<void> {
  const path = { projectId, jobId };
  await ask('POST /v2/agent/{projectId}/job/{jobId}/message', { path, body: { prompt } });
}

export interface EventLine {
  number: number;
  turn: number;
  type: string;
  data: Record<string, unknown>;
}

export async function eventsOf({ ask, projectId }: JobClient, jobId: string): Promise<EventLine[]> {
  const path = { projectId, jobId };
  const { events } = await ask('GET /v2/agent/{projectId}/job/{jobId}/events', {
    path,
    query: { limit: 1000 },
  });
  return events;
}

/** Asks until something is so; says what it saw last when it never is. */
export async function until<T>(
  read: () => Promise<T>,
  isSo: (value: T) => boolean,
  timeoutMs = 500_000,
  pauseAfter: (waitedMs: number) => number = () => 25,
): Promise<T> {
  const begin = Date.now();
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    const waitedMs = Date.now() - begin;
    if (waitedMs > timeoutMs) {
      throw new Error(`It never came to be; in the end it was ${JSON.stringify(value)?.slice(-1000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(waitedMs)));
  }
}

/** Waits until a job rests. On a busy machine, to ask all the time would be more work than the job is. */
export async function finish(
  { ask, projectId }: JobClient,
  jobId: string,
  timeoutMs?: number,
): Promise<JobReply> {
  const read = () => ask('GET /v2/agent/{projectId}/job/{jobId}', { path: { projectId, jobId } });
  const pauseAfter = (waitedMs: number) => Math.min(Math.max(25, waitedMs / 4), 250);
  return await until(read, ({ status }) => status !== 'active', timeoutMs, pauseAfter);
}

/** A new job, run to its end. */
export async function runJob(jobs: JobClient, prompt: string): Promise<JobReply> {
  return await finish(jobs, (await createJob(jobs, prompt)).id);
}
