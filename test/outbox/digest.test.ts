import { expect, onTestFinished, test } from 'vitest';
import { toDay } from '../../server/counting/calendar.ts';
import { what } from '../../server/counting/what.ts';
import type { SavedViewReply } from '../../shared/reports/saved-views.ts';
import { runHere } from '../support/commands/command.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent } from '../support/headcount.ts';
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

test('saved views are in the mail with its days, and one that is gone is said, not counted', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-10T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com'] },
    env: mailEnv(mail),
  });
  const { headcount } = run;
  await run.view('/docs/a', 3, undefined, 'https://news.example/');
  run.clock.set('2026-11-18T12:00:00Z');
  await run.view('/docs/a', 4, undefined, 'https://news.example/');
  await run.view('/docs/b', 2, undefined, 'https://news.example/');
  await run.view('/blog', 5);
  const client = await openDashboard(headcount);
  const path = `/v1/analytics/${headcount.projectId}/saved-views`;
  const save = (body: object) => client.must<SavedViewReply>('POST', path, body);
  const news = await save({
    ...{ name: 'News, <b>all</b>', page: 'search', range: 'today', compare: 'year', measure: 'views' },
    filter: { source: 'news.example', path: '*docs*' },
  });
  const glob = await save({ name: 'Undeclared', filter: { path: '/docs/**' } });
  const lost = await save({ name: 'Lost', filter: { region: 'Bavaria, DE', city: 'Munich, DE' } });
  const gone = await save({ name: 'Gone' });
  const refused = await run.change({ digestViews: ['Nothing'] });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      error: expect.stringContaining(
        'digestViews has "Nothing", which is no saved view of the project, such as Gone, Lost',
      ),
    },
  ]);
  const args = ['project', 'set', headcount.projectId, '--json'];
  for (const view of [news.id, 'Undeclared', lost.id, 'Gone']) args.push('--digest-view', view);
  const set = await runHere(args, { HEADCOUNT_DATA_DIR: headcount.dataDir });
  const digestViews = [news.id, glob.id, lost.id, gone.id];
  expect(JSON.parse(set.stdout)).toMatchObject({ digestViews });
  expect((await run.change({ digestViews })).status).toBe(200);
  await client.must('DELETE', `${path}/${gone.id}`);
  await run.lookAt('2026-11-24T12:00:00Z');
  const [digest] = mail.mails;
  expect(mail.mails).toHaveLength(1);
  const [, shown = '', undeclared = '', unanswered = '', removed = ''] = digest?.text.split('View: ') ?? [];
  const reported = await headcount.views({
    ...{ dateFrom: '2026-11-16', dateTo: '2026-11-23', source: 'news.example', path: '*docs*' },
  });
  expect(reported).toEqual({ '/docs/a': { human: 4, ai: 0, total: 4 } });
  expect(shown).toContain('News, <b>all</b>\n');
  expect(shown).toContain('  Views by people: 4 to 6 (3 the week before)\n');
  expect(shown).toContain('  /docs/a: 4 by people, 0 by AI\n');
  expect(shown).not.toContain('/blog');
  expect(shown).toContain(
    `https://count.example/p/${headcount.projectId}/search?range=2026-11-16..2026-11-22&compare=year&measure=views&source=news.example&path=*docs*`,
  );
  expect(digest?.html).toContain('View: News, &lt;b&gt;all&lt;/b&gt;');
  expect(undeclared).toMatch(/^Undeclared\nVisitors of a section are counted from the day/);
  expect(undeclared).toMatch(/Visitors, people: at most 5 \(.*\n.*\n {2}Views by people: 6 /);
  expect(unanswered).toMatch(
    /^Lost\nIt cannot be answered any more\. .*cannot be filtered by region and city/,
  );
  expect(unanswered).not.toContain('Views by');
  expect(removed).toContain('It was removed: take it out under Settings');
  expect(removed).not.toContain('Views by');
});

