import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import { collectChange } from '../../../server/jobs/git/change.ts';
import type { CommitPlan } from '../../../server/jobs/git/commit.ts';
import type { PushPlan } from '../../../server/jobs/git/remote/push.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { gitRun } from '../../support/git/git-run.ts';
import {
  accessTo,
  limits,
  planFor,
  runTurn,
  startGitClient,
  type TestGitClient,
} from '../../support/jobs/git-client.ts';

const run = gitRun();
let slug = '';
let access: RepositoryAccess;
let counter = 0;

const text = Array.from({ length: 30 }, (_unused, index) => `line ${index}\n`).join('');
const edit = (workspace: Workspace) =>
  writeFile(join(workspace.root, 'page.md'), text.replace('line 3\n', 'line three\n'));

beforeAll(async () => {
  await run.server.createRepository('ada/original', { 'page.md': text, 'other.md': 'x\n' });
});

beforeEach(async () => {
  slug = `ada/push-${++counter}`;
  access = accessTo(await run.server.copyRepository('ada/original', slug));
});

async function pushedTurn(): Promise<CommitPlan & PushPlan> {
  const { plan } = await runTurn(run.gitClient, access, edit);
  expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
  return plan;
}

/** The turn after `plan`, from its commit, changing one more line. */
async function followUp(before: CommitPlan & PushPlan): Promise<CommitPlan & PushPlan> {
  const workspace = await run.gitClient.openWorkspace(access, before.commit);
  try {
    await writeFile(
      join(workspace.root, 'page.md'),
      text.replace('line 20\n', 'line twenty\n').replace('line 3\n', 'line three\n'),
    );
    const change = await collectChange(workspace, limits);
    const plan = planFor(before.commit, change.patch);
    const { commit } = await run.gitClient.makeCommit(access, plan);
    return { ...plan, branch: before.branch, commit, expected: before.commit };
  } finally {
    await workspace.close();
  }
}

const tipOf = async (branch: string) => (await run.server.refs(slug))[`refs/heads/${branch}`];

