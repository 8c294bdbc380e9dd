import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createModel, type ModelSettings } from '../../../server/jobs/agent/model/model.ts';
import { describeModelError } from '../../../server/jobs/agent/model/model-error.ts';
import { parseModelName } from '../../../server/jobs/agent/model/model-name.ts';
import { createModelRequest } from '../../../server/jobs/agent/model/model-request.ts';
import { modelKey, runScripted } from '../../support/jobs/agent/agent-run.ts';
import { inOrder, type ModelReply, type Script } from '../../support/jobs/model/model-server.ts';

const done: ModelReply = { text: 'Done' };

const request = createModelRequest(() => true);

describe('the name of a model', () => {
  test.each([
    ['anthropic/claude-x', 'anthropic', 'claude-x'],
    ['compatible/meta-llama/Llama-4:free', 'compatible', 'meta-llama/Llama-4:free'],
  ])('%s names provider and model', (name, provider, id) => {
    expect(parseModelName(name)).toEqual({ provider, id });
  });

  test.each([
    '',
    'claude-x',
    'anthropic/',
    '/x',
    'mistral/large',
    'Anthropic/claude',
    'openai/a b',
    'openai/ä',
  ])('%j is refused with the command that sets one', (name) => {
    expect(() => parseModelName(name)).toThrow(
      /headcount project set --model.*anthropic, openai, google, compatible/,
    );
  });

  test.each<[name: string, settings: ModelSettings, words: RegExp]>([
    ['anthropic/claude-x', {}, /Set ANTHROPIC_API_KEY/],
    ['openai/gpt-x', { openai: { apiKey: '' } }, /Set OPENAI_API_KEY/],
    ['google/gemini-x', { openai: { apiKey: 'other' } }, /Set GOOGLE_GENERATIVE_AI_API_KEY/],
    ['compatible/llama', {}, /Set HEADCOUNT_MODEL_BASE_URL/],
    [
      'compatible/llama',
      { compatible: { baseUrl: 'localhost:11434' } },
      /HEADCOUNT_MODEL_BASE_URL to a URL with http/,
    ],
    [
      'openai/x',
      { openai: { apiKey: modelKey, baseUrl: 'https://me:secret@host/v1' } },
      /without a password/,
    ],
  ])('%s with %j asks for what is missing', (name, settings, words) => {
    expect(() => createModel(name, settings, request)).toThrow(words);
  });

  test.each([
    ['anthropic', 'http://proxy.example', '/v1/messages'],
    ['anthropic', 'http://proxy.example/anthropic/', '/anthropic/v1/messages'],
    ['anthropic', 'http://proxy.example/v1', '/v1/messages'],
    ['anthropic', 'https://api.anthropic.com', '/v1/messages'],
    ['openai', 'http://proxy.example/openai/v1/', '/openai/v1/chat/completions'],
    ['openai', undefined, '/v1/responses'],
    ['openai', 'https://eu.api.openai.com/v1', '/v1/responses'],
    ['google', undefined, '/v1beta/models/x:streamGenerateContent'],
    ['compatible', 'http://localhost:11434/v1', '/v1/chat/completions'],
  ] as const)('%s at %s is asked at %s', async (provider, baseUrl, path) => {
    const asked: URL[] = [];
    const model = createModel(
      `${provider}/x`,
      { [provider]: { apiKey: modelKey, baseUrl } },
      async (address) => {
        asked.push(new URL(String(address)));
        return new Response('', { status: 401 });
      },
    );
    expect(model.host).toBe(new URL(baseUrl ?? `https://${model.host}`).host);
    const { result } = await runScripted(inOrder(), { model });
    expect(result).toMatchObject({ status: 'failed', failure: { code: 'model_settings' } });
    expect(asked.map(({ pathname }) => pathname)).toEqual([path]);
  });
});

