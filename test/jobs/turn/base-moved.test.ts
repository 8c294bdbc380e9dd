import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import { startProcess } from '../../support/child.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import {
  eventsOf,
  finish,
  type JobRun,
  obey,
  prepareDataDir,
  runJob,
  sendMessage,
  slug,
  startJobRun,
  startOutside,
  until,
} from '../../support/jobs/job-run.ts';
import { jobClient } from '../../support/jobs/jobs.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';
import { kill } from '../../support/jobs/moments.ts';

const lines = (...texts: string[]) => `${texts.join('\n')}\n`;
const guide = lines('# Guide', '', 'one', '', 'two', '', 'three', '', 'four', '', 'five');
const files = { 'index.md': '# Site\n', 'guide.md': guide };
const branchOf = (id: string) => `headcount/${id}`;
const textOf = (body: Record<string, unknown>) => JSON.stringify(body.messages);

const ours = (line: 'one' | 'two') => guide.replace(line, `${line} of ours`);

/** A job whose branch has changed that line of guide.md. */
async function begin(options: Parameters<typeof startCommentedJob>[0] = {}, line: 'one' | 'two' = 'two') {
  const { run, job } = await startCommentedJob({ files, ...options }, `write guide.md ${ours(line).trim()}`);
  return { run, id: job.id };
}

async function say({ jobs }: JobRun, id: string, prompt: string) {
  await sendMessage(jobs, id, prompt);
  return await finish(jobs, id);
}

async function parentsOf({ forge }: Pick<JobRun, 'forge'>, id: string): Promise<string[]> {
  return (await forge.git.log(slug, branchOf(id)))[0]?.parents ?? [];
}

const tips = async ({ forge }: Pick<JobRun, 'forge'>, id: string) => {
  const refs = await forge.git.refs(slug);
  return { main: refs['refs/heads/main'], branch: refs[`refs/heads/${branchOf(id)}`] };
};

test.each(forgeKinds)(
  'where the base has changed the same lines, the agent brings both together in a merge at %s',
  async (kind) => {
    const asked: string[] = [];
    const script: Script = ({ body }) => {
      asked.push(textOf(body));
      return obey(body);
    };
    const { run, id } = await begin({ kind, script });
    await run.forge.git.commit(slug, { 'guide.md': guide.replace('two', 'two of theirs'), 'new.md': 'x\n' });
    const before = await tips(run, id);

    const both = guide.replace('two', 'two of both');
    const job = await say(run, id, `write guide.md ${both.trim()}`);

    expect(job.status).toBe('completed');
    expect(await parentsOf(run, id)).toEqual([before.branch, before.main]);
    expect(await run.forge.git.read(slug, branchOf(id), 'guide.md')).toBe(both);
    expect(await run.forge.git.files(slug, branchOf(id))).toContain('new.md');
    expect(asked.at(-1)).toContain('These files conflict');
    expect(asked.at(-1)).toContain(`<<<<<<< ${before.branch}`);
    const notes = (await eventsOf(run.jobs, id)).filter(({ type }) => type === 'note');
    expect(notes.map(({ data }) => data.message)).toEqual([
      'main has changed files that this branch changes, too (guide.md): it is merged into the branch, and the agent brings together guide.md.',
    ]);
    const [pull] = await run.forge.list(slug);
    expect(pull?.body).toContain('### Files\n\n- `guide.md` edited\n\n');
    expect(pull?.body).not.toContain('new.md');
    expect(pull?.comments.at(-1)).toContain('Merges `main`, which had changed the same files.');
    const [commit] = await run.forge.git.log(slug, branchOf(id));
    expect(commit?.message).toContain('Merges main, which had changed the same files.');
    await run.forge.merge(slug, 1);
    expect(await run.forge.git.read(slug, 'main', 'guide.md')).toBe(both);
  },
);

test('where the base has changed other lines of the same file, both edits are kept without anybody asking for it', async () => {
  const { run, id } = await begin({}, 'one');
  await run.forge.git.commit(slug, { 'guide.md': guide.replace('five', 'five of theirs') });
  const before = await tips(run, id);
  expect(await say(run, id, 'write index.md Hello.')).toMatchObject({ status: 'completed' });
  expect(await parentsOf(run, id)).toEqual([before.branch, before.main]);
  const merged = guide.replace('one', 'one of ours').replace('five', 'five of theirs');
  expect(await run.forge.git.read(slug, branchOf(id), 'guide.md')).toBe(merged);
  const [pull] = await run.forge.list(slug);
  expect(pull?.body).toContain('### Files\n\n- `guide.md` edited\n- `index.md` edited\n\n');
});

test('a turn that changes nothing leaves a base alone that can be merged without anybody', async () => {
  const { run, id } = await begin({}, 'one');
  await run.forge.git.commit(slug, { 'guide.md': guide.replace('five', 'five of theirs') });
  const before = await tips(run, id);
  expect(await say(run, id, 'look at it')).toMatchObject({ status: 'completed' });
  expect(await tips(run, id)).toEqual(before);
});