test('countries that are left out of the past are left out of the mail, within bounds', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-18T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com'], minimumGroup: 1 },
    env: mailEnv(mail),
  });
  await run.view('/', 3);
  const german = Array.from({ length: 5 }, (_, i) => {
    return { url: 'https://example.com/de', ip: `91.0.0.${i + 1}`, userAgent: chromeUserAgent };
  });
  expect((await run.headcount.hits(german)).status).toBe(202);
  await run.change({ excludedCountries: ['DE'], excludesPast: true });
  await run.lookAt('2026-11-24T12:00:00Z');
  const [digest] = mail.mails;
  expect(digest?.headers.subject).toBe('Docs, week of 2026-11-16: 3 views by people, 0 by AI');
  expect(digest?.text).toContain('Visitors, people: 3 (none the week before)');
  expect(digest?.text).toContain('  /: 3 by people, 0 by AI\n');
  expect(digest?.text).not.toContain('/de');
});

test('days of another tool are said not to be known, in numbers, lists and saved views', async () => {
  const mail = await mailServer();
  const run = await startOutboxRun({
    start: '2026-11-10T12:00:00Z',
    project: { name: 'Docs', digest: 'weekly', mailTo: ['a@example.com'] },
    env: mailEnv(mail),
  });
  const { headcount } = run;
  const { history } = headcount.context.store;
  const count = (visitors: number) => ({ visitors, views: visitors });
  const sums = Object.entries({ DE: 6, FR: 4 }).map(([text, visitors]) => ({
    ...{ what: what.country, text },
    ...count(visitors),
  }));
  await run.view('/', 1, gptBot);
  run.clock.set('2026-11-18T12:00:00Z');
  await run.view('/', 3);
  await run.view('/', 2, gptBot);
  await run.lookAt('2026-11-20T12:00:00Z');
  const addDays = async (...dates: string[]) => {
    for (const date of dates) {
      const counted = { day: toDay(Temporal.PlainDate.from(date)), tool: 'Plausible', site: count(10), sums };
      expect(await history.addDay(headcount.projectId, counted)).toBe('added');
    }
  };
  await addDays('2026-11-16', '2026-11-17');
  const client = await openDashboard(headcount);
  const save = (body: object) =>
    client.must<SavedViewReply>('POST', `/v1/analytics/${headcount.projectId}/saved-views`, body);
  const phones = await save({ name: 'Phones', filter: { device: 'desktop' } });
  const french = await save({ name: 'French', filter: { country: 'FR' } });
  expect((await run.change({ digestViews: [phones.id, french.id] })).status).toBe(200);
  await run.lookAt('2026-11-24T12:00:00Z');
  const digest = mail.mails.at(-1);
  expect(digest?.headers.subject).toBe('Docs, week of 2026-11-16: 23 views by people, at least 2 by AI');
  const text = digest?.text ?? '';
  expect(text).toContain(
    'AI that runs no scripts was not measured on 2 days from 2026-11-16 to 2026-11-17: there may have been more.',
  );
  expect(text).toContain('Visitors, AI: at least 2 (1 the week before)\n');
  expect(text).toContain('/: 3 by people, at least 2 by AI\n');
  expect(text).toContain('GPTBot (claimed): at least 2\n');
  const [, ofPhones = '', ofFrench = ''] = text.split('View: ');
  expect(ofPhones).toMatch(/^Phones\nFilters together are not known of 2 days from 2026-11-16 to 2026-11-17/);
  expect(ofPhones).toContain('Views by people: 3 to 23 (not measured the week before)\n');
  expect(ofFrench).toContain('Views by people: 8 (not measured the week before)\n');
  // With countries left out of the past, nothing is known of AI clients on these days.
  run.clock.set('2026-11-25T12:00:00Z');
  await run.view('/', 2, gptBot);
  await run.lookAt('2026-11-27T12:00:00Z');
  await addDays('2026-11-23', '2026-11-24');
  await run.change({ excludedCountries: ['DE'], excludesPast: true });
  await run.lookAt('2026-12-01T12:00:00Z');
  expect(mail.mails.at(-1)?.text).toContain('GPTBot: not known\n');
});
