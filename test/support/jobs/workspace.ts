import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectedChange, collectChange } from '../../../server/jobs/git/change.ts';
import type { CommitPlan } from '../../../server/jobs/git/commit.ts';
import type { PushPlan } from '../../../server/jobs/git/push.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import { type Access, Workspace, type WorkspaceOptions } from '../../../server/jobs/git/workspace.ts';
import type { Worktree } from '../../../server/jobs/git/worktree.ts';

export const token = 'sesame-7f3a9c21b8';
export const limits = { maxFiles: 50, maxBytes: 1_000_000 };
export const bot = { name: 'Headcount', email: 'bot@example.com' };
const protocols = ['http'];

/** A workspace on the disk of this machine, and what tests look at in it. */
export class TestWorkspace extends Workspace {
  readonly root: string;

  constructor(options: WorkspaceOptions) {
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

export async function startWorkspace(options: Partial<WorkspaceOptions> = {}): Promise<TestWorkspace> {
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'headcount-workspace-')));
  const workspace = new TestWorkspace({
    path: process.env.PATH ?? '',
    protocols,
    maxMirrorBytes: 1_000_000_000,
    now: Date.now,
    ...options,
    root,
  });
  await workspace.start();
  return workspace;
}

export function accessTo(url: string, password = token): Access {
  return {
    repository: parseRepository(url, protocols),
    credential: { username: 'x-access-token', password },
  };
}

/** One turn up to its commit: pins the base, lets `edit` change the files, and makes the commit. */
export async function runTurn(
  workspace: Workspace,
  access: Access,
  edit: (worktree: Worktree) => Promise<unknown>,
  { ref = 'main', name = `job_${randomUUID()}` }: { ref?: string; name?: string } = {},
): Promise<{ plan: CommitPlan & PushPlan; change: CollectedChange }> {
  const pinned = await workspace.pinBase(access, ref, { prefix: 'headcount/', name });
  const change = await changeFiles(workspace, access, pinned.commit, edit);
  const plan = planFor(pinned.commit, change.patch);
  const { commit } = await workspace.makeCommit(access, plan);
  return { plan: { ...plan, branch: pinned.branch, commit, expected: pinned.tip }, change };
}

export async function changeFiles(
  workspace: Workspace,
  access: Access,
  commit: string,
  edit: (worktree: Worktree) => Promise<unknown>,
): Promise<CollectedChange> {
  const worktree = await workspace.openWorktree(access, commit);
  try {
    await edit(worktree);
    return await collectChange(worktree, limits);
  } finally {
    await worktree.close();
  }
}

export function planFor(base: string, patch: Buffer): CommitPlan {
  return { base, patch, message: 'Improve the page', author: bot, committer: bot, at: 1_760_000_000_000 };
}
