import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ModelKind, type RunOptions, runScripted } from '../../support/jobs/agent/agent-run.ts';
import { inOrder, type ModelReply } from '../../support/jobs/model/model-server.ts';
import type { ScriptedAnswer } from '../../support/jobs/model/model-shapes.ts';
import { atThisLoad } from '../../support/machine/load.ts';

const kinds: ModelKind[] = ['chat', 'compatible', 'responses', 'anthropic', 'google'];
const page = `# A long page\n\n${'One line of it, with “quotes” and 🦊.\n'.repeat(200)}`;
const write = (content: string) => ({ calls: [{ tool: 'write', input: { path: 'page.md', content } }] });
const done: ScriptedAnswer = { text: 'Write the page' };
const failed = vi.fn<(error: unknown) => void>();

beforeEach(() => void process.on('unhandledRejection', failed));
afterEach(() => {
  process.off('unhandledRejection', failed);
  expect(failed).not.toHaveBeenCalled();
  failed.mockReset();
});

const retries = ({ events }: Awaited<ReturnType<typeof run>>) =>
  events.flatMap((event) => (event.type === 'retry' ? [event.message] : []));

function run(replies: ModelReply[], options: RunOptions = {}) {
  return runScripted(inOrder(...replies, done), options);
}

test.each(kinds)('the whole answer arrives in pieces, with what it used (%s)', async (kind) => {
  const tokens = { input: 900, output: 90, cached: 300, written: 0 };
  const used = await run([{ text: 'First 🦊 the page.', ...write(page), tokens }], { kind });
  expect(used.result).toEqual({
    status: 'done',
    summary: 'Write the page',
    tokens: { input: 1_900, output: 190 },
  });
  expect(await used.site.read('page.md')).toBe(page);
  expect(used.server.requests.map(({ isStreamed }) => isStreamed)).toEqual([true, true]);
  expect(used.usages[0]).toMatchObject({ inputTokens: 900, outputTokens: 90, cachedTokens: 300 });
});

test('a page that takes longer to write than a model may be silent is written', async () => {
  const silenceLimits = { beginMs: 60_000, goOnMs: atThisLoad(300) };
  const stream = { pauseMs: silenceLimits.goOnMs / 6 };
  const slowly = await run([{ answer: write(page), stream }], { silenceLimits });
  expect(slowly.result).toMatchObject({ status: 'done' });
  expect(retries(slowly)).toEqual([]);
  expect(await slowly.site.read('page.md')).toBe(page);
});

test('a model that thinks for long is not silent while its server says that it is at work', async () => {
  const silenceLimits = { beginMs: 60_000, goOnMs: atThisLoad(300) };
  const reply = { answer: write(page), stream: { pauseMs: silenceLimits.goOnMs / 6, ping: true } };
  const thinking = await run([reply], { silenceLimits, kind: 'anthropic' });
  expect(thinking.result).toMatchObject({ status: 'done' });
  expect(retries(thinking)).toEqual([]);
});

test.each(kinds)('nothing of an answer that does not come to its end is done (%s)', async (kind) => {
  const calls = ['one.md', 'two.md'].map((path) => ({ tool: 'write', input: { path, content: page } }));
  // In the middle of the arguments, and after the first of two calls.
  const cut = (next: 'drop' | 'end' | 'hang') =>
    [0.35, 0.6].map((share) => ({ answer: { text: 'I write.', calls }, stream: { share, next } }));
  const silenceLimits = { beginMs: 60_000, goOnMs: atThisLoad(60) };
  const lost = await run([...cut('drop'), ...cut('end'), done], { kind });
  const silent = await run([...cut('hang'), done], { kind, silenceLimits });
  for (const { result, events, messages, site } of [lost, silent]) {
    expect(result).toMatchObject({ status: 'done', summary: 'Write the page' });
    expect(events.filter(({ type }) => type !== 'retry')).toEqual([{ type: 'text', text: 'Write the page' }]);
    expect(JSON.stringify(messages)).not.toContain('I write');
    await expect(site.read('one.md')).rejects.toThrow('ENOENT');
  }
  expect(retries(lost)).toEqual([
    expect.stringContaining('could not be reached (ECONNRESET)'),
    expect.stringContaining('could not be reached (ECONNRESET)'),
    expect.stringContaining('closed the connection in the middle of its answer'),
    expect.stringContaining('closed the connection in the middle of its answer'),
  ]);
  expect(retries(silent).join()).toMatch(
    /^(\S+ stopped sending for \d+ seconds in the middle of its answer\D+){2,}$/,
  );
});

