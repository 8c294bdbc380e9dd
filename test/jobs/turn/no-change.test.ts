import { expect, test } from 'vitest';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import { startCommentedJob } from '../../support/jobs/commented-job.ts';
import {
  eventsOf,
  finish,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

const why = 'https://example.com/1 does this already.';

/** Does what it is asked; a page that is asked for again it writes, and then says that it should not be. */
function carefully(told: string[]): Script {
  return ({ body, prompts, results }) => {
    told.push(JSON.stringify(body.messages));
    const isAgain = prompts.at(-1)?.includes('again');
    return isAgain && results.length > 0 ? { text: `**No change:** ${why}` } : obey(body);
  };
}

test.each(forgeKinds)(
  'a job knows what others have proposed and what people declined, and may say that nothing is to be changed, at %s',
  async (kind) => {
    const told: string[] = [];
    const { run, job: open } = await startCommentedJob({ kind, script: carefully(told) });
    const { jobs, forge } = run;
    const declined = await runJob(jobs, 'write declined.md Hello.');
    await forge.decline(slug, 2);
    const job = await runJob(jobs, 'write page.md again');

    const rest = { status: 'completed', prLink: null, branch: null, failure: null };
    expect(job).toMatchObject({ ...rest, noChange: why });
    expect(open.noChange).toBeNull();
    const facts = told.at(-1) ?? '';
    const line = (state: string, link: string | null, asked: string) =>
      JSON.stringify(
        `- ${state}: "Write the page" ("${link}"). It changes "${asked.split(' ')[0]}". It was asked for so: "write ${asked}"`,
      ).slice(1, -1);
    expect(facts).toContain(line('open', open.prLink, 'page.md One.'));
    expect(facts).toContain(
      line('closed without being merged: people said no', declined.prLink, 'declined.md Hello.'),
    );
    expect((await eventsOf(jobs, job.id)).at(-1)).toMatchObject({
      type: 'completed',
      data: { changed: false, reason: why, message: `Nothing was changed. The agent says: ${why}` },
    });
    expect(await forge.list(slug)).toHaveLength(2);
    expect(Object.keys(await forge.git.refs(slug))).toHaveLength(3);
  },
);

test('what was merged is no longer told of, and a pull request says what others change as well', async () => {
  const told: string[] = [];
  const { jobs, forge } = await startJobRun({ script: carefully(told) });
  await runJob(jobs, 'write merged.md Hello.');
  await forge.merge(slug, 1);
  const open = await runJob(jobs, 'write page.md Hello.');
  expect(told.at(-1)).not.toContain('Other jobs have proposed');
  await runJob(jobs, 'write page.md Hello once more.');
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain(`\`page.md: ${open.prLink}, which is open, changes this, too.\``);
  expect(pull?.body).toContain('### Also changed elsewhere');
  expect(pull?.body).not.toContain('Left to put right');
});

test('a code host that does not tell of other pull requests keeps no job from its work, and the transcript says so', async () => {
  const { jobs, forge } = (await startCommentedJob()).run;
  forge.git.faults.push({ on: /^GET .*\/pulls\/1$/, status: 403 });
  const job = await runJob(jobs, 'write two.md Hello.');
  expect(job.status).toBe('completed');
  const note = (await eventsOf(jobs, job.id)).find(({ type }) => type === 'note');
  expect(note?.data.message).toContain('Not all pull requests of other jobs could be looked at: ');
});

test('a turn that finds nothing to change says why, and opens nothing', async () => {
  const { jobs, forge } = await startJobRun();
  const job = await runJob(jobs, 'look at it');
  expect(job).toMatchObject({ status: 'completed', prLink: null });
  expect((await eventsOf(jobs, job.id)).at(-1)?.data.message).toBe(
    'Nothing was changed. The agent says: Nothing to do\n\nThe page is fine.',
  );
  expect(await forge.list(slug)).toEqual([]);

  // The job itself says it, as long as nothing else came of it.
  const reason = 'Nothing to do\n\nThe page is fine.';
  expect(job.noChange).toBe(reason);
  await sendMessage(jobs, job.id, 'write a.md one');
  expect(await finish(jobs, job.id)).toMatchObject({ status: 'completed', noChange: null });
  await sendMessage(jobs, job.id, 'look again');
  expect(await finish(jobs, job.id)).toMatchObject({ noChange: reason, prLink: expect.any(String) });
  await jobs.archive(job.id);
  expect(await finish(jobs, job.id)).toMatchObject({ status: 'archived', noChange: reason });
});