test('a base that has changed nothing of what the branch changes is not merged', async () => {
  const { run, id } = await begin();
  await run.forge.git.commit(slug, { 'index.md': 'theirs\n' });
  const { branch } = await tips(run, id);
  await say(run, id, 'write guide.md Hello again.');
  expect(await parentsOf(run, id)).toEqual([branch]);
});

test('an agent that leaves the marks of a conflict is told so, and then nothing of its turn is delivered', async () => {
  const { run, id } = await begin();
  await run.forge.git.commit(slug, { 'guide.md': guide.replace('two', 'two of theirs') });
  const before = await tips(run, id);
  const job = await say(run, id, 'write index.md Hello.');
  expect(job).toMatchObject({ status: 'failed', failure: { code: 'conflict' } });
  expect(job.failure?.message).toBe(
    'main and the branch of this job have changed the same lines of guide.md, and the agent did not bring both together: say in a message what is to stand there, or merge by hand.',
  );
  expect((await eventsOf(run.jobs, id)).filter(({ type }) => type === 'check')).toMatchObject([
    {
      data: {
        findings: ['guide.md still holds marks of a conflict, such as "<<<<<<<": bring both sides together.'],
      },
    },
  ]);
  expect(await tips(run, id)).toEqual(before);
  expect(await say(run, id, 'write guide.md both')).toMatchObject({ status: 'completed', failure: null });
  expect(await parentsOf(run, id)).toEqual([before.branch, before.main]);
});

test('a page that the base deleted and the branch changed is whatever the agent makes of it', async () => {
  const { run, id } = await begin();
  const tree = await run.forge.git.git(slug, ['mktree'], await listingWithout(run, 'guide.md'));
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const commit = await run.forge.git.git(slug, [
    ...who,
    ...['commit-tree', tree.trim(), '-p', 'main', '-m', 'Delete'],
  ]);
  await run.forge.git.git(slug, ['update-ref', 'refs/heads/main', commit.trim()]);
  await say(run, id, 'look at it');
  const before = await tips(run, id);
  expect((await parentsOf(run, id))[1]).toBe(before.main);
  expect(await run.forge.git.read(slug, branchOf(id), 'guide.md')).toBe(ours('two'));
});

async function listingWithout({ forge }: JobRun, path: string): Promise<string> {
  const listed = await forge.git.git(slug, ['ls-tree', 'main']);
  return listed
    .split('\n')
    .filter((line) => !line.endsWith(`\t${path}`))
    .join('\n');
}

test('a conflict in a file that agents may not change is left to people, who are told', async () => {
  const run = await startJobRun({ files: { ...files, 'package.json': '{}\n' } });
  const { id } = await runJob(run.jobs, 'write index.md Hello.');
  await run.forge.git.commit(slug, { 'package.json': '{"a":1}\n' }, { branch: branchOf(id) });
  await run.forge.git.commit(slug, { 'package.json': '{"b":1}\n' });
  const { branch } = await tips(run, id);
  expect(await say(run, id, 'write index.md Hello again.')).toMatchObject({ status: 'completed' });
  expect(await parentsOf(run, id)).toEqual([branch]);
  const note = (await eventsOf(run.jobs, id)).find(({ type }) => type === 'note');
  expect(note?.data.message).toBe(
    'main and this branch have changed the same lines of package.json, which an agent may not change: bring them together by hand. This turn goes on without that.',
  );
});

test('what the base brings is no change of the agent, and what the agent adds while it merges is checked', async () => {
  const mdx = lines('# Page', '', 'one');
  const run = await startJobRun({
    files: { 'page.mdx': mdx, 'index.md': '# Site\n', 'package.json': '{}\n' },
  });
  const { id } = await runJob(run.jobs, 'write page.mdx # Ours');
  const theirs = lines('import { Card } from "./card.js"', '', '# Theirs', '', '<Card />');
  await run.forge.git.commit(slug, { 'page.mdx': theirs, 'package.json': '{"theirs":1}\n' });
  const before = await tips(run, id);
  const stolen = await say(run, id, 'write page.mdx import x from "./stolen.js"');
  expect(stolen).toMatchObject({ status: 'failed', failure: { code: 'forbidden_change' } });
  expect((await tips(run, id)).branch).toBe(before.branch);
  const both = theirs.replace('# Theirs', '# Ours and theirs');
  expect(await say(run, id, `write page.mdx ${both.trim()}`)).toMatchObject({ status: 'completed' });
  expect(await parentsOf(run, id)).toEqual([before.branch, before.main]);
  expect(await run.forge.git.read(slug, branchOf(id), 'package.json')).toBe('{"theirs":1}\n');
});