describe('an error that waiting does not heal', () => {
  const anthropicCredit = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'Your credit balance is too low' },
  };
  const openAiQuota = { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } };
  const tooLong = { error: { message: "This model's maximum context length is 128000 tokens." } };
  const echo = { error: { message: `Incorrect API key provided: ${modelKey} (${btoa(modelKey)}).` } };

  test.each<[status: number, body: object | string, reason: string, words: RegExp]>([
    [
      401,
      echo,
      'model_settings',
      /refused the key: Incorrect API key provided: \[secret\].*Set OPENAI_API_KEY/,
    ],
    [
      403,
      { error: { message: 'Region.' } },
      'model_settings',
      /does not let this key use openai\/gpt-scripted: Region\. Grant/,
    ],
    [
      404,
      { error: { message: 'No such model' } },
      'model_settings',
      /does not have openai\/gpt-scripted.*No such model\. Choose a model in the project's settings, or with "headcount project set --model"/,
    ],
    [400, { error: { message: 'Bad tool.' } }, 'model_rejected', /rejected the request \(400\): Bad tool\./],
    [
      400,
      { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } },
      'model_settings',
      /refused the key: API key not valid\. Set/,
    ],
    [422, '{"detail":"odd"}', 'model_rejected', /\(422\): \{"detail":"odd"\}/],
    [400, tooLong, 'context', /became too long for openai\/gpt-scripted/],
    [413, {}, 'context', /became too long/],
    [402, {}, 'model_settings', /no credit left/],
    [400, anthropicCredit, 'model_settings', /no credit left \(400\): Your credit balance/],
    [429, openAiQuota, 'model_settings', /no credit left \(429\)/],
    [302, '', 'model_settings', /redirect \(302\)\. Correct the base URL/],
  ])('%i ends the run at once (%#)', async (status, body, code, words) => {
    const headers: Record<string, string> = status === 302 ? { Location: 'https://elsewhere.example/' } : {};
    const { result, server, waits } = await runScripted(inOrder({ status, body, headers }, done));
    expect(result).toMatchObject({
      status: 'failed',
      failure: { code, passing: false, message: expect.stringMatching(words) },
    });
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
    const shown = inspect(result);
    expect(shown).toMatch(words);
    expect(shown).not.toContain(modelKey);
    expect(shown).not.toContain(btoa(modelKey));
  });

  test('is also a refusal of the model', async () => {
    for (const kind of ['chat', 'anthropic', 'google'] as const) {
      const { result } = await runScripted(inOrder({ text: 'I must not.', finish: 'refused' }), { kind });
      expect(result).toMatchObject({
        failure: { code: 'model_refused', passing: false, message: expect.stringContaining('I must not.') },
      });
    }
  });

  test('is also a certificate that is not trusted, and a key that cannot be sent', () => {
    const model = createModel(
      'openai/x',
      {
        openai: { apiKey: modelKey, baseUrl: 'https://self-signed.example/v1' },
      },
      request,
    );
    const describe = (code: string) =>
      describeModelError(new Error('x', { cause: Object.assign(new Error('y'), { code }) }), {
        model,
        now: 0,
        redact: String,
      });
    expect(describe('DEPTH_ZERO_SELF_SIGNED_CERT')).toMatchObject({
      code: 'model_settings',
      passing: false,
    });
    expect(describe('CERT_HAS_EXPIRED').message).toContain('self-signed.example was not accepted');
    expect(describe('ERR_INVALID_CHAR').message).toContain('OPENAI_API_KEY');
    expect(describe('ENOTFOUND')).toMatchObject({ code: 'model_unavailable', passing: true });
  });
});

describe('a passing error', () => {
  test.each<[name: string, reply: ModelReply, waits: (ms: number) => boolean]>([
    [
      '429 with Retry-After in seconds',
      { status: 429, headers: { 'Retry-After': '7' } },
      (ms) => ms === 7_000,
    ],
    [
      '429 with Retry-After as a date',
      { status: 429, headers: { 'Retry-After': 'Sat, 21 Nov 2026 10:00:09 GMT' } },
      (ms) => ms === 9_000,
    ],
    [
      '429 with Retry-After in the past',
      { status: 429, headers: { 'Retry-After': 'Sat, 21 Nov 2026 09:00:00 GMT' } },
      (ms) => ms === 0,
    ],
    ['429 with milliseconds', { status: 429, headers: { 'Retry-After-Ms': '150' } }, (ms) => ms === 150],
    [
      '429 with nonsense',
      { status: 429, headers: { 'Retry-After': 'soon' } },
      (ms) => ms >= 2_000 && ms <= 2_500,
    ],
    ['500', { status: 500, body: '<html>Oops</html>' }, (ms) => ms >= 2_000 && ms <= 2_500],
    ['529', { status: 529, headers: { 'Retry-After': '3' } }, (ms) => ms === 3_000],
    ['a connection that drops before the answer', { drop: 'before' }, (ms) => ms >= 2_000],
    ['a connection that drops in the answer', { drop: 'middle' }, (ms) => ms >= 2_000],
    ['a page in place of an answer', { status: 200, body: '<html>Sign in</html>' }, (ms) => ms >= 2_000],
  ])('(%s) is waited out', async (_name, reply, waited) => {
    const { result, server, waits, events } = await runScripted(inOrder(reply, done));
    expect(result).toMatchObject({ status: 'done', summary: 'Done' });
    expect(server.requests).toHaveLength(2);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toSatisfy(waited);
    expect(events[0]).toMatchObject({ type: 'retry', message: expect.stringMatching(/127\.0\.0\.1/) });
  });

  test('is waited out longer each time, and ends the run when it lasts', async () => {
    const { result, server, waits } = await runScripted(() => ({ status: 503 }), { kind: 'anthropic' });
    expect(result).toMatchObject({ status: 'failed', failure: { code: 'model_unavailable', passing: true } });
    expect(server.requests).toHaveLength(5);
    expect(waits.map((ms) => Math.floor(Math.log2(ms / 2_000)))).toEqual([0, 1, 2, 3]);
  });

  test('is left to the queue when the server asks for a long rest', async () => {
    const { result, waits } = await runScripted(inOrder({ status: 429, headers: { 'Retry-After': '3600' } }));
    expect(result).toMatchObject({
      failure: { code: 'model_unavailable', passing: true, retryAfterMs: 3_600_000 },
    });
    expect(waits).toEqual([]);
  });

  test('is also a server that does not answer in time', async () => {
    const script: Script = (_request, index) => (index === 0 ? { hang: true } : done);
    const { result, events } = await runScripted(script, { silenceLimits: { beginMs: 150, goOnMs: 60_000 } });
    expect(result).toMatchObject({ status: 'done' });
    expect(events[0]).toMatchObject({
      type: 'retry',
      message: expect.stringContaining('did not answer within'),
    });
  });

  test('is also a server that is not there', async () => {
    const model = createModel('compatible/x', { compatible: { baseUrl: 'http://127.0.0.1:9/v1' } }, request);
    const { result, waits } = await runScripted(inOrder(), { model });
    expect(result).toMatchObject({
      failure: {
        code: 'model_unavailable',
        message: expect.stringContaining('127.0.0.1:9 could not be reached (ECONNREFUSED)'),
      },
    });
    expect(waits).toHaveLength(4);
  });
});
