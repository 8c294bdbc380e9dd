import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../support/outbox/mail-server.ts';
import { startOutboxRun } from '../support/outbox/outbox-run.ts';

const from = { HEADCOUNT_MAIL_FROM: 'Headcount <reports@count.example>' };
const start = '2026-11-20T12:00:00Z';
const project = { name: 'Docs', mailTo: ['a@example.com', 'b@example.com'] };

const mailServer = async (options: Parameters<typeof startMailServer>[0] = {}) => {
  const server = await startMailServer(options);
  onTestFinished(() => server.stop());
  return server;
};

test('a mail goes to each receiver alone, and says so to machines', async () => {
  const mail = await mailServer({ password: 'p@ss word' });
  const url = mail.url.replace('//', `//user:${encodeURIComponent('p@ss word')}@`);
  const run = await startOutboxRun({ start, project, env: { HEADCOUNT_SMTP_URL: url, ...from } });
  await run.tryIt();
  expect(mail.mails.map(({ to }) => to).sort()).toEqual(project.mailTo);
  for (const { to, headers } of mail.mails) {
    expect(headers).toMatchObject({ to, 'auto-submitted': 'auto-generated' });
    expect(headers['message-id']).toMatch(/^<msg_\w{20}@count\.example>$/);
    expect(headers['list-unsubscribe']).toContain('mailto:reports@count.example');
  }
});

test('a mail leads to the dashboard, also below a path', async () => {
  const mail = await mailServer();
  const env = { HEADCOUNT_SMTP_URL: mail.url, HEADCOUNT_BASE_URL: 'https://example.com/analytics', ...from };
  const run = await startOutboxRun({ start, project, env });
  await run.tryIt();
  for (const { text } of mail.mails)
    expect(text).toContain(`https://example.com/analytics/p/${run.headcount.projectId}`);
  expect(mail.mails).toHaveLength(2);
});

test('a wrong password is reported in words, and neither it nor what the server answers to it', async () => {
  const mail = await mailServer({ password: 'right' });
  const url = mail.url.replace('//', '//user:wrong-s3cret@');
  const run = await startOutboxRun({ start, project, env: { HEADCOUNT_SMTP_URL: url, ...from } });
  await run.tryIt();
  const deliveries = await run.deliveries();
  expect(deliveries.map(({ trouble, state }) => ({ trouble, state }))).toEqual([
    {
      trouble: 'The mail server refused the user or the password: see HEADCOUNT_SMTP_URL.',
      state: 'waiting',
    },
    {
      trouble: 'The mail server refused the user or the password: see HEADCOUNT_SMTP_URL.',
      state: 'waiting',
    },
  ]);
  expect(JSON.stringify(deliveries) + run.headcount.log.join('\n')).not.toContain('s3cret');
});

test('an address that the mail server knows nobody of is given up on, and the others are sent to', async () => {
  const mail = await mailServer({ unknown: ['a@example.com'] });
  const run = await startOutboxRun({ start, project, env: { HEADCOUNT_SMTP_URL: mail.url, ...from } });
  await run.tryIt();
  expect(mail.mails.map(({ to }) => to)).toEqual(['b@example.com']);
  const ofA = (await run.deliveries()).find(({ receiver }) => receiver === 'a@example.com');
  expect(ofA).toMatchObject({
    state: 'failed',
    trouble: expect.stringContaining('5.1.1 Nobody of that name'),
  });
});

test('a mail server that is away disturbs no counting, and gets what waited when it is back', async () => {
  const gone = await startMailServer();
  await gone.stop();
  const run = await startOutboxRun({ start, project, env: { HEADCOUNT_SMTP_URL: gone.url, ...from } });
  await run.tryIt();
  await run.view('/', 3);
  expect(await run.headcount.views()).toEqual({ '/': { human: 3, ai: 0, total: 3 } });
  expect(await run.deliveries()).toMatchObject([
    { state: 'waiting', trouble: expect.stringContaining('The mail server could not be used') },
    { state: 'waiting' },
  ]);
  const back = await mailServer({ port: gone.port });
  run.clock.advance(60_000);
  await run.look();
  expect(back.mails).toHaveLength(2);
  expect((await run.deliveries()).map(({ state }) => state)).toEqual(['sent', 'sent']);
});

test('a server without a mail server, and one who was taken out meanwhile, are told in the log of deliveries', async () => {
  const run = await startOutboxRun({ start, project: { ...project, mailTo: ['a@example.com'] } });
  await run.tryIt();
  run.clock.advance(60_000);
  await fetch(`${run.headcount.url}/v1/projects/${run.headcount.projectId}/deliveries`, {
    method: 'POST',
    headers: { authorization: `Bearer ${run.headcount.adminKey}` },
  });
  await run.change({ mailTo: ['b@example.com'] });
  await run.look();
  const troubles = (await run.deliveries()).map(({ trouble }) => trouble);
  expect(troubles).toEqual([
    'The address was removed from the settings.',
    'This server sends no mail: set HEADCOUNT_SMTP_URL and HEADCOUNT_MAIL_FROM.',
  ]);
});

test('what was sent is told for 30 days', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({ start, project, env: { HEADCOUNT_SMTP_URL: mail.url, ...from } });
  await run.tryIt();
  await run.lookAt('2026-12-20T11:00:00Z');
  expect(await run.deliveries()).toHaveLength(2);
  await run.lookAt('2026-12-20T13:00:00Z');
  expect(await run.deliveries()).toEqual([]);
});
