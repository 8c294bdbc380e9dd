import { expect, onTestFinished, test } from 'vitest';
import { type MailServer, startMailServer } from '../support/outbox/mail-server.ts';
import { gptBot, type OutboxRun, startOutboxRun } from '../support/outbox/outbox-run.ts';

const mailServer = async (options = {}): Promise<MailServer> => {
  const server = await startMailServer(options);
  onTestFinished(() => server.stop());
  return server;
};

const mailEnv = ({ url }: MailServer) => ({
  HEADCOUNT_SMTP_URL: url,
  HEADCOUNT_MAIL_FROM: 'Headcount <reports@count.example>',
  HEADCOUNT_BASE_URL: 'https://count.example',
});

/** Monday to Sunday, and how many people come each day. */
async function countWeek({ clock, view }: OutboxRun, monday: string, people: number): Promise<void> {
  clock.set(`${monday}T12:00:00Z`);
  for (let day = 0; day < 7; day++) {
    await view('/', people);
    clock.advance(86_400_000);
  }
}

test('a weekly digest reports the numbers of the reports once the week is sealed, to each receiver once', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-09T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com', 'b@example.com'] },
    env: mailEnv(mail),
  });
  await countWeek(run, '2026-11-09', 2);
  await countWeek(run, '2026-11-16', 3);
  run.clock.set('2026-11-22T20:00:00Z');
  await run.view('/guide', 4, gptBot);
  await run.view('/guide', 1, undefined, 'https://news.example/');
  await run.lookAt('2026-11-23T23:59:00Z');
  expect(mail.mails.filter(({ text }) => text.includes('week of 2026-11-16'))).toEqual([]);
  await run.lookAt('2026-11-24T00:01:00Z');
  for (let again = 0; again < 3; again++) await run.look();
  await run.lookAt('2026-11-28T12:00:00Z');
  const digests = mail.mails.filter(({ text }) => text.includes('week of 2026-11-16'));
  expect(digests.map(({ to }) => to).sort()).toEqual(['a@example.com', 'b@example.com']);
  const [digest] = digests;
  expect(digest?.headers.subject).toBe('Docs, week of 2026-11-16: 22 views by people, 4 by AI');
  expect(digest?.headers.from).toBe('Headcount <reports@count.example>');
  const reported = await run.headcount.views({ dateFrom: '2026-11-16', dateTo: '2026-11-23' });
  expect(reported).toEqual({
    '/': { human: 21, ai: 0, total: 21 },
    '/guide': { human: 1, ai: 4, total: 5 },
  });
  expect(digest?.text).toContain('Views by people: 22 (+57 %)');
  expect(digest?.text).toContain('Views by AI: 4 (none the week before)');
  expect(digest?.text).toContain('/: 21 by people, 0 by AI\n  /guide: 1 by people, 4 by AI');
  expect(digest?.text).toContain('news.example: 1');
  expect(digest?.text).toContain('GPTBot (claimed): 4');
  expect(digest?.text).toContain(
    `https://count.example/p/${run.headcount.projectId}?range=2026-11-16..2026-11-22`,
  );
  expect(digest?.text).toContain('the operators of Headcount at https://count.example added');
  expect(await run.deliveries()).toMatchObject([
    { kind: 'digest.weekly', channel: 'mail', state: 'sent', attempts: 1, trouble: null },
    { kind: 'digest.weekly', channel: 'mail', state: 'sent' },
    { title: expect.stringContaining('week of 2026-11-09') },
    { title: expect.stringContaining('week of 2026-11-09') },
  ]);
});

test('a monthly digest is of the calendar month, and a server that was off tells the newest month alone', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-07-15T12:00:00Z',
    project: { name: 'Docs', digest: 'monthly', mailTo: ['a@example.com'], timeZone: 'America/New_York' },
    env: mailEnv(mail),
  });
  await run.view('/', 2);
  run.clock.set('2026-10-31T12:00:00Z');
  await run.view('/', 3);
  await run.lookAt('2026-11-02T03:59:00Z');
  expect(mail.mails.map(({ headers }) => headers.subject)).toEqual([
    'Docs, month of 2026-09: 0 views by people, 0 by AI',
  ]);
  await run.lookAt('2026-11-02T04:01:00Z');
  expect(mail.mails.map(({ headers }) => headers.subject)[1]).toBe(
    'Docs, month of 2026-10: 3 views by people, 0 by AI',
  );
  expect(mail.mails[1]?.text).toContain('Views by people: 3 (none the month before)');
});