describe('pushing a turn', () => {
  test('again, after the branch is there, changes nothing', async () => {
    const plan = await pushedTurn();
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'already', tip: plan.commit });
    expect(await run.server.log(slug, plan.branch)).toHaveLength(2);
  });

  test('a connection that drops after the push was taken is passing, and the next try finds it', async () => {
    const { plan } = await runTurn(run.gitClient, access, edit);
    // Git's own HTTP library tries a few more times.
    for (let times = 0; times < 10; times++)
      run.server.faults.push({ on: /^POST .*git-receive-pack/, dropAfter: true });
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({ code: 'network', passing: true });
    run.server.faults.length = 0;
    expect(await tipOf(plan.branch)).toBe(plan.commit);
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'already', tip: plan.commit });
  });

  test('a commit that a person put on top of ours counts as pushed', async () => {
    const plan = await pushedTurn();
    const theirs = await run.server.commit(slug, { 'other.md': 'y\n' }, { branch: plan.branch });
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'already', tip: theirs });
    expect(await tipOf(plan.branch)).toBe(theirs);
  });

  test("a person's commit below ours is reported, kept, and the change moves on top of it", async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    const theirs = await run.server.commit(
      slug,
      { 'other.md': 'y\n' },
      { branch: plan.branch, message: 'Mine\n\nBy hand', author: 'Grace <grace@example.com>' },
    );
    const result = await run.gitClient.push(access, plan);
    expect(result).toEqual({
      kind: 'moved',
      tip: theirs,
      commits: [{ hash: theirs, author: 'Grace', email: 'grace@example.com', message: 'Mine\n\nBy hand' }],
    });
    expect(await tipOf(plan.branch)).toBe(theirs);

    const moved = await run.gitClient.reapply(access, { patch: plan.patch, onto: theirs, limits });
    if (moved.kind !== 'applied') throw new Error('The change did not fit.');
    expect(moved.change.files.map(({ path }) => path)).toEqual(['page.md']);
    const again = planFor(theirs, moved.change.patch);
    const { commit } = await run.gitClient.makeCommit(access, again);
    expect(
      await run.gitClient.push(access, { ...again, branch: plan.branch, commit, expected: theirs }),
    ).toEqual({ kind: 'pushed' });
    expect(await run.server.read(slug, plan.branch, 'page.md')).toContain('line twenty');
    expect(await run.server.read(slug, plan.branch, 'other.md')).toBe('y\n');
    expect((await run.server.log(slug, plan.branch)).map(({ hash }) => hash).slice(0, 3)).toEqual([
      commit,
      theirs,
      first.commit,
    ]);
  });

  test('a person who pushes while git is talking to the server is not overwritten', async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    let theirs = '';
    const before = async () => {
      theirs = await run.server.commit(slug, { 'other.md': 'y\n' }, { branch: plan.branch });
    };
    run.server.faults.push({ on: /^POST .*git-receive-pack/, before });
    expect(await run.gitClient.push(access, plan)).toMatchObject({ kind: 'moved', tip: theirs });
    expect(await tipOf(plan.branch)).toBe(theirs);
  });

  test('a change to the same lines is a conflict, with the files named', async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    const onto = await run.server.commit(
      slug,
      { 'page.md': text.replace('line 20\n', 'line XX\n') },
      { branch: plan.branch },
    );
    expect(await run.gitClient.reapply(access, { patch: plan.patch, onto, limits })).toEqual({
      kind: 'conflict',
      paths: ['page.md'],
    });
    const gone = await run.server.commit(slug, { 'page.md': null }, { branch: plan.branch });
    expect(await run.gitClient.reapply(access, { patch: plan.patch, onto: gone, limits })).toEqual({
      kind: 'conflict',
      paths: ['page.md'],
    });
  });

  test('lines that moved meanwhile are no conflict, and a change that is there already is no change', async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    const shifted = text.replace('line 3\n', 'line three\n').replace('line 10\n', 'a\nb\nc\nline 10\n');
    const onto = await run.server.commit(slug, { 'page.md': shifted }, { branch: plan.branch });
    const moved = await run.gitClient.reapply(access, { patch: plan.patch, onto, limits });
    expect(moved).toMatchObject({
      kind: 'applied',
      change: { files: [{ path: 'page.md', additions: 1, deletions: 1 }] },
    });
    const same = await run.server.commit(
      slug,
      { 'page.md': text.replace('line 20\n', 'line twenty\n').replace('line 3\n', 'line three\n') },
      { branch: plan.branch },
    );
    expect(await run.gitClient.reapply(access, { patch: plan.patch, onto: same, limits })).toMatchObject({
      kind: 'applied',
      change: { files: [] },
    });
  });

  test('a branch that was forced to something else is left alone', async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    const forced = await run.server.commit(slug, { 'other.md': 'forced\n' }, { branch: 'elsewhere' });
    await run.server.git(slug, ['update-ref', `refs/heads/${plan.branch}`, forced]);
    expect(await run.gitClient.push(access, plan)).toMatchObject({ kind: 'replaced', tip: forced });
    expect(await tipOf(plan.branch)).toBe(forced);
  });

  test('a branch that was deleted is reported, and made anew only when told so', async () => {
    const first = await pushedTurn();
    const plan = await followUp(first);
    await run.server.git(slug, ['update-ref', '-d', `refs/heads/${plan.branch}`]);
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'deleted' });
    expect(await tipOf(plan.branch)).toBeUndefined();
    expect(await run.gitClient.push(access, { ...plan, expected: null })).toEqual({ kind: 'pushed' });
  });

  test('of two runners that made different commits for one turn only the first gets through', async () => {
    const { plan } = await runTurn(run.gitClient, access, edit, { name: 'job_race' });
    const late = await runTurn(
      run.gitClient,
      access,
      (tree) => writeFile(join(tree.root, 'page.md'), 'late\n'),
      {
        name: 'job_race',
      },
    );
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
    const result = await run.gitClient.push(access, late.plan);
    expect(result).toMatchObject({
      kind: 'moved',
      tip: plan.commit,
      commits: [{ hash: plan.commit, message: 'Improve the page' }],
    });
    expect(await tipOf(plan.branch)).toBe(plan.commit);
  });

  test('two runners that push the same commit at once both find it pushed', async () => {
    const { plan } = await runTurn(run.gitClient, access, edit);
    const other = await startGitClient();
    try {
      const push = (runner: TestGitClient) =>
        runner.push(access, plan).catch((error: { passing: boolean }) => {
          expect(error.passing).toBe(true);
          return runner.push(access, plan);
        });
      const results = await Promise.all([push(run.gitClient), push(other), push(run.gitClient)]);
      for (const { kind } of results) expect(['pushed', 'already']).toContain(kind);
      expect(await tipOf(plan.branch)).toBe(plan.commit);
    } finally {
      await other.remove();
    }
  });
});
