import { expect, test } from 'vitest';
import { modelNames, runScripted } from '../../support/jobs/agent/agent-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

const read = (index: number) => ({ calls: [{ tool: 'read', input: { path: `${index}.md` } }] });
const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`${n}.md`, `${n}\n${'some words of a page\n'.repeat(500)}`]),
);
const sizeOf = (body: Record<string, unknown>) => JSON.stringify(body).length;

/** A model that reads page after page, on a server that takes so many characters at once. */
function readerWith(most: number, refusal: (sent: number) => string): { script: Script; refused: number[] } {
  const refused: number[] = [];
  const script: Script = ({ body, results }) => {
    if (sizeOf(body) > most) {
      refused.push(sizeOf(body));
      return { status: 400, body: { error: { message: refusal(Math.ceil(sizeOf(body) / 4)) } } };
    }
    return results.length < 12 ? read(results.length) : { text: 'Done' };
  };
  return { script, refused };
}

const most = 64_000;
const limit = most / 4;

test.each<[string, (sent: number) => string]>([
  [
    'OpenAI',
    (sent) =>
      `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${sent} tokens.`,
  ],
  ['OpenAI without numbers', () => 'Your input exceeds the context window of this model.'],
  ['Anthropic', (sent) => `prompt is too long: ${sent} tokens > ${limit} maximum`],
  [
    'Google',
    (sent) => `The input token count (${sent}) exceeds the maximum number of tokens allowed (${limit}).`,
  ],
  [
    'Mistral',
    (sent) =>
      `Prompt contains ${sent} tokens and 0 draft tokens, too large for model with ${limit} maximum context length`,
  ],
  [
    'vLLM',
    (sent) =>
      `This model's maximum context length is ${limit} tokens. However, you requested ${sent} tokens (${sent} in the messages, 0 in the completion).`,
  ],
  [
    'llama.cpp',
    (sent) => `the request exceeds the available context size, "n_prompt_tokens":${sent},"n_ctx":${limit}`,
  ],
  [
    'LM Studio',
    (sent) =>
      `Trying to keep the first ${sent} tokens when context the overflows. However, the model is loaded with context length of only ${limit} tokens`,
  ],
  [
    'xAI',
    (sent) => `This model's maximum prompt length is ${limit} but the request contains ${sent} tokens.`,
  ],
])('a turn goes on within what a server says that its model reads (%s)', async (_maker, refusal) => {
  const { script, refused } = readerWith(most, refusal);
  const { result, server, events } = await runScripted(script, { files });
  expect(result).toMatchObject({ status: 'done', summary: 'Done' });
  // Once told of the limit, it is seldom reached again.
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(4);
  expect(server.requests.at(-1)?.results).toHaveLength(12);
  expect(events).toContainEqual(expect.objectContaining({ type: 'retry', waitMs: 0 }));
});

test('a project says what its model reads and writes, so that nothing is refused', async () => {
  const { script, refused } = readerWith(most, () => 'maximum context length');
  const modelLimits = [`${modelNames.chat} context=${limit} output=1000`];
  const { result, server } = await runScripted(script, { files, modelLimits });
  expect(result.status).toBe('done');
  expect(refused).toEqual([]);
  expect(new Set(server.requests.map(({ body }) => body.max_tokens ?? body.max_completion_tokens))).toEqual(
    new Set([1000]),
  );
});

test('a result that is longer than the model reads is cut, and the agent is told to ask for a part', async () => {
  const { script, refused } = readerWith(most, () => 'maximum context length');
  const long = { '0.md': 'some words of a page\n'.repeat(10_000) };
  const modelLimits = [`${modelNames.chat} context=${limit}`];
  const one: Script = (request, index) =>
    request.results.length === 0 ? script(request, index) : { text: 'Done' };
  const { result, server } = await runScripted(one, { files: long, modelLimits });
  expect(result.status).toBe('done');
  expect(refused).toEqual([]);
  expect(sizeOf(server.requests.at(-1)?.body ?? {})).toBeLessThan(most);
});

test.each([
  [
    'anthropic',
    'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude',
    8192,
  ],
  [
    'anthropic',
    'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease',
    9000,
  ],
] as const)('an answer is asked for that the model can write (%s, %s)', async (kind, message, tokens) => {
  const script: Script = (_request, index) =>
    index === 0
      ? { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } }
      : { text: 'Done' };
  const { result, server } = await runScripted(script, { kind });
  expect(result.status).toBe('done');
  expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([32_000, tokens]);
});

test('what cannot be made shorter fails, and says which setting to look at', async () => {
  const message = "This model's maximum context length is 4096 tokens.";
  const { result, server } = await runScripted(() => ({ status: 400, body: { error: { message } } }));
  expect(server.requests).toHaveLength(1);
  expect(result).toMatchObject({
    status: 'failed',
    failure: {
      code: 'context',
      message: expect.stringMatching(/too long for .* \(4096 tokens\).*--model-limits/),
    },
  });
});