test('what nobody measured is called so, and is neither zero nor compared', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-10T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com'] },
    env: mailEnv(mail),
  });
  const look = () => run.headcount.hit({ u: 'https://example.com/' });
  await look();
  await run.lookAt('2026-11-17T12:00:00Z');
  const [byScript] = mail.mails;
  expect(byScript?.headers.subject).toBe('Docs, week of 2026-11-09: 1 view by people, AI not measured');
  expect(byScript?.text).toContain('only your server or its log sees it');
  expect(byScript?.text).toMatch(
    /Visitors, AI: not measured\n.*Views by people: 1 .*\n.*Views by AI: not measured\n/,
  );
  expect(byScript?.text).toContain('/: 1 by people\n');
  // From here on the server reports, too; then it is the script that is gone.
  await look();
  await run.view('/', 4, gptBot);
  await run.lookAt('2026-11-24T12:00:00Z');
  expect(mail.mails[1]?.text).toContain('Views by AI: 4 (not measured the week before)');
  await run.view('/', 4, gptBot);
  await run.lookAt('2026-12-01T12:00:00Z');
  expect(mail.mails[2]?.headers.subject).toBe('Docs, week of 2026-11-23: people not measured, 4 views by AI');
  expect(mail.mails[2]?.text).toContain('Visitors, people: not measured');
});

test('what the script sees of AI is not compared with what a server told', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-10T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com'] },
    env: mailEnv(mail),
  });
  // An agent that acts in a page.
  const act = () => run.headcount.hit({ u: 'https://example.com/', a: 'c' });
  await act();
  await run.lookAt('2026-11-17T12:00:00Z');
  expect(mail.mails[0]?.text).toContain('Views by AI: 1 (none the week before)');
  await act();
  await run.view('/', 4, gptBot);
  await run.lookAt('2026-11-24T12:00:00Z');
  expect(mail.mails[1]?.text).toContain('Views by AI: 5 (not measured the week before)');
  await act();
  await run.lookAt('2026-12-01T12:00:00Z');
  expect(mail.mails[2]?.text).toContain('Views by AI: 1 (measured in another way the week before)');
  await act();
  await run.lookAt('2026-12-08T12:00:00Z');
  expect(mail.mails[3]?.text).toContain('Views by AI: 1 (as before)');
});

test('texts from outside are escaped in the mail, and make no header', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-16T12:00:00Z',
    project: { name: '<b>Docs</b>\r\nBcc: c@example.com', digest: 'weekly', mailTo: ['a@example.com'] },
    env: mailEnv(mail),
  });
  await run.view('/?utm_source=<img src=x onerror=alert(1)>&"', 2);
  await run.lookAt('2026-11-24T12:00:00Z');
  const [digest] = mail.mails;
  expect(mail.mails).toHaveLength(1);
  expect(digest?.headers).not.toHaveProperty('bcc');
  expect(digest?.headers.subject).toContain('<b>Docs</b> Bcc: c@example.com');
  expect(digest?.html).not.toMatch(/<(?:img|b|script)\b/);
  expect(digest?.html).toContain('&lt;b&gt;Docs&lt;/b&gt;');
  expect(digest?.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
});

test('nothing is told of a project that asked for nothing, has no receivers, or never had a view', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({ start: '2026-11-16T12:00:00Z', env: mailEnv(mail) });
  await run.headcount.addProject({ digest: 'weekly', mailTo: ['a@example.com'] });
  await run.view('/', 2);
  await run.lookAt('2026-11-24T12:00:00Z');
  await run.change({ digest: 'weekly' });
  await run.look();
  expect(mail.mails).toEqual([]);
  expect(await run.deliveries()).toEqual([]);
  await run.change({ mailTo: ['a@example.com'] });
  await run.look();
  expect(mail.mails).toHaveLength(1);
});
