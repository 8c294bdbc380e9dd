import { setTimeout as pause } from 'node:timers/promises';
import type { EventReply, JobReply } from '../shared/jobs/job.ts';
import { runHeadcount } from '../test/support/child.ts';
import { type ForgeServer, startForgeServer } from '../test/support/forge/server.ts';
import { type ModelServer, startModelServer } from '../test/support/jobs/model/model-server.ts';
import { automations } from './automations.ts';
import { pages, prompt, scriptedModel, slug } from './site.ts';

const token = 'demo-token-of-this-minute';
const timeoutMs = 60_000;

/** A code host and a model on this machine, for the jobs of one project. */
export interface JobDemo extends AsyncDisposable {
  /** The settings that Headcount needs for them. */
  env: Record<string, string>;
  /** Sets the repository, the code host and the model of the project in this data folder. */
  setUp(projectId: string, env: Record<string, string>): Promise<void>;
  /** Adds automations, runs a job with the prompt, and prints what happens. */
  run(project: { url: string; projectId: string; adminKey: string }): Promise<void>;
}

export async function prepareJobDemo(say: (text: string) => void): Promise<JobDemo> {
  const [forge, model] = await Promise.all([
    startForgeServer({ token, names: ['gitea'] }),
    startModelServer(scriptedModel),
  ]);
  return {
    env: {
      HEADCOUNT_GIT_PROTOCOLS: 'http',
      HEADCOUNT_PRIVATE_NETWORKS: 'loopback',
      HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1`,
    },
    setUp: (projectId, env) => setUp(forge, projectId, env),
    run: (project) => run(forge, project, say),
    [Symbol.asyncDispose]: () => close(forge, model),
  };
}

async function close(forge: ForgeServer, model: ModelServer): Promise<void> {
  await Promise.all([forge.close(), model.close()]);
}

async function setUp(forge: ForgeServer, projectId: string, env: Record<string, string>): Promise<void> {
  const repository = await forge.git.createRepository(slug, pages);
  const settings = [
    ...['--repository', repository, '--forge', 'gitea', '--forge-url', forge.apiUrl('gitea')],
    ...['--model', 'compatible/scripted', '--forge-token-stdin'],
  ];
  const { code, stderr } = await runHeadcount(['project', 'set', projectId, ...settings], env, [], token);
  if (code !== 0) throw new Error(stderr);
}

async function run(
  forge: ForgeServer,
  { url, projectId, adminKey }: { url: string; projectId: string; adminKey: string },
  say: (text: string) => void,
): Promise<void> {
  for (const automation of automations)
    await call(`${url}/v2/agent/${projectId}/automations`, adminKey, automation);
  say(`Prompt:\n  ${prompt}\n\nTranscript:`);
  const jobs = `${url}/v2/agent/${projectId}/job`;
  const { id } = await call<JobReply>(jobs, adminKey, { prompt });
  const job = await follow(`${jobs}/${id}`, adminKey, say);
  if (job.status !== 'completed') throw new Error('The job failed.');
  const [pull] = await forge.list(slug);
  const diff = await forge.git.git(slug, ['diff', 'main', String(job.branch)]);
  say(`\nPull request ${job.prLink}:\n  ${pull?.title}\n\n${diff}`);
}

/** Prints the transcript as it grows, until the job has ended. */
async function follow(url: string, key: string, say: (text: string) => void): Promise<JobReply> {
  let last = 0;
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    const job = await call<JobReply>(url, key);
    const { events } = await call<{ events: EventReply[] }>(`${url}/events?after=${last}&limit=1000`, key);
    for (const event of events) say(`  ${describe(event)}`);
    last = events.at(-1)?.number ?? last;
    if (job.status !== 'active') return job;
    await pause(100);
  }
  throw new Error('The job did not end within a minute.');
}

function describe({ type, data }: EventReply): string {
  const text = data.phase ?? data.message ?? data.text ?? `${data.tool} ${data.input}`;
  return `${type.padEnd(10)} ${String(text).replaceAll('\n', `\n${' '.repeat(13)}`)}`;
}

async function call<T>(url: string, key: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(url, { ...request, headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
