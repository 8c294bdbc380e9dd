import { describe, expect, test } from 'vitest';
import { type ForgeKind, forgeKinds } from '../../../shared/jobs/forge.ts';
import { acting } from '../../support/jobs/acting.ts';
import { oldPages, startActingJob } from '../../support/jobs/acting-job.ts';
import { eventsOf, finish, runJob, sendMessage, slug, startJobRun } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

/** A job whose first turn ends at its limit of steps. */
async function unfinished(kind: ForgeKind) {
  let steps = 0;
  const script: Script = (request, index) => {
    steps += 1;
    if (steps > 2) return acting(request, index);
    return { calls: [{ tool: 'write', input: { path: `${steps}.md`, content: 'x\n' } }] };
  };
  const run = await startJobRun({ kind, script, agentLimits: { steps: 2 }, project: { draft: false } });
  const job = await runJob(run.jobs, 'improve the site');
  const [pull] = await run.forge.list(slug);
  if (!pull) throw new Error('Nothing was opened.');
  return { ...run, job, pull };
}

test.each(forgeKinds)(
  'the title of a pull request on %s is about what is left, and it and a draft stay as a person has made them',
  async (kind) => {
    const { run, job } = await startActingJob({ kind });
    const { jobs, forge } = run;
    const { id } = job;
    const [pull] = await forge.list(slug);
    if (!pull) throw new Error('Nothing was opened.');
    await sendMessage(jobs, id, 'a.md=old b.md=limits | docs: say what the limits are | Names them.');
    await finish(jobs, id);
    expect(pull.title).toBe('docs: say what the limits are');
    expect(pull.body).toMatch(/^Names them\.\n\n### Files\n\n- `b.md` edited\n\n/);
    expect(pull.body.split('### Request')[0]).not.toContain('Says it.');

    const marks = { gitlab: '[Draft] ', gitea: '[WIP] ', github: '', bitbucket: '' };
    Object.assign(pull, { draft: true, title: `${marks[kind]}${pull.title}` });
    await sendMessage(jobs, id, 'a.md=tokens | docs: say what the tokens are | Names more.');
    await finish(jobs, id);
    expect(pull).toMatchObject({ draft: true, title: `${marks[kind]}docs: say what the limits are` });
    expect(pull.body).toContain('Names more.');

    pull.title = `${marks[kind]}Keys, at last`;
    for (const text of ['limits', 'quotas']) {
      await sendMessage(jobs, id, `a.md=${text} | docs: say what the ${text} are | Says ${text}.`);
      await finish(jobs, id);
    }
    expect(pull.title).toBe(`${marks[kind]}Keys, at last`);
    expect(pull.body).toContain('Says quotas.');
    expect(forge.violations).toEqual([]);
  },
);

describe.each(forgeKinds)('a pull request on %s that a limit left unfinished', (kind) => {
  test('is a draft until a message finishes it, and then no longer called unfinished', async () => {
    const { jobs, job, pull, forge } = await unfinished(kind);
    expect(pull).toMatchObject({ draft: true, body: expect.stringContaining('**Not finished.**') });
    await sendMessage(jobs, job.id, '3.md=x | Add three pages | All of them.');
    expect(await finish(jobs, job.id)).toMatchObject({ status: 'completed' });
    expect(pull).toMatchObject({ draft: false, title: 'Add three pages' });
    expect(pull.body).toMatch(/^All of them\.\n/);
    expect(forge.violations).toEqual([]);
  });

  test('stays ready for review where a person has made it so', async () => {
    const { jobs, job, pull } = await unfinished(kind);
    Object.assign(pull, { draft: false, title: pull.title.replace(/^(?:Draft|WIP): /, '') });
    await sendMessage(jobs, job.id, '3.md=x | Add three pages | All of them.');
    await finish(jobs, job.id);
    expect(pull).toMatchObject({ draft: false, title: 'Add three pages' });
  });
});

test('where the draft state cannot be changed, title and text are, and the transcript says so', async () => {
  const { jobs, forge, job, pull } = await unfinished('github');
  forge.git.faults.push({ on: /^POST \/api\/graphql/, status: 403 });
  await sendMessage(jobs, job.id, '3.md=x | Add three pages | All of them.');
  expect(await finish(jobs, job.id)).toMatchObject({ status: 'completed' });
  expect(pull).toMatchObject({ draft: true, title: 'Add three pages' });
  const notes = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'note');
  expect(notes.map(({ data }) => data.message)).toEqual([
    expect.stringContaining('could not get its new title and text'),
  ]);
});

test('a title is about what is left, also within one page', async () => {
  const { run, job } = await startActingJob();
  const { jobs, forge } = run;
  const { id } = job;
  await sendMessage(jobs, id, 'a.md=limits | docs: say what the limits are | Names them.');
  await finish(jobs, id);
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('docs: say what the limits are');
  expect(pull?.body).toMatch(/^Names them\./);
});

test('a title is the one that the agent gives to the whole of it', async () => {
  const { run, job } = await startActingJob();
  const { jobs, forge, model } = run;
  const { id } = job;
  const more =
    'b.md=limits | docs: name the limits | Names them. | Pull request: docs: explain keys and limits';
  await sendMessage(jobs, id, more);
  await finish(jobs, id);
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('docs: explain keys and limits');
  expect(pull?.body).toContain('Says it.\n\n**docs: name the limits**\n\nNames them.\n\n### Files');
  expect(JSON.stringify(model.requests.at(-1)?.prompts)).toContain(
    'Its title is \\"docs: say when to send keys\\"',
  );
});

test('a title stays while a later message only says the same in other words', async () => {
  const { jobs, forge } = await startJobRun({ files: oldPages, script: acting });
  const { id } = await runJob(jobs, 'a.md=keys_are_sent_daily | docs: say when keys are sent | Says it.');
  await sendMessage(jobs, id, 'a.md=keys_are_sent_daily.md=x b.md=limits | docs: be exact | At nine.');
  await finish(jobs, id);
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('docs: say when keys are sent');
});

test('where all was taken back, the text says that nothing is left', async () => {
  const { run, job } = await startActingJob();
  const { jobs, forge } = run;
  const { id } = job;
  await sendMessage(jobs, id, 'a.md=old | Take back the keys | They are not sent.');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('Take back the keys');
  expect(pull?.body).toMatch(/^\*\*Nothing is left of this\.\*\*/);
});

test('a text names the models that answered, in each turn, and not the one of the settings', async () => {
  let isDown = true;
  const script: Script = (request, index) =>
    isDown && request.body.model === 'gpt-scripted' ? { status: 503, body: {} } : acting(request, index);
  const project = { fallbackModel: 'openai/gpt-other' };
  const { jobs, forge } = await startJobRun({ files: oldPages, script, project });
  const { id } = await runJob(jobs, 'a.md=keys | docs: say when to send keys | Says it.');
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('Made by a Headcount agent (`openai/gpt-other`) in job');
  isDown = false;
  await sendMessage(jobs, id, 'b.md=limits | docs: name the limits | Names them.');
  await finish(jobs, id);
  expect(pull?.body).toContain(
    'Made by a Headcount agent (`openai/gpt-other`, `openai/gpt-scripted`) in job',
  );
});