test.each(['chat', 'compatible'] as const)(
  'an answer whose end has no reason is whole where the server says that it is done (%s)',
  async (kind) => {
    const unsaid = (answer: ScriptedAnswer): ModelReply => ({ answer, stream: 'no reason' });
    const whole = await runScripted(inOrder(unsaid(write(page)), unsaid(done)), { kind });
    expect(whole.result).toMatchObject({ status: 'done', summary: 'Write the page' });
    expect(await whole.site.read('page.md')).toBe(page);
    expect(retries(whole)).toEqual([]);
  },
);

const overloaded = 'Overloaded by others';
const errors: Record<ModelKind, { event?: string; data: object }> = {
  chat: { data: { error: { message: overloaded, type: 'server_error', code: null } } },
  compatible: { data: { error: { message: overloaded, type: 'server_error', code: null } } },
  responses: {
    event: 'response.failed',
    data: {
      type: 'response.failed',
      sequence_number: 9,
      response: { error: { code: 'server_error', message: overloaded } },
    },
  },
  anthropic: {
    event: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: overloaded } },
  },
  google: { data: { error: { code: 503, message: overloaded, status: 'UNAVAILABLE' } } },
};

test.each(kinds)('an error in the middle of an answer is the same as one in its place (%s)', async (kind) => {
  const fault = (share: number, more: object) => ({
    answer: write(page),
    stream: { share, next: { ...errors[kind], ...more } },
  });
  const passing = await run([fault(0, {}), fault(0.5, {}), done], { kind });
  expect(passing.result).toMatchObject({ status: 'done' });
  expect(retries(passing)).toEqual([
    expect.stringMatching(/is failing \(5\d\d\): Overloaded by others\./),
    expect.stringMatching(/is failing \(5\d\d\): Overloaded by others\./),
  ]);
});

test('an error in the middle of an answer that waiting does not heal ends the run', async () => {
  const message = "This model's maximum context length is 128000 tokens.";
  const data = { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } };
  for (const kind of ['chat', 'compatible'] as const) {
    const full = await run([{ answer: write(page), stream: { share: 0.5, next: { data } } }], { kind });
    expect(full.result).toMatchObject({ status: 'failed', failure: { code: 'context' } });
    expect(full.server.requests).toHaveLength(1);
  }
});

test.each(kinds)('a server that does not stream is asked for its answer in one piece (%s)', async (kind) => {
  const plain: ModelReply = { answer: done, stream: 'none' };
  const whole = await run([plain, write(page), plain], { kind });
  expect(whole.result).toMatchObject({ status: 'done', summary: 'Write the page' });
  expect(whole.server.requests.map(({ isStreamed }) => isStreamed)).toEqual([true, false, false]);
  expect(await whole.site.read('page.md')).toBe(page);
  expect(retries(whole)).toEqual([]);
});

test('a server that says it has no streams is asked for its answer in one piece', async () => {
  const message = 'Your organization must be verified to stream this model.';
  const body = { error: { message, type: 'invalid_request_error', param: 'stream' } };
  const whole = await run([{ status: 400, body }, write(page)], { kind: 'responses' });
  expect(whole.result).toMatchObject({ status: 'done' });
  expect(whole.server.requests.map(({ isStreamed }) => isStreamed)).toEqual([true, false, false]);
});

test('tokens are estimated where the server of a stream tells none', async () => {
  const untold = await run([{ ...write(page), tokens: null }], { kind: 'compatible' });
  expect(untold.server.requests[0]?.body.stream_options).toEqual({ include_usage: true });
  expect(untold.usages[0]?.inputTokens).toBeGreaterThan(500);
  expect(untold.usages[0]?.outputTokens).toBeGreaterThan(page.length / 8);
});