test('people who push to the branch, and a base that goes on, while the agent merges lose nothing', async () => {
  const { run, id } = await begin({
    script: async ({ body, prompts, results }) => {
      if (prompts.at(-1)?.includes('both') && results.length === 2) {
        await run.forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch: branchOf(id) });
        await run.forge.git.commit(slug, { 'later.md': 'later\n' });
      }
      return obey(body);
    },
  });
  await run.forge.git.commit(slug, { 'guide.md': guide.replace('two', 'two of theirs') });
  const { main } = await tips(run, id);
  const both = guide.replace('two', 'two of both');
  expect(await say(run, id, `write guide.md ${both.trim()}`)).toMatchObject({ status: 'completed' });
  const [, second] = await parentsOf(run, id);
  expect(second).toBe(main);
  expect(await run.forge.git.read(slug, branchOf(id), 'guide.md')).toBe(both);
  expect(await run.forge.git.read(slug, branchOf(id), 'person.md')).toBe('mine\n');
  const [pull] = await run.forge.list(slug);
  expect(pull?.body).not.toContain('later.md');
  await run.forge.merge(slug, 1);
  expect(await run.forge.git.files(slug, 'main')).toEqual(['guide.md', 'index.md', 'later.md', 'person.md']);
});

test('a person who merges the base meanwhile, too, gets the turn on top of that', async () => {
  const script: Script = async ({ body, prompts, results }) => {
    if (prompts.at(-1)?.includes('Hello') && results.length === 2) await mergeByHand(run, id);
    return obey(body);
  };
  const { run, id } = await begin({ script }, 'one');
  await run.forge.git.commit(slug, { 'guide.md': guide.replace('five', 'five of theirs') });
  expect(await say(run, id, 'write index.md Hello.')).toMatchObject({ status: 'completed' });
  const [own, byHand] = await run.forge.git.log(slug, branchOf(id));
  expect(own?.parents).toEqual([byHand?.hash]);
  expect(byHand?.parents).toHaveLength(2);
  expect(await run.forge.git.read(slug, branchOf(id), 'index.md')).toBe('Hello.\n');
});

async function mergeByHand({ forge }: JobRun, id: string): Promise<void> {
  const ref = `refs/heads/${branchOf(id)}`;
  const tree = (await forge.git.git(slug, ['merge-tree', '--write-tree', ref, 'main'])).trim();
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const made = ['commit-tree', '-m', 'By hand', '-p', ref, '-p', 'main', tree];
  const commit = (await forge.git.git(slug, [...who, ...made])).trim();
  await forge.git.git(slug, ['update-ref', ref, commit]);
}

test('killed while the agent merges, and while the merge is pushed, the next process brings the same merge', async () => {
  let silent = '';
  const outside = await startOutside({
    files,
    script: ({ body, results }) => {
      const isLast = results.length > 1 && textOf(body).includes('of both');
      return isLast && silent === 'model' ? { hang: true } : obey(body);
    },
  });
  const { forge, model } = outside;
  const { dataDir, ...project } = await prepareDataDir(outside);
  const env = { ...outside.env, HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_JOB_LEASE: '2' };
  const start = async () => {
    const server = await startProcess(env);
    onTestFinished(() => kill(server));
    return { ...server, jobs: jobClient(server.url, project) };
  };
  const first = await start();
  const { id } = await runJob(first.jobs, `write guide.md ${guide.replace('two', 'two of ours').trim()}`);
  await forge.git.commit(slug, { 'guide.md': guide.replace('two', 'two of theirs') });
  const before = await tips(outside, id);
  silent = 'model';
  const asked = model.requests.length;
  const both = guide.replace('two', 'two of both');
  await sendMessage(first.jobs, id, `write guide.md ${both.trim()}`);
  await until(
    async () => model.requests.length,
    (length) => length === asked + 2,
  );
  await kill(first);
  silent = '';
  for (let i = 0; i < 40; i += 1) forge.git.faults.push({ on: /git-receive-pack/, status: 403 });
  const second = await start();
  expect(await finish(second.jobs, id)).toMatchObject({ status: 'failed', failure: { code: 'forbidden' } });
  // The write is not asked for again.
  expect(model.requests).toHaveLength(asked + 3);
  const committed = (await eventsOf(second.jobs, id)).findLast(({ data }) => data.phase === 'committed');
  await kill(second);
  forge.git.faults.length = 0;
  const mirrors = join(dataDir, 'jobs', 'mirrors');
  expect(await readdir(mirrors)).not.toEqual([]);
  await rm(mirrors, { recursive: true });
  const third = await start();
  await sendMessage(third.jobs, id, 'look at it');
  expect(await finish(third.jobs, id)).toMatchObject({ status: 'completed' });
  expect((await tips(outside, id)).branch).toBe(committed?.data.commit);
  expect(await parentsOf(outside, id)).toEqual([before.branch, before.main]);
  expect(await forge.git.read(slug, branchOf(id), 'guide.md')).toBe(both);
});
