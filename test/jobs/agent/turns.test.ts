import { describe, expect, test } from 'vitest';
import { runAgent } from '../../../server/jobs/agent/agent.ts';
import {
  type Message,
  noteMessage,
  parseMessages,
  shortenHistory,
} from '../../../server/jobs/agent/message.ts';
import { type ModelKind, modelNames, prepareRun, runScripted } from '../../support/jobs/agent/agent-run.ts';
import { inOrder } from '../../support/jobs/model/model-server.ts';

const files = { 'page.md': `${'A long page.\n'.repeat(400)}` };
const firstTurn = inOrder(
  { text: 'Looking.', calls: [{ tool: 'read', input: { path: 'page.md' } }] },
  { calls: [{ tool: 'write', input: { path: 'new.md', content: 'new '.repeat(2_000) } }] },
  { text: 'Add a page\n\nIt is new.' },
);

/** As the store keeps them. */
async function storedTurn(kind: ModelKind): Promise<Message[]> {
  const { messages } = await runScripted(firstTurn, { kind, files });
  return parseMessages(JSON.parse(JSON.stringify(messages)));
}

test('of 40 calls in one answer 30 are carried out; model and transcript are told of the others', async () => {
  const calls = Array.from({ length: 40 }, (_, n) => ({
    tool: 'write',
    input: { path: `${n}.md`, content: 'x\n' },
  }));
  const { server, events, result } = await runScripted(inOrder({ calls }, { text: 'Add pages' }), { files });
  expect(result.status).toBe('done');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('up to 30 calls of tools');
  expect(
    JSON.stringify(server.requests[1]?.body).match(/Not run: one answer may hold 30 calls/g),
  ).toHaveLength(10);
  const told = events.filter((event) => event.type === 'tool');
  expect(told.filter(({ ok }) => ok)).toHaveLength(30);
  expect(told.filter(({ ok, output }) => !ok && output.startsWith('Not run:'))).toHaveLength(10);
});

