import { describe, expect, test } from 'vitest';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { edit, write } from '../../support/jobs/agent/tool-calls.ts';
import { docsSites } from '../../support/jobs/docs-sites.ts';
import { slug, startJobRun } from '../../support/jobs/job-run.ts';

const { mintlify } = docsSites;

test('what a change broke goes back to the model, and what it leaves stands in the pull request', async () => {
  const { jobs, forge } = await startJobRun({ script: scripted, files: mintlify });
  const broken = write('index.mdx', '---\ntitle: Start\n---\n\nWait <10ms.\n');
  const {
    job,
    findings: rounds,
    left,
  } = await runScripted(jobs, [broken], [write('index.mdx', 'See [it](/nowhere).\n')]);
  expect(rounds).toEqual([
    [expect.stringMatching(/^index\.mdx:5: it does not compile as MDX: "Unexpected character `1`/)],
    ['index.mdx:1: the link to "/nowhere" leads to no page or file of the site.'],
  ]);
  expect(left).toEqual(rounds[1]);
  expect(job.status).toBe('completed');
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('### Left to put right');
  expect(pull?.body).toContain('index.mdx:1: the link to "/nowhere" leads to no page or file of the site.');
});

test('a model is told three times, and not again where it changed nothing since', async () => {
  const { jobs, model } = await startJobRun({ script: scripted, files: mintlify });
  const links = [1, 2, 3, 4, 5].map((n) => [write('index.mdx', `[${n}](/nowhere-${n})\n`)]);
  const stubborn = await runScripted(jobs, ...links);
  expect(stubborn.findings).toHaveLength(3);
  expect(stubborn.left).toEqual([
    'index.mdx:1: the link to "/nowhere-4" leads to no page or file of the site.',
  ]);
  const before = model.requests.length;
  const sure = await runScripted(jobs, [write('index.mdx', '[1](/nowhere)\n')]);
  expect(sure.findings).toHaveLength(1);
  expect(sure.left).toEqual(sure.findings[0]);
  expect(model.requests.length - before).toBe(3);
});

test('what is sound is delivered without a word', async () => {
  const { jobs, forge } = await startJobRun({ script: scripted, files: mintlify });
  const page =
    '---\ntitle: Start\n---\n\n<Note>See [keys](/api/keys#rotating-keys) and ![a plan](/images/plan.png).</Note>\n';
  const { findings: rounds, left } = await runScripted(jobs, [write('index.mdx', page)]);
  expect([rounds, left]).toEqual([[], []]);
  const [pull] = await forge.list(slug);
  expect(pull?.body).not.toContain('Left to put right');
});

test('what was broken before is nobody’s fault now', async () => {
  const broken = {
    'guides/old.mdx':
      '---\ntitle: Old\n---\n\nWait <10ms, see [nothing](/nowhere) and [this](/api/keys#nothing).\n',
    'data.json': '{"a": }\n',
  };
  const { jobs } = await startJobRun({
    script: scripted,
    files: { ...mintlify, ...broken },
    project: { agentPaths: ['data.json'] },
  });
  const { findings: rounds } = await runScripted(jobs, [
    edit('guides/old.mdx', 'Wait', 'Please wait'),
    write('data.json', '{"b": }\n'),
  ]);
  expect(rounds).toEqual([]);
});

describe('no alarm is raised by what a framework does', () => {
  test.each(Object.entries(docsSites))('%s', async (_name, files) => {
    const { jobs } = await startJobRun({ script: scripted, files });
    // The same bytes in new files: all that is in them is the change's.
    const pages = Object.entries(files).filter(([path]) => /\.(mdx?|rst)$/.test(path));
    const again = pages.map(([path, text]) => write(path, `${String(text)}\nOne more line.\n`));
    const { job, findings: rounds } = await runScripted(jobs, again);
    expect([job.status, rounds]).toEqual(['completed', []]);
  });
});

test('pages that are made to take long or much end the checks, and nothing else', async () => {
  const hostile = {
    'aliases.md': `---\n${unfolding}\n---\n`,
    'backticks.md': Array.from({ length: 500 }, (_, n) => '`'.repeat(n)).join(' '),
    'brackets.mdx': '['.repeat(200_000),
    'emphasis.mdx': '*a **b '.repeat(40_000),
    // No machine is through with it in time: the compiler takes as long as the square of its length.
    'links.mdx': '[a](b '.repeat(60_000),
    'tags.mdx': '<a>'.repeat(60_000),
  };
  const files = Object.fromEntries(
    Object.entries(hostile).map(([path, text]) => [path, `${text}\n\nEnd.\n`]),
  );
  const { jobs, forge } = await startJobRun({
    script: scripted,
    files: { ...mintlify, ...files },
    agentLimits: { checkMs: 3_000 },
  });
  const edits = Object.keys(files).map((path) => edit(path, 'End.', 'The end.'));
  const { job } = await runScripted(jobs, edits);
  expect(job.status).toBe('completed');
  const [pull] = await forge.list(slug);
  expect(pull?.body).toContain('Not everything could be checked, as they took longer than 3 seconds.');
});

/** Of a few lines, gigabytes. */
const unfolding = Array.from(
  { length: 30 },
  (_, n) => `a${n}: &a${n} [${n === 0 ? 'x' : `*a${n - 1}, *a${n - 1}`}]`,
).join('\n');
