import { access as findFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { accessTo } from '../jobs/git-client.ts';
import { type GitRun, gitRun } from './git-run.ts';
import type { SeedFiles } from './git-server.ts';

/** Repositories that mean harm, and a canary for each test. */
export interface HostileGit extends GitRun {
  /** Outside of every workspace. */
  folder: string;
  /** The file that the program leaves. */
  canary: string;
  /** A program that records that it was run. */
  program(): string;
  /** Settings that start the program at the first look at a repository. */
  settings(): string;
  /** Whether somebody ran the program. */
  sang(): Promise<boolean>;
  serve(files: SeedFiles): Promise<{ access: RepositoryAccess; head: string; slug: string }>;
}

/** For the tests of a file. */
export function hostileGit(): HostileGit {
  const git = Object.assign(gitRun(), { program, settings, sang, serve }) as HostileGit;
  let counter = 0;
  beforeAll(async () => {
    git.folder = await mkdtemp(join(tmpdir(), 'headcount-canary-'));
  });
  afterAll(async () => {
    await rm(git.folder, { recursive: true });
  });
  beforeEach(() => {
    git.canary = join(git.folder, `canary-${++counter}`);
  });

  function program(): string {
    return `touch ${git.canary}; false`;
  }
  function settings(): string {
    return (
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../\n\tfsmonitor = "${program()}"\n` +
      `\tsshCommand = "${program()}"\n[filter "evil"]\n\tclean = "${program()}"\n\tsmudge = "${program()}"\n` +
      `[diff "evil"]\n\ttextconv = "${program()}"\n\tcommand = "${program()}"\n`
    );
  }
  async function sang(): Promise<boolean> {
    const found = findFile(git.canary);
    return found.then(
      () => true,
      () => false,
    );
  }
  async function serve(files: SeedFiles): Promise<{ access: RepositoryAccess; head: string; slug: string }> {
    const slug = `eve/hostile-${counter}`;
    const url = await git.server.createRepository(slug, files);
    const refs = await git.server.refs(slug);
    return { access: accessTo(url), head: refs['refs/heads/main'] ?? '', slug };
  }
  return git;
}

/** As the agent gets it. */
export const folderOf = (workspace: Workspace): Folder =>
  new Folder(workspace.root, defaultLimits, workspace);

/** Makes commits as one who means harm. */
export const asEve = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
