import { expect, test } from 'vitest';
import { acting } from '../../support/jobs/acting.ts';
import { eventsOf, finish, runJob, sendMessage, slug, startJobRun } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

const files = { 'index.md': '# Site\n', 'a.md': 'old\n', 'b.md': 'old\n', 'c.md': 'old\n' };

/** Changes a.md, and says one thing after the other. */
const saying =
  (...summaries: string[]): Script =>
  (_request, index) => {
    const summary = summaries[Math.min(index, summaries.length) - 1];
    return summary === undefined
      ? { calls: [{ tool: 'write', input: { path: 'a.md', content: 'new\n' } }] }
      : { text: summary };
  };

test('what a summary claims and the change lacks goes back to the agent once', async () => {
  const untrue = 'Say what keys are\n\nUpdates a.md and b.md. All tests pass.';
  const script = saying(untrue, 'Say what keys are\n\nUpdates a.md.');
  const { jobs, forge, model } = await startJobRun({ files, script });
  const { id } = await runJob(jobs, 'Say what keys are.');
  expect(model.requests).toHaveLength(3);
  const told = model.requests[2]?.prompts.at(-1);
  expect(told).toContain('"Updates a.md and b.md.": b.md is not changed.');
  expect(told).toContain('"All tests pass.": Nothing can be run or opened here');
  const [pull] = await forge.list(slug);
  expect(pull).toMatchObject({
    title: 'Say what keys are',
    body: expect.stringMatching(/^Updates a\.md\.\n/),
  });
  expect(pull?.body).not.toContain('Shortened');
  const checks = (await eventsOf(jobs, id)).filter(({ type }) => type === 'check');
  expect(checks.map(({ data }) => data.findings)).toEqual([
    [expect.stringContaining('b.md is not changed'), expect.stringContaining('Nothing can be run')],
  ]);
});

test('what is still untrue then is left out, and pull request and transcript say so', async () => {
  const untrue = 'Rename b.md\n\nUpdates a.md. Updates c.md, too. It says why.';
  const { jobs, forge, model } = await startJobRun({ files, script: saying(untrue) });
  const { id, status, branch } = await runJob(jobs, 'Say what keys are.');
  expect(status).toBe('completed');
  expect(model.requests).toHaveLength(3);
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('Change a.md');
  expect(pull?.body).toMatch(
    /^Updates a\.md\. It says why\.\n\n> \*\*Shortened\.\*\* 2 sentences of the agent were left out/,
  );
  const [commit] = await forge.git.log(slug, String(branch));
  expect(commit?.message).toMatch(/^Change a\.md\n\nUpdates a\.md\. It says why\.\n\nHeadcount-Job/);
  const notes = (await eventsOf(jobs, id)).filter(({ type }) => type === 'note');
  expect(notes.map(({ data }) => data.message)).toEqual([
    'Left out of what the agent says of its change: "Rename b.md". b.md is not changed.',
    'Left out of what the agent says of its change: "Updates c.md, too.". c.md is not changed.',
  ]);
});

test('a summary that says what is so is asked about nothing', async () => {
  const summary = 'Say what keys are\n\nUpdates a.md, as b.md says (b.md:1). Leaves c.md unchanged.';
  const { jobs, forge, model } = await startJobRun({ files, script: saying(summary) });
  await runJob(jobs, 'Say what keys are.');
  expect(model.requests).toHaveLength(2);
  expect((await forge.list(slug))[0]?.body).toContain('Leaves c.md unchanged.');
});

test('what a later message takes back is no longer claimed', async () => {
  const { jobs, forge } = await startJobRun({ files, script: acting });
  const { id } = await runJob(
    jobs,
    'a.md=x b.md=y | Explain keys | Updates a.md. Updates b.md. | Both name keys.',
  );
  await sendMessage(jobs, id, 'b.md=old c.md=z | Explain limits | In c.md alone.');
  await finish(jobs, id);
  const [pull] = await forge.list(slug);
  expect(pull?.title).toBe('Explain keys');
  expect(pull?.body).toMatch(/^Updates a\.md\.\n\nBoth name keys\.\n\n\*\*Explain limits\*\*/);
});
