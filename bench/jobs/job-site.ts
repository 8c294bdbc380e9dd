import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AddedProject } from '../../server/operations/projects.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { runHeadcount } from '../../test/support/child.ts';
import { startForgeServer } from '../../test/support/forge/server.ts';
import { runGit } from '../../test/support/git/git-server.ts';
import { type Script, startModelServer } from '../../test/support/jobs/model/model-server.ts';
import type { Bench } from '../bench.ts';
import { addProject, type Server } from '../server.ts';

const fileCount = 10_000;
const slug = 'bench/site';
const token = 'token-of-the-bench';
/** Asks that often whether a job has ended, so that a figure may be that much too large. */
const askMs = 10;
const hangPrompt = 'hang';

export type JobServer = Pick<Server, 'port'>;
export type JobProject = Pick<AddedProject, 'projectId' | 'adminKey'>;

/** A repository of 10,000 pages behind HTTP, its forge, and a model that answers at once or never. */
export interface JobSite extends AsyncDisposable {
  /** Settings of Headcount for them. */
  env: Record<string, string>;
  /** A project whose jobs work on the site. */
  addProject(dataDir: string, settings?: Record<string, string>): Promise<AddedProject>;
  /** Changes one page of the base branch, as a person would. */
  move(number: number): Promise<unknown>;
  /** A copy of the repository that only git itself works with. */
  clone(folder: string): Promise<BareGit>;
  /** Seconds that git itself takes to clone what one page needs. */
  cloneSparsely(folder: string): Promise<number>;
  /** Resolves when that many requests wait at the model for ever. */
  hanging(count: number): Promise<void>;
}

/** @param more files beside the pages, by path */
export async function startJobSite(
  bench: Bench,
  more: Readonly<Record<string, Buffer>> = {},
): Promise<JobSite> {
  const forge = await startForgeServer({ token, names: ['gitea'] });
  const model = await startModelServer(obey);
  const close = async () => {
    await Promise.all([forge.close(), model.close()]);
  };
  const files = Array.from({ length: fileCount }, (_, i) => [pageOf(i), `# Page ${i}\n\nOld words.\n`]);
  const repository = await forge.git
    .createRepository(slug, { ...Object.fromEntries(files), ...more })
    .catch(async (error) => {
      await close();
      throw error;
    });
  const url = repository.replace('//', `//bench:${token}@`);
  const sourceSettings = [
    ...['--repository', repository, '--forge', 'gitea', '--forge-url', forge.apiUrl('gitea')],
    ...['--model', 'compatible/scripted', '--forge-token-stdin'],
  ];
  const reach = { HEADCOUNT_GIT_PROTOCOLS: 'http', HEADCOUNT_PRIVATE_NETWORKS: 'loopback' };
  return {
    env: {
      ...reach,
      HEADCOUNT_JOB_GRACE: '0',
      HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1`,
      no_proxy: '127.0.0.1',
    },
    addProject: async (dataDir, settings = {}) => {
      const project = await addProject(bench, dataDir, settings);
      const args = ['project', 'set', project.projectId, ...sourceSettings];
      const env = { HEADCOUNT_DATA_DIR: dataDir, ...reach, ...settings };
      const { code, stderr } = await runHeadcount(args, env, [], token);
      if (code !== 0) throw new Error(stderr);
      return project;
    },
    move: (number) => forge.git.commit(slug, { [pageOf(fileCount - number)]: `# Moved ${number}\n` }),
    clone: (folder) => BareGit.clone(url, folder),
    cloneSparsely: async (folder) => {
      const startedAt = performance.now();
      await runGit('/', ['clone', '--quiet', '--filter=blob:none', '--sparse', url, join(folder, 'site')]);
      return (performance.now() - startedAt) / 1000;
    },
    hanging: async (count) => {
      const isHanging = () => model.requests.filter(({ prompts }) => prompts.at(-1) === hangPrompt).length;
      while (isHanging() < count) await pause(askMs, undefined, { signal: bench.signal });
    },
    [Symbol.asyncDispose]: close,
  };
}

function pageOf(number: number): string {
  return `pages/${Math.floor(number / 100)}/${number}.md`;
}

/** Edits the page that the prompt names, then is done; asked to hang, it never answers. */
const obey: Script = ({ prompts, results }) => {
  const path = prompts.at(-1) ?? '';
  if (path === hangPrompt) return { hang: true };
  if (results.length > 0) return { text: 'Renew the words\n\nThey were old.' };
  return { calls: [{ tool: 'edit', input: { path, old: 'Old words.', new: 'New words.' } }] };
};

/** What a person does in place of a job, by git alone, with all files checked out: see the list in `edit`. */
export class BareGit {
  readonly #folder: string;
  readonly #mirror: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#mirror = join(folder, 'mirror.git');
  }

  /** With all contents, so that no step needs to fetch any. */
  static async clone(url: string, folder: string): Promise<BareGit> {
    const bare = new BareGit(folder);
    await runGit('/', ['clone', '--quiet', '--bare', url, bare.#mirror]);
    for (const setting of ['user.name=Bench', 'user.email=bench@example.com', 'gc.auto=0']) {
      const [key = '', value = ''] = setting.split('=');
      await runGit(bare.#mirror, ['config', key, value]);
    }
    return bare;
  }

  /** @returns seconds from asking for the branch's commit until the new one is pushed */
  async edit(number: number): Promise<number> {
    const worktree = join(this.#folder, `worktree-${number}`);
    const startedAt = performance.now();
    await runGit(this.#mirror, ['ls-remote', 'origin', 'refs/heads/main']);
    await runGit(this.#mirror, ['fetch', '--quiet', 'origin', 'refs/heads/main']);
    await runGit(this.#mirror, ['worktree', 'add', '--quiet', '--detach', worktree, 'FETCH_HEAD']);
    await writeFile(join(worktree, pageOf(number)), `# Page ${number}\n\nNew words.\n`);
    await runGit(worktree, ['add', '--all']);
    await runGit(worktree, ['commit', '--quiet', '--message', 'Renew the words']);
    await runGit(worktree, ['push', '--quiet', 'origin', `HEAD:refs/heads/bare/${number}`]);
    // It is left: removing ten thousand files would hold up the job that is timed next.
    return (performance.now() - startedAt) / 1000;
  }
}

/** @returns seconds from the request that creates a job until it is `completed` */
export async function timeJob(
  { signal }: Bench,
  server: JobServer,
  project: JobProject,
  number: number,
): Promise<number> {
  const startedAt = performance.now();
  const { id } = await create(server, project, pageOf(number), signal);
  for (;;) {
    const job = await call<JobReply>(server, project, `job/${id}`, { signal });
    if (job.status === 'completed' && job.prLink) return (performance.now() - startedAt) / 1000;
    if (job.status !== 'active')
      throw new Error(`Job ${id} is ${job.status}, its pull request ${job.prLink}.`);
    await pause(askMs);
  }
}

/** Creates jobs that get as far as the model and stay there. */
export async function createHanging(
  { signal }: Bench,
  server: JobServer,
  project: JobProject,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) await create(server, project, hangPrompt, signal);
}

function create(
  server: JobServer,
  project: JobProject,
  prompt: string,
  signal: AbortSignal,
): Promise<JobReply> {
  return call(server, project, 'job', { signal, method: 'POST', body: JSON.stringify({ prompt }) });
}

async function call<T>(
  { port }: JobServer,
  { projectId, adminKey }: JobProject,
  path: string,
  request: RequestInit,
): Promise<T> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/v2/agent/${projectId}/${path}`;
  const response = await fetch(url, { ...request, headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
