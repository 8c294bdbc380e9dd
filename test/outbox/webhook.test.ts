import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OutboxRun, startOutboxRun, webhookSecret } from '../support/outbox/outbox-run.ts';
import { startWebhookServer, type WebhookServer } from '../support/outbox/webhook-server.ts';

const webhookServer = async (): Promise<WebhookServer> => {
  const server = await startWebhookServer();
  onTestFinished(() => server.stop());
  return server;
};

/** The library looks at the machine's clock, and the calls were signed by that of the test. */
const now = new Date();
now.setMilliseconds(0);

interface Setup {
  format?: 'standard' | 'slack';
  env?: Record<string, string>;
}

async function startWithWebhook(server: WebhookServer, { format = 'standard', env = {} }: Setup = {}) {
  const run = await startOutboxRun({
    start: now.toISOString(),
    project: { name: 'Docs <!channel> & *more*', webhookFormat: format },
    env,
  });
  for (const secrets of [{ webhookUrl: server.url }, { webhookSecret }])
    expect((await run.change({ secrets })).status).toBe(200);
  return run;
}

const tryIt = ({ headcount }: OutboxRun) =>
  fetch(`${headcount.url}/v1/projects/${headcount.projectId}/deliveries`, {
    method: 'POST',
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });

test('a webhook is signed as Standard Webhooks has it, and carries what a mail says', async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server);
  expect((await tryIt(run)).status).toBe(202);
  await run.look();
  const [call] = server.calls;
  const verified = new Webhook(webhookSecret).verify(
    call?.body ?? '',
    call?.headers as Record<string, string>,
  );
  expect(verified).toMatchObject({
    type: 'trial',
    timestamp: now.toISOString(),
    data: { project: { id: run.headcount.projectId, name: 'Docs <!channel> & *more*' } },
  });
  const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  expect(() => other.verify(call?.body ?? '', call?.headers as Record<string, string>)).toThrow();
  const [delivery] = await run.deliveries();
  expect(delivery).toMatchObject({ id: call?.headers['webhook-id'], state: 'sent', receiver: null });
});

test("Slack's format has texts from outside escaped, and needs no secret to sign with", async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server, { format: 'slack' });
  await run.change({ secrets: { webhookSecret: null } });
  await tryIt(run);
  await run.look();
  const [call] = server.calls;
  const { text } = JSON.parse(call?.body ?? '') as { text: string };
  expect(text).toContain('*Docs &lt;!channel&gt; &amp; *more*: test message*');
  expect(text).not.toContain('<');
  expect(call?.headers).not.toHaveProperty('webhook-signature');
});

test('one that fails is tried again under the same id, less and less often, and given up on after two days', async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server);
  server.answer = { status: 500 };
  await tryIt(run);
  await run.look();
  await run.look();
  expect(server.calls).toHaveLength(1);
  expect(await run.deliveries()).toMatchObject([
    { state: 'waiting', attempts: 1, trouble: 'The webhook answered 500.', sentAt: null },
  ]);
  for (let hour = 0; hour < 72; hour++) {
    run.clock.advance(3_600_000);
    await run.look();
  }
  expect(server.calls).toHaveLength(8);
  expect(new Set(server.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await run.deliveries()).toMatchObject([{ state: 'failed', attempts: 8, dueAt: null }]);
  expect(run.headcount.log.filter((line) => line.includes('given up'))).toHaveLength(1);
  expect(run.headcount.log.join('\n')).not.toContain('s3cret');
});

test('one that works again gets what waited', async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server);
  server.answer = { status: 503 };
  await tryIt(run);
  await run.look();
  server.answer = { status: 204 };
  run.clock.advance(60_000);
  await run.look();
  expect(server.calls).toHaveLength(2);
  expect(await run.deliveries()).toMatchObject([{ state: 'sent', attempts: 2, trouble: null }]);
});

