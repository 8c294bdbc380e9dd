import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ErrorReply } from '../../../shared/reply.ts';
import { bodyOf } from '../../support/jobs/job-api.ts';
import {
  changeProject,
  eventsOf,
  finish,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

/** Of which a million tokens cost 2 dollars, 0.50 from the cache, and 8 where they are written. */
const priced = { model: 'openai/gpt-4.1' };
const using =
  (tokens: { input: number; output: number; cached?: number }): Script =>
  ({ body }) => ({ ...obey(body), tokens });

describe('costs', () => {
  test('are told where the price of the model is known, with those of the cache at their own price', async () => {
    const script = using({ input: 1_000, output: 10, cached: 400 });
    const { jobs } = await startJobRun({ script, project: priced });
    const job = await runJob(jobs, 'write page.md Hello.');

    // (600 × 2 + 400 × 0.5 + 10 × 8) / 1,000,000, twice
    const usage = { steps: 2, inputTokens: 2_000, outputTokens: 20, cachedTokens: 800, cost: 0.00296 };
    expect(job.usage).toEqual(usage);
    const events = await eventsOf(jobs, job.id);
    expect(events.at(-1)).toMatchObject({ type: 'completed', data: { usage } });
  });

  test('are those of the cache, too, where it costs something to put the conversation there', async () => {
    const tokens = { input: 1_000, output: 10, cached: 400, written: 500 };
    const write = { tool: 'write', input: { path: 'page.md', content: 'Hello.\n' } };
    const script: Script = ({ results }) => ({
      ...(results.length === 0 ? { calls: [write] } : { text: 'Write the page' }),
      tokens,
    });
    const { jobs } = await startJobRun({ script, project: { model: 'anthropic/claude-haiku-4-5-20251001' } });
    const { usage } = await runJob(jobs, 'write a page');
    // (100 × 1 + 400 × 0.1 + 500 × 1.25 + 10 × 5) / 1,000,000, twice
    expect(usage).toEqual({
      steps: 2,
      inputTokens: 2_000,
      outputTokens: 20,
      cachedTokens: 800,
      cost: 0.00163,
    });
  });

  test('end a turn that would go above what it may cost, and keep what it did', async () => {
    const script = using({ input: 600_000, output: 0 });
    const { jobs, forge } = await startJobRun({ script, project: { ...priced, turnCost: 1 } });
    const job = await runJob(jobs, 'write page.md Hello.');

    expect(job.failure?.code).toBe('money');
    expect(job.failure?.message).toContain('The agent cost $1.20 before it finished, and may cost $1.00.');
    expect(await forge.list(slug)).toMatchObject([{ draft: true }]);
  });

  test('of a month are bounded: no job and no message is taken once they are reached', async () => {
    const script = using({ input: 1_000, output: 10 });
    const { jobs } = await startJobRun({ script, project: { ...priced, monthlyBudget: 0.01 } });
    const key = { 'idempotency-key': 'one' };
    const first = await bodyOf<{ id: string }>(await jobs.create('write a.md one', key), 201);
    await finish(jobs, first.id);
    await runJob(jobs, 'write b.md two');
    const third = await runJob(jobs, 'write c.md three');
    expect(third.failure?.code).toBe('money');

    for (const refused of [
      await jobs.create('write d.md four'),
      await jobs.message(first.id, 'write e.md'),
    ]) {
      const { error } = await bodyOf<ErrorReply>(refused, 400);
      expect(error).toMatch(/^The \$0\.01 that jobs of this project may cost in a month are used up: raise/);
    }
    const again = await bodyOf<{ id: string }>(await jobs.create('write a.md one', key), 201);
    expect(again.id).toBe(first.id);
  });

  test('cannot be bounded where the price is not known, and a job is refused rather than run without a bound', async () => {
    const { jobs } = await startJobRun({ project: { monthlyBudget: 5 } });
    const { error } = await bodyOf<ErrorReply>(await jobs.create('write a.md one'), 400);
    expect(error).toContain('The price of openai/gpt-scripted is not known');
  });

  test('cannot be bounded either where the model that stands in has no known price', async () => {
    const project = { ...priced, fallbackModel: 'openai/gpt-scripted' };
    const run = await startJobRun({ project: { ...project, turnCost: 1 } });
    const { jobs } = run;
    const { error } = await bodyOf<ErrorReply>(await jobs.create('write a.md one'), 400);
    expect(error).toContain('The price of the fallback model openai/gpt-scripted is not known');
    await changeProject(run, { turnCost: null });
    expect(await runJob(jobs, 'write a.md one')).toMatchObject({ status: 'completed' });
  });

  test('of a month are shared by turns side by side: each ends once both have spent them', async () => {
    // Each answer costs 30 cents.
    const script: Script = async (_request, index) => {
      await pause(50);
      const write = { tool: 'write', input: { path: `page-${index}.md`, content: 'Hello.\n' } };
      return { calls: [write], tokens: { input: 150_000, output: 0 } };
    };
    const { jobs } = await startJobRun({ script, project: { ...priced, monthlyBudget: 1.5 } });
    const started = await Promise.all(
      ['one', 'two'].map(async (prompt) => await bodyOf<{ id: string }>(await jobs.create(prompt), 201)),
    );
    const ended = await Promise.all(started.map(({ id }) => finish(jobs, id)));
    expect(ended.map(({ failure }) => failure?.code)).toEqual(['money', 'money']);
    // Nobody knows what an answer costs before it has come.
    const cost = ended.reduce((sum, { usage }) => sum + (usage?.cost ?? 0), 0);
    expect(cost).toBeLessThan(1.5 + 2 * 0.31);
  });
});

describe('limits of a project', () => {
  test('on steps, hold in place of the usual ones', async () => {
    const { jobs } = await startJobRun({ project: { turnSteps: 1 } });
    const job = await runJob(jobs, 'write page.md Hello.');
    expect(job.failure).toMatchObject({ code: 'steps', message: expect.stringContaining('within 1 steps') });
  });

  test('on tokens, count those of the cache as what they cost', async () => {
    const cached = using({ input: 1_000, output: 0, cached: 1_000 });
    const { jobs, model } = await startJobRun({ script: cached, project: { ...priced, turnTokens: 600 } });
    expect(await runJob(jobs, 'write page.md Hello.')).toMatchObject({ status: 'completed' });
    expect(model.requests).toHaveLength(2);
  });
});

test('a model that is overloaded is followed by the one that stands in for it', async () => {
  const project = { ...priced, fallbackModel: 'openai/gpt-4.1-mini' };
  const script: Script = ({ body }) =>
    body.model === 'gpt-4.1' ? { status: 503 } : { ...obey(body), tokens: { input: 1_000, output: 10 } };
  const { jobs, model } = await startJobRun({ script, project });
  const { id, status } = await runJob(jobs, 'write page.md Hello.');
  expect(status).toBe('completed');
  expect(model.requests.map(({ body }) => body.model)).toEqual([
    ...['gpt-4.1', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-mini'],
  ]);
  const retries = (await eventsOf(jobs, id)).filter(({ type }) => type === 'retry');
  expect(retries.at(-1)?.data.message).toContain('openai/gpt-4.1-mini goes on.');
  await sendMessage(jobs, id, 'look at it');
  const job = await finish(jobs, id);
  // (1,000 × 0.4 + 10 × 1.6) / 1,000,000, three times
  expect(job.usage?.cost).toBe(0.001248);
});

test('a follow-up begins with all that was sent before, unless people have changed the files since', async () => {
  const { jobs, forge, model } = await startJobRun();
  const { id, branch } = await runJob(jobs, `write page.md ${'long '.repeat(500)}`);
  await sendMessage(jobs, id, 'look at it');
  await finish(jobs, id);
  const sent = model.requests.map(({ body }) => body.messages as unknown[]);
  expect(sent[2]?.slice(0, sent[1]?.length)).toEqual(sent[1]);

  await forge.git.commit(slug, { 'page.md': 'mine\n' }, { branch: String(branch) });
  await sendMessage(jobs, id, 'look again');
  await finish(jobs, id);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('(left out)');
});
