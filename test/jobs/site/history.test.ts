import { expect, test } from 'vitest';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { type ToolCall, write } from '../../support/jobs/agent/tool-calls.ts';
import { eventsOf, finish, sendMessage, slug, startJobRun } from '../../support/jobs/job-run.ts';

const look = (tool: string, input: object = {}): ToolCall => ({ tool, input: { ...input } });

async function answersOf(jobs: Parameters<typeof eventsOf>[0], id: string): Promise<string[]> {
  const events = await eventsOf(jobs, id);
  return events.filter(({ type }) => type === 'tool').map(({ data }) => String(data.output));
}

test('an agent sees what was done before, as a list and one by one', async () => {
  const { jobs, forge } = await startJobRun({
    script: scripted,
    files: { 'a.md': 'One.\n', 'b.md': 'Two.\n' },
  });
  const changed = await forge.git.commit(
    slug,
    { 'a.md': 'Three.\n', 'plan.png': Buffer.from([0, 1, 2]) },
    { message: 'Say three\n\nAs it is so.', author: 'Eve\u202e <eve@example.com>' },
  );
  const secret = await forge.git.commit(slug, { 'c.md': 'Hidden.\n' }, { branch: 'secret' });
  const { job } = await runScripted(jobs, [
    look('log'),
    look('log', { path: 'b.md' }),
    look('diff', { commit: changed.slice(0, 10) }),
    look('diff', { commit: changed, path: 'b.md' }),
    look('diff', { commit: secret }),
    look('diff', { commit: 'HEAD~1' }),
  ]);
  const [log = '', ofFile, diff = '', ofOther, hidden, wrong] = await answersOf(jobs, job.id);
  expect(log.split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(`^${changed.slice(0, 10)} {2}\\d{4}-\\d\\d-\\d\\d {2}Eve {2}Say three$`),
    ),
    expect.stringContaining('Ada  Change'),
  ]);
  expect(ofFile?.split('\n')).toHaveLength(1);
  expect(diff).toContain('-One.\n+Three.');
  expect(diff).not.toContain('plan.png');
  expect(ofOther).toBe('Nothing was changed.');
  expect(hidden).toBe('This branch has no such commit. Use the log tool to find it.');
  expect(wrong).toContain('must be a hash');
});

test('an agent sees what its pull request changes, of earlier turns and of this one', async () => {
  const { jobs, forge } = await startJobRun({
    script: scripted,
    files: { 'a.md': 'One.\n', 'b.md': 'Two.\n' },
  });
  const first = await runScripted(jobs, [look('diff'), write('a.md', 'Three.\n'), look('diff')]);
  expect(await answersOf(jobs, first.job.id)).toEqual([
    'Nothing was changed.',
    expect.anything(),
    expect.stringContaining('-One.\n+Three.'),
  ]);
  await forge.git.commit(slug, { 'c.md': 'Of somebody else.\n' });
  const calls = [[write('b.md', 'Four.\n'), look('diff'), look('diff', { path: 'b.md' })]];
  await sendMessage(jobs, first.job.id, JSON.stringify(calls));
  await finish(jobs, first.job.id);
  const [, whole = '', part = ''] = (await answersOf(jobs, first.job.id)).slice(3);
  expect(whole).toContain('-One.\n+Three.');
  expect(whole).toContain('-Two.\n+Four.');
  expect(whole).not.toContain('somebody else');
  expect(part).toContain('-Two.\n+Four.');
  expect(part).not.toContain('Three');
});