test.each([
  {
    says: 'a redirect is not followed',
    answer: { status: 302, headers: { location: '/elsewhere' } },
    state: 'waiting',
  },
  { says: 'what is gone is not asked again', answer: { status: 410 }, state: 'failed' },
])('$says', async ({ answer, state }) => {
  const server = await webhookServer();
  const run = await startWithWebhook(server);
  server.answer = answer;
  await tryIt(run);
  await run.look();
  expect(server.calls).toHaveLength(1);
  expect(await run.deliveries()).toMatchObject([
    { state, trouble: `The webhook answered ${answer.status}.` },
  ]);
});

test('a private address is not reached, unless who runs the server allows it', async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server, { env: { HEADCOUNT_PRIVATE_NETWORKS: 'none' } });
  await tryIt(run);
  await run.look();
  expect(server.calls).toEqual([]);
  const [delivery] = await run.deliveries();
  expect(delivery?.trouble).toBe(
    'The webhook is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS.',
  );
});

describe('the settings', () => {
  test('need no secret for a webhook, which is then sent without a signature', async () => {
    const server = await webhookServer();
    const run = await startWithWebhook(server);
    await run.change({ secrets: { webhookSecret: null } });
    await tryIt(run);
    await run.look();
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]?.headers).toMatchObject({ 'webhook-id': expect.any(String) });
    expect(server.calls[0]?.headers).not.toHaveProperty('webhook-signature');
    expect(await run.deliveries()).toMatchObject([{ state: 'sent' }]);
  });

  test.each([
    [{ secrets: { webhookUrl: 'http://example.com/hook' } }, 'secrets.webhookUrl'],
    [{ secrets: { webhookUrl: 'hook' } }, 'secrets.webhookUrl'],
    [{ secrets: { webhookSecret: 'whsec_short' } }, 'secrets.webhookSecret'],
    [{ mailTo: ['nobody'] }, 'mailTo.0'],
    [{ mailTo: ['a@b.example, c@d.example'] }, 'mailTo.0'],
    [{ mailTo: ['a@b.example\r\nBcc: c@d.example'] }, 'mailTo.0'],
    [{ digest: 'hourly' }, 'digest'],
  ])('refuse %j in words', async (patch, path) => {
    const run = await startOutboxRun({ start: now.toISOString() });
    const response = await run.change(patch as Parameters<typeof run.change>[0]);
    expect(response.status).toBe(400);
    const { details } = (await response.json()) as { details: object[] };
    expect(details).toMatchObject([{ path }]);
  });

  test('keep the webhook when jobs move to another code host', async () => {
    const server = await webhookServer();
    const run = await startWithWebhook(server);
    await run.change({ repository: 'https://one.example/a/b', secrets: { forgeToken: 'token-of-one' } });
    const changed = await run.change({ repository: 'https://two.example/a/b' });
    expect(await changed.json()).toMatchObject({
      secrets: { forgeToken: false, webhookUrl: true, webhookSecret: true },
    });
  });

  test('are never shown with the address of the webhook', async () => {
    const server = await webhookServer();
    const run = await startWithWebhook(server);
    await tryIt(run);
    const shown = [
      await run.change({}).then((response) => response.text()),
      JSON.stringify(await run.deliveries()),
    ];
    expect(shown.join('\n')).not.toMatch(/s3cret|whsec_/);
  });
});

test('a trial needs somebody to be sent to, and is sent once a minute', async () => {
  const server = await webhookServer();
  const run = await startWithWebhook(server);
  expect((await tryIt(run)).status).toBe(202);
  const again = await tryIt(run);
  expect(again.status).toBe(429);
  expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(again.headers.get('ratelimit-policy')).toBe('"trials";q=1;w=60');
  await run.look();
  await run.change({ secrets: { webhookUrl: null } });
  run.clock.advance(60_000);
  const refused = await tryIt(run);
  expect(refused.status).toBe(400);
  expect(server.calls).toHaveLength(1);
});