describe('a follow-up', () => {
  const kinds = Object.keys(modelNames) as ModelKind[];
  test.each(kinds)('goes on from what was said and done, without old contents (%s)', async (kind) => {
    const history = await storedTurn(kind);
    const { server, messages } = await runScripted(inOrder({ text: 'Shorten it' }), {
      kind,
      history,
      prompt: 'Shorter, please.',
    });
    const [request] = server.requests;
    expect(request?.prompts).toEqual(['Improve the page.', 'Shorter, please.']);
    expect(request?.results).toEqual([
      expect.stringMatching(/^"page\.md", lines 1 to 400 of 400:\n1\tA long page\..*… \(left out\)$/s),
      '"new.md" was created.',
    ]);
    expect(JSON.stringify(request?.body)).toContain('It is new.');
    expect(JSON.stringify(request?.body).length).toBeLessThan(15_000);
    expect(messages).toHaveLength(2);
  });

  test.each(kinds.flatMap((from) => kinds.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'may be answered by another model (%s, then %s)',
    async (from, to) => {
      const history = await storedTurn(from);
      const { server, result } = await runScripted(inOrder({ text: 'Shorten it' }), { kind: to, history });
      expect(result).toMatchObject({ status: 'done' });
      expect(server.requests[0]?.results).toHaveLength(2);
    },
  );

  test.each(kinds)(
    'does not see calls of a turn that failed before they were carried out (%s)',
    async (kind) => {
      const [asked, called] = await storedTurn(kind);
      if (!asked || !called) throw new Error('The turn is empty.');
      const { server, result } = await runScripted(inOrder({ text: 'Shorten it' }), {
        kind,
        history: [asked, called, noteMessage('the turn failed.')],
        prompt: 'Shorter, please.',
      });
      expect(result).toMatchObject({ status: 'done' });
      const body = JSON.stringify(server.requests[0]?.body.messages ?? server.requests[0]?.body);
      expect(body).toContain('Looking.');
      expect(body).toContain('the turn failed.');
      expect(body).not.toContain('page.md');
    },
  );

  test('sees the latest turns only where there were too many, and never half of one', async () => {
    const turn = await storedTurn('chat');
    const history = Array.from({ length: 200 }, () => turn).flat();
    const short = shortenHistory(history);
    expect(JSON.stringify(short).length).toBeLessThan(200_000);
    expect(short.length).toBeGreaterThan(100);
    expect(short[0]).toMatchObject({ role: 'user', content: 'Improve the page.' });
    expect(short.length % turn.length).toBe(0);
    const { result } = await runScripted(inOrder({ text: 'Done' }), { kind: 'anthropic', history });
    expect(result).toMatchObject({ status: 'done' });
  });

  test('begins anew where stored messages cannot be read any more', () => {
    expect(parseMessages([{ role: 'user', content: 'a' }])).toHaveLength(1);
    expect(parseMessages([{ role: 'robot', content: 'a' }])).toEqual([]);
    expect(parseMessages('nonsense')).toEqual([]);
  });
});

describe('a run that is stopped', () => {
  test('ends as aborted, in the middle of a request, with its messages saved', async () => {
    const controller = new AbortController();
    const { task, messages } = await prepareRun(
      (_request, index) => {
        if (index === 0) return { calls: [{ tool: 'list', input: {} }] };
        setTimeout(() => controller.abort(), 20);
        return { hang: true };
      },
      { signal: controller.signal },
    );
    expect(await runAgent(task)).toMatchObject({
      status: 'failed',
      failure: { code: 'aborted', passing: false },
    });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test('ends as aborted between two tool calls, with every call answered', async () => {
    const controller = new AbortController();
    const calls = [
      { tool: 'write', input: { path: 'a.md', content: 'a' } },
      { tool: 'write', input: { path: 'b.md', content: 'b' } },
    ];
    const { task, messages, site } = await prepareRun(inOrder({ calls }), { signal: controller.signal });
    const result = await runAgent({ ...task, onEvent: () => controller.abort() });
    expect(result).toMatchObject({ failure: { code: 'aborted' } });
    expect(await site.read('a.md')).toBe('a');
    await expect(site.read('b.md')).rejects.toThrow('ENOENT');
    expect(JSON.stringify(messages).match(/"tool-result"/g)).toHaveLength(2);
  });

  test('ends as aborted while it waits for a failing server', async () => {
    const controller = new AbortController();
    const { task } = await prepareRun(() => ({ status: 500 }), { signal: controller.signal });
    const result = await runAgent({ ...task, onEvent: () => controller.abort() });
    expect(result).toMatchObject({ failure: { code: 'aborted' } });
  });

  test('does not begin when it is stopped already', async () => {
    const { result, server } = await runScripted(inOrder({ text: 'x' }), { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ failure: { code: 'aborted' } });
    expect(server.requests).toEqual([]);
  });

  test.each(['onEvent', 'onMessages'] as const)(
    'throws what %s throws, and does nothing more',
    async (callback) => {
      const { task, server } = await prepareRun(inOrder({ text: 'x', calls: [{ tool: 'list', input: {} }] }));
      const outdated = new Error('The lease was lost.');
      const refuse = () => {
        throw outdated;
      };
      await expect(runAgent({ ...task, [callback]: refuse })).rejects.toBe(outdated);
      expect(server.requests.length).toBeLessThanOrEqual(1);
    },
  );
});

test('what a run tells is saved as it happens, before it fails', async () => {
  const { events, messages, result } = await runScripted(
    inOrder({ text: 'I try.', calls: [{ tool: 'read', input: { path: 'no.md' } }] }, { status: 401 }),
  );
  expect(result).toMatchObject({ status: 'failed', tokens: { input: 1_000, output: 100 } });
  expect(events).toEqual([
    { type: 'text', text: 'I try.' },
    {
      type: 'tool',
      tool: 'read',
      input: '{"path":"no.md"}',
      ok: false,
      output: expect.stringContaining('There is no file'),
    },
  ]);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});
