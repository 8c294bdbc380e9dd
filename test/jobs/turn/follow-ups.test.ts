import { expect, test } from 'vitest';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import { changeProject, finish, type JobRun, sendMessage, slug } from '../../support/jobs/job-run.ts';

test('a follow-up adds a commit to the same pull request, after those of people', async () => {
  const { run, job: first } = await startCommentedJob();
  const { jobs, forge } = run;
  const { id, prLink } = first;
  await forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch: `headcount/${id}` });
  await sendMessage(jobs, id, 'write b.md two');
  const job = await finish(jobs, id);

  expect(job).toMatchObject({ status: 'completed', prLink });
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.files(slug, `headcount/${id}`)).toEqual([
    'b.md',
    'index.md',
    'page.md',
    'person.md',
  ]);
  const log = await forge.git.log(slug, `headcount/${id}`);
  expect(log.map(({ author }) => author)).toEqual(['Headcount', 'Ada', 'Headcount', 'Ada']);
});

test('eight messages at once, as a turn ends, are all worked off in order', async () => {
  const { run, job: first } = await startCommentedJob();
  const { jobs, forge } = run;
  const { id } = first;
  await sendMessage(jobs, id, 'write page-1.md 1');
  const rest = Array.from({ length: 8 }, (_, i) => i + 2);
  await Promise.all(rest.map((n) => sendMessage(jobs, id, `write page-${n}.md ${n}`)));
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  const log = await forge.git.log(slug, `headcount/${id}`);
  const turns = log.map(({ message }) => /Headcount-Turn: (\d+)/.exec(message)?.[1]);
  expect(turns).toEqual([...Array.from({ length: 10 }, (_, i) => String(9 - i)), undefined]);
  expect(await forge.list(slug)).toHaveLength(1);
});

const ends: [string, (run: JobRun, branch: string) => Promise<unknown>][] = [
  ['merged', ({ forge }) => forge.merge(slug, 1)],
  ['merged with its branch deleted', ({ forge }) => forge.merge(slug, 1, { deleteBranch: true })],
  ['closed', ({ forge }) => forge.decline(slug, 1)],
  [
    'gone with its branch',
    ({ forge }, branch) => forge.git.git(slug, ['update-ref', '-d', `refs/heads/${branch}`]),
  ],
];

test.each(ends)(
  'after a pull request was %s, a follow-up opens a new one from the base',
  async (_how, end) => {
    const { run, job: first } = await startCommentedJob();
    const { jobs, forge } = run;
    await end(run, `headcount/${first.id}`);
    const main = (await forge.git.refs(slug))['refs/heads/main'];
    await sendMessage(jobs, first.id, 'write b.md two');
    const job = await finish(jobs, first.id);

    expect(job.status).toBe('completed');
    expect(job.prLink).not.toBe(first.prLink);
    const pulls = await forge.list(slug);
    expect(pulls.map(({ head }) => head)).toEqual([`headcount/${job.id}-2`, `headcount/${job.id}`]);
    const [commit] = await forge.git.log(slug, `headcount/${job.id}-2`);
    expect(commit?.parents).toEqual([main]);
  },
);

test('a job whose project moved to another repository does not take its token along', async () => {
  const { run, job } = await startCommentedJob();
  const { jobs, forge } = run;
  await changeProject(run, { repository: `${forge.git.origin}/ada/other.git` });
  const before = forge.git.requests.length;
  await sendMessage(jobs, job.id, 'write b.md two');

  expect(await finish(jobs, job.id)).toMatchObject({ status: 'failed' });
  // The code host that both are at is asked whether they are one, and git nothing.
  const asked = forge.git.requests.slice(before);
  expect(
    asked.map((request) => JSON.stringify(request)).filter((text) => /upload-pack|receive-pack/.test(text)),
  ).toEqual([]);
});
