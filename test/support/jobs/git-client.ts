import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import { type CollectedChange, collectChange } from '../../../server/jobs/git/change.ts';
import type { CommitPlan } from '../../../server/jobs/git/commit.ts';
import { GitClient, type GitClientOptions } from '../../../server/jobs/git/git-client.ts';
import type { PushPlan } from '../../../server/jobs/git/remote/push.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';

export const token = 'sesame-7f3a9c21b8';
export const limits = { maxFiles: 50, maxBytes: 1_000_000, paths: ['**'] };
export const bot = { name: 'Headcount', email: 'bot@example.com' };
const protocols = ['http'];

/** The git client of the server with a folder of its own, and what tests look at in it. */
export class TestGitClient extends GitClient {
  readonly root: string;

  constructor(options: GitClientOptions) {
    super(options);
    this.root = options.root;
  }

  async mirrors(): Promise<string[]> {
    const root = join(this.root, 'mirrors');
    return (await readdir(root)).map((name) => join(root, name));
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

export async function startGitClient(options: Partial<GitClientOptions> = {}): Promise<TestGitClient> {
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'headcount-git-')));
  const gitClient = new TestGitClient({
    path: process.env.PATH ?? '',
    mayReach: () => true,
    protocols,
    maxMirrorBytes: 1_000_000_000,
    now: Date.now,
    ...options,
    root,
  });
  await gitClient.start();
  return gitClient;
}

export function accessTo(url: string, password = token): RepositoryAccess {
  return {
    repository: parseRepository(url, protocols),
    credential: { username: 'x-access-token', password },
  };
}

/** One turn up to its commit: pins the base, lets `edit` change the files, and makes the commit. */
export async function runTurn(
  gitClient: GitClient,
  access: RepositoryAccess,
  edit: (workspace: Workspace) => Promise<unknown>,
  { ref = 'main', name = `job_${randomUUID()}` }: { ref?: string; name?: string } = {},
): Promise<{ plan: CommitPlan & PushPlan; change: CollectedChange }> {
  const pinned = await gitClient.pinBase(access, ref, { prefix: 'headcount/', name });
  const change = await changeFiles(gitClient, access, pinned.commit, edit);
  const plan = planFor(pinned.commit, change.patch);
  const { commit } = await gitClient.makeCommit(access, plan);
  return { plan: { ...plan, branch: pinned.branch, commit, expected: pinned.tip }, change };
}

export async function changeFiles(
  gitClient: GitClient,
  access: RepositoryAccess,
  commit: string,
  edit: (workspace: Workspace) => Promise<unknown>,
): Promise<CollectedChange> {
  const workspace = await gitClient.openWorkspace(access, commit);
  try {
    await edit(workspace);
    return await collectChange(workspace, limits);
  } finally {
    await workspace.close();
  }
}

export function planFor(base: string, patch: Buffer): CommitPlan {
  return { base, patch, message: 'Improve the page', author: bot, committer: bot, at: 1_760_000_000_000 };
}
