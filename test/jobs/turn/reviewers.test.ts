import { describe, expect, test } from 'vitest';
import { type ForgeKind, forgeKinds } from '../../../shared/jobs/forge.ts';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import { addressOf } from '../../support/forge/comments.ts';
import { eventsOf, type JobRun, runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';

const commitAs = (login: string, files: Record<string, string>, message = 'Change') => ({
  files,
  message,
  author: `Somebody <${addressOf(login)}>`,
});

/** A job that changes a page, after some commits of people; with whom it had asked for a review. */
async function review(
  kind: ForgeKind,
  {
    owners,
    at = 'CODEOWNERS',
    commits = [],
    project = {},
    prompt = 'write docs/page.md New.',
    arrange,
  }: {
    owners?: string;
    at?: string;
    commits?: ReturnType<typeof commitAs>[];
    project?: Partial<ProjectSettings>;
    prompt?: string;
    arrange?: (run: JobRun) => void;
  },
) {
  const files = { 'docs/page.md': 'Old.\n', ...(owners !== undefined && { [at]: owners }) };
  const run = await startJobRun({ kind, files, project });
  arrange?.(run);
  for (const { files: changed, ...commit } of commits) await run.forge.git.commit(slug, changed, commit);
  const job = await runJob(run.jobs, prompt);
  expect(job.status).toBe('completed');
  const [pull] = await run.forge.list(slug);
  const notes = (await eventsOf(run.jobs, job.id)).filter(({ type }) => type === 'note');
  expect(run.forge.violations).toEqual([]);
  return { run, reviewers: pull?.reviewers, notes: notes.map(({ data }) => String(data.message)) };
}

describe('owners of what is changed are asked for a review', () => {
  test('as the base branch names them; those whom the code host does not know cost a sentence', async () => {
    const owners = '* @carol @ada @bert @acme/writers @grace\n';
    const { reviewers, notes } = await review('github', { owners, at: '.github/CODEOWNERS' });
    expect(reviewers).toEqual(['bert', 'team/writers']);
    expect(notes).toEqual([
      expect.stringMatching(/^The change is delivered, .*given to carol for a review: .*collaborators/),
      'Asked bert and acme/writers for a review.',
    ]);
  });

  test('on GitLab by their ids, if they may write; and one where the plan has no more', async () => {
    const arrange = ({ forge }: JobRun) => Object.assign(forge.options, { oneReviewer: true });
    const { reviewers, notes } = await review('gitlab', { owners: '* @mallory @bert @grace\n', arrange });
    expect(reviewers).toEqual(['bert']);
    expect(notes).toEqual([
      expect.stringContaining('could not be given to mallory for a review: mallory may not write'),
      expect.stringContaining('grace was not taken, as the plan of the project allows no more'),
      'Asked bert for a review.',
    ]);
  });

  test('on Bitbucket those are whom its default reviewers name', async () => {
    const arrange = ({ forge }: JobRun) => void forge.defaultReviewers.push('ada', 'helper[bot]', 'bert');
    expect(await review('bitbucket', { arrange })).toMatchObject({ reviewers: ['bert'] });
  });

  test('not twice where the code host has asked by itself, and two at most', async () => {
    const owners = '* @bert @acme/writers @acme/editors\n';
    const arrange = ({ forge }: JobRun) => void forge.asksByItself.push('bert');
    const { run, reviewers } = await review('github', { owners, arrange });
    expect(reviewers).toEqual(['bert', 'team/writers']);
    const asked = run.forge.requestsTo('github').filter((request) => /requested_reviewers/.test(request));
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['the project does not want it', { reviewers: 'off' }],
    ['it is a draft', { draft: true }],
  ] as const)('not where %s', async (_why, project) => {
    const { run, reviewers } = await review('github', { owners: '* @bert\n', project });
    expect(reviewers).toEqual([]);
    expect(run.forge.requestsTo('github').filter((one) => /requested_reviewers/.test(one))).toEqual([]);
  });
});

describe('who wrote a page last is asked where a project wants it', () => {
  const project = { reviewers: 'authors' } as const;

  test.each(forgeKinds)('at %s; never the own account, a program, a job, or who is unknown', async (kind) => {
    const page = (text: string) => ({ 'docs/page.md': text });
    const commits = [
      commitAs('bert', page('By Bert.\n')),
      commitAs('carol', page('By Carol, whom nobody knows there.\n')),
      commitAs('ada', page('By the account of the token.\n')),
      commitAs('grace', page('By a job.\n'), 'Change\n\nHeadcount-Job: job_1'),
      ...(kind === 'gitea' ? [] : [commitAs('helper[bot]', page('By a program.\n'))]),
      commitAs('mallory', { 'docs/other.md': 'Elsewhere.\n' }),
    ];
    const { reviewers, notes } = await review(kind, { commits, project });
    expect(reviewers).toEqual(['bert']);
    expect(notes).toEqual(['Asked bert for a review.']);
  });

  test('but not where the code host asks somebody by itself', async () => {
    const commits = [commitAs('bert', { 'docs/page.md': 'By Bert.\n' })];
    const arrange = ({ forge }: JobRun) => void forge.asksByItself.push('mallory');
    expect(await review('gitea', { commits, project, arrange })).toMatchObject({ reviewers: ['mallory'] });
  });

  test('nor where a rule names somebody, if only by a mail address', async () => {
    const commits = [commitAs('bert', { 'docs/page.md': 'By Bert.\n' })];
    const owners = '* nobody@example.com\n';
    expect(await review('gitlab', { commits, project, owners })).toMatchObject({ reviewers: [] });
  });
});
