import { describe, expect, test } from 'vitest';
import { runScripted } from '../../support/jobs/agent/agent-run.ts';
import { inOrder, type Script } from '../../support/jobs/model/model-server.ts';

const pages = Array.from({ length: 12 }, (_, n) => `page-${n}.md`);
const manyCalls = { calls: pages.map((path) => ({ tool: 'write', input: { path, content: 'x\n' } })) };

interface Marked {
  messages: { content: { cache_control?: object }[] }[];
}

test('the end of each request is marked for the cache, and that of the request before it', async () => {
  const { server } = await runScripted(inOrder(manyCalls, manyCalls, { text: 'Done' }), {
    kind: 'anthropic',
  });
  const marks = server.requests.map(({ body }) =>
    (body as unknown as Marked).messages.flatMap(({ content }, index) =>
      content.some((part) => part.cache_control) ? [index] : [],
    ),
  );
  expect(marks).toEqual([[0], [0, 2], [2, 4]]);
});

test('requests of a job carry its key to OpenAI, which finds their beginning in its cache by it', async () => {
  const script = inOrder(manyCalls, { text: 'Done' });
  const { server } = await runScripted(script, { kind: 'responses', cacheKey: 'job_1' });
  expect(server.requests.map(({ body }) => body.prompt_cache_key)).toEqual(['job_1', 'job_1']);
});

test('they carry it to servers that copy its API, too, and no longer once one refuses it', async () => {
  const script = inOrder(manyCalls, { text: 'Done' });
  const copy = await runScripted(script, { kind: 'chat', cacheKey: 'job_1' });
  expect(copy.server.requests.map(({ body }) => body.prompt_cache_key)).toEqual(['job_1', 'job_1']);

  const refusing: Script = ({ body, results }) => {
    if (body.prompt_cache_key !== undefined)
      return { status: 400, body: { error: { message: 'Unrecognized request argument: prompt_cache_key' } } };
    return results.length > 0 ? { text: 'Done' } : manyCalls;
  };
  const { server, result, waits } = await runScripted(refusing, { kind: 'chat', cacheKey: 'job_1' });
  expect(result).toMatchObject({ status: 'done', summary: 'Done' });
  expect(server.requests.map(({ body }) => body.prompt_cache_key)).toEqual(['job_1', undefined, undefined]);
  expect(waits).toEqual([]);
});

test('a request begins with all of the one before it, also after calls side by side', async () => {
  const reads = {
    calls: Array.from({ length: 12 }, (_, n) => ({ tool: 'read', input: { path: `${n}.md` } })),
  };
  const { server } = await runScripted(inOrder(reads, reads, { text: 'Done' }), { kind: 'chat', files });
  const sent = server.requests.map(({ body }) =>
    (body.messages as unknown[]).map((one) => JSON.stringify(one)),
  );
  for (const [index, messages] of sent.entries()) {
    expect(messages.slice(0, sent[index - 1]?.length ?? 0)).toEqual(sent[index - 1] ?? []);
  }
});

const read = (index: number) => ({ calls: [{ tool: 'read', input: { path: `${index}.md` } }] });
const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`${n}.md`, `${n} ${'x'.repeat(1_900)}\n`]),
);

describe('a conversation that gets too long', () => {
  test('loses what tools gave long ago, and keeps the newest of it', async () => {
    const script: Script = (_request, index) => (index < 12 ? read(index) : { text: 'Done' });
    const { server, result, events } = await runScripted(script, {
      files,
      limits: { contextLength: 18_000 },
    });
    expect(result.status).toBe('done');
    const { results = [] } = server.requests.at(-1) ?? {};
    expect(results).toHaveLength(12);
    expect(results[0]).toContain('(left out)');
    expect(results.at(-1)).toContain('x'.repeat(1_900));
    for (const { body } of server.requests) {
      expect(JSON.stringify(body.messages).length).toBeLessThan(22_000);
    }
    expect(events.some(({ type }) => type === 'summary')).toBe(false);
  });

  test('is summed up where that is not enough, which an attempt after it goes on from', async () => {
    const script: Script = ({ prompts }, index) => {
      if (prompts.at(-1)?.includes('Sum up for yourself')) return { text: 'I have read some pages.' };
      return index < 8 ? read(index) : { text: 'Done' };
    };
    const limits = { contextLength: 9_000 };
    const { server, result, events, messages, site } = await runScripted(script, { files, limits });
    expect(result).toMatchObject({ status: 'done', summary: 'Done' });
    expect(events).toContainEqual({ type: 'summary', text: 'I have read some pages.' });
    const told = server.requests.filter(({ prompts }) => prompts.at(-1)?.includes('I have read some pages.'));
    expect(told[0]?.prompts[0]).toBe('Improve the page.');
    expect(told[0]?.results).toEqual([]);

    const usage = { steps: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, cost: null };
    const progress = { messages: messages.slice(0, -1), usage };
    const again = await runScripted(() => ({ text: 'Done' }), { site, limits, progress });
    expect(again.result.status).toBe('done');
    expect(again.server.requests[0]?.prompts.join()).toContain('I have read some pages.');
    expect(JSON.stringify(again.server.requests[0]?.body).length).toBeLessThan(
      JSON.stringify(messages).length,
    );
  });

  test('goes on where the model calls a tool in place of summing up, and knows where to look', async () => {
    const script: Script = ({ prompts }, index) => {
      if (prompts.at(-1)?.includes('Sum up for yourself')) return read(0);
      return index < 8 ? read(index) : { text: 'Done' };
    };
    const { server, result, events } = await runScripted(script, { files, limits: { contextLength: 9_000 } });
    expect(result).toMatchObject({ status: 'done', summary: 'Done' });
    const text = 'Nothing was summed up: the tool diff shows what was changed so far.';
    expect(events).toContainEqual({ type: 'summary', text });
    expect(server.requests.at(-1)?.prompts.join()).toContain(text);
  });
});
