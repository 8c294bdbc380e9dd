// A job from prompt to pull request on this machine alone: "npm run demo".
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventReply, JobReply } from '../shared/job.ts';
import { runHeadcount, startProcess } from '../test/support/child.ts';
import { type ForgeServer, startForgeServer } from '../test/support/forge-server.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { aiReader, pages, prompt, scriptedModel, slug } from './site.ts';

const token = 'demo-token-of-this-minute';
const timeoutMs = 60_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a command of the real program. */
async function headcount(args: string[], env: Record<string, string>, input = ''): Promise<string> {
  const { code, stdout, stderr } = await runHeadcount(args, env, [], input);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

interface Project {
  projectId: string;
  adminKey: string;
  ingestKey: string;
}

async function setUp(forge: ForgeServer, env: Record<string, string>): Promise<Project> {
  const repository = await forge.git.createRepository(slug, pages);
  const project = JSON.parse(await headcount(['project', 'add', '--name', 'Demo', '--json'], env)) as Project;
  const settings = [
    ...['--repository', repository, '--forge', 'gitea', '--forge-url', forge.apiUrl('gitea')],
    ...['--model', 'compatible/scripted', '--forge-token-stdin'],
  ];
  await headcount(['project', 'set', project.projectId, ...settings], env, token);
  return project;
}

async function call<T>(url: string, key: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(url, { ...request, headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Prints the transcript as it grows, until the job rests. */
async function follow(url: string, key: string): Promise<JobReply> {
  let last = 0;
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    const job = await call<JobReply>(url, key);
    const { events } = await call<{ events: EventReply[] }>(`${url}/events?after=${last}&limit=1000`, key);
    for (const event of events) say(`  ${describe(event)}`);
    last = events.at(-1)?.number ?? last;
    if (job.status !== 'active') return job;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The job did not end within a minute.');
}

function describe({ type, data }: EventReply): string {
  const text = data.phase ?? data.message ?? data.text ?? `${data.tool} ${data.input}`;
  return `${type.padEnd(10)} ${String(text).replaceAll('\n', `\n${' '.repeat(13)}`)}`;
}

async function main(): Promise<void> {
  const startedAt = Date.now();
  say(`Headcount's agent jobs, on this machine alone.

  The model is scripted: it is no AI, and says what demo/site.ts holds, whatever you ask.
  Git is real; the code host is a small stand-in that answers as Gitea does.
`);
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-demo-'));
  const forge = await startForgeServer({ token, names: ['gitea'] });
  const model = await startModelServer(scriptedModel);
  const env = {
    HEADCOUNT_DATA_DIR: dataDir,
    HEADCOUNT_GIT_PROTOCOLS: 'http',
    HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1`,
  };
  try {
    const { projectId, adminKey, ingestKey } = await setUp(forge, env);
    const server = await startProcess(env);
    try {
      await call(`${server.url}/v1/hits`, ingestKey, { hits: aiReader });
      say(`Prompt:\n  ${prompt}\n\nTranscript:`);
      const jobs = `${server.url}/v2/agent/${projectId}/job`;
      const created = await call<JobReply>(jobs, adminKey, { prompt });
      const job = await follow(`${jobs}/${created.id}`, adminKey);
      if (job.status !== 'completed') throw new Error('The job failed.');
      await show(forge, job);
    } finally {
      server.signal('SIGTERM');
      await server.ended;
    }
  } finally {
    await Promise.all([forge.close(), model.close()]);
    await rm(dataDir, { recursive: true, force: true });
  }
  say(`Done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s; nothing is left behind.
With a real repository and a real model it is the same: see "Your first job" in the README.`);
}

async function show(forge: ForgeServer, { prLink, id }: JobReply): Promise<void> {
  const [pull] = await forge.list(slug);
  const diff = await forge.git.git(slug, ['diff', 'main', `headcount/${id}`]);
  say(`\nPull request ${prLink} (as long as the demo ran):\n  ${pull?.title}\n\n${diff}`);
}

await main();
