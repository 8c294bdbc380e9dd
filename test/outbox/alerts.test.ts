import { expect, onTestFinished, test } from 'vitest';
import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { gptBot, type OutboxRun, startOutboxRun } from '../support/outbox/outbox-run.ts';
import { startWebhookServer, type WebhookServer } from '../support/outbox/webhook-server.ts';

const claudeBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)';
const perplexityBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)';
const dayMs = 86_400_000;
const start = '2027-03-01T12:00:00Z';
/** A list of GPTBot's addresses came with this version, and accuses others while it is fresh. */
const startWithList = '2026-10-10T12:00:00Z';

interface AlertRun extends OutboxRun {
  server: WebhookServer;
  /** Titles of what was sent, without the project's name. */
  titles(): string[];
  /** Counts a day, seals what is due, and looks. */
  day(count: (run: OutboxRun) => Promise<void>): Promise<void>;
  days(times: number, count: (run: OutboxRun) => Promise<void>): Promise<void>;
}

async function startAlertRun(alerts: AlertKind[], from = start): Promise<AlertRun> {
  const server = await startWebhookServer();
  onTestFinished(() => server.stop());
  const run = await startOutboxRun({
    start: from,
    project: { name: 'Docs', webhookFormat: 'slack', alerts },
  });
  await run.change({ secrets: { webhookUrl: server.url } });
  const day: AlertRun['day'] = async (count) => {
    await count(run);
    run.clock.advance(dayMs);
    await run.look();
  };
  return {
    ...run,
    server,
    day,
    days: async (times, count) => {
      for (let i = 0; i < times; i++) await day(count);
    },
    titles: () =>
      server.calls.map(({ body }) => {
        const [title = ''] = (JSON.parse(body) as { text: string }).text.split('\n');
        return title.replace(/^\*Docs: (.*)\*$/, '$1');
      }),
  };
}

const textsOf = ({ server }: AlertRun) =>
  server.calls.map(({ body }) => (JSON.parse(body) as { text: string }).text);
const people = ({ view }: OutboxRun) => view('/', 3);
const nothing = async () => undefined;

test('a new AI client is reported once, with who runs it, when the day is sealed', async () => {
  const run = await startAlertRun(['new_client']);
  const usual = async (one: OutboxRun) => {
    await people(one);
    await one.view('/', 4, gptBot);
  };
  await run.days(20, usual);
  expect(run.titles()).toEqual([]);
  await run.day(async (one) => {
    await usual(one);
    await one.view('/guide', 2, claudeBot);
  });
  expect(run.titles()).toEqual([]);
  await run.days(3, (one) => one.view('/guide', 2, claudeBot));
  expect(run.titles()).toEqual(['a new AI client, ClaudeBot']);
  expect(textsOf(run)[0]).toContain(
    'ClaudeBot (Anthropic, training) read the site for the first time on 2027-03-21: 2 views.',
  );
  expect(await run.deliveries()).toMatchObject([{ kind: 'alert.new_client', state: 'sent' }]);
});

test('a young project has no new clients', async () => {
  const run = await startAlertRun(['new_client']);
  await run.days(10, people);
  await run.days(5, (one) => one.view('/guide', 2, claudeBot));
  expect(run.titles()).toEqual([]);
});

test('a client that is gone is told once, with what is usual and how unlikely its silence is', async () => {
  const run = await startAlertRun(['silent_client']);
  await run.days(20, async (one) => {
    await one.view('/', 9, gptBot);
    await one.view('/', 3, claudeBot);
  });
  await run.days(12, (one) => one.view('/', 9, gptBot));
  expect(run.titles()).toEqual(['ClaudeBot has stopped coming']);
  expect(textsOf(run)[0]).toMatch(
    /was seen last on 2027-03-20, \d whole days ago\. Before, it read 3 pages a day on average/,
  );
});

test('where no AI client comes any more, that is told, and not each of them', async () => {
  const run = await startAlertRun(['silent_client']);
  await run.days(20, async (one) => {
    await one.view('/', 9, gptBot);
    await one.view('/', 3, claudeBot);
  });
  await run.days(12, people);
  expect(run.titles()).toEqual(['no AI client since 2027-03-20']);
});

test('a client that reads three times its mean is reported on the day on which that begins', async () => {
  const run = await startAlertRun(['busy_client']);
  await run.days(20, (one) => one.view('/', 12, gptBot));
  await run.day((one) => one.view('/', 36, gptBot));
  await run.days(2, (one) => one.view('/', 50, gptBot));
  await run.days(3, (one) => one.view('/', 12, gptBot));
  expect(run.titles()).toEqual(['GPTBot reads 3 times as much as usual']);
  expect(textsOf(run)[0]).toContain('read 50 pages on 2027-03-22, against 13.1 a day on average');
});

test('spoofing that surges is told with whose names are used, and is not counted', async () => {
  const run = await startAlertRun(['spoofing'], startWithList);
  const spoof = (times: number) => async (one: OutboxRun) => {
    await people(one);
    const hit = { url: 'https://example.com/', ip: '91.240.118.9', userAgent: gptBot };
    await one.headcount.hits(Array.from({ length: times }, () => hit));
  };
  await run.days(16, spoof(2));
  await run.days(2, spoof(60));
  await run.days(2, nothing);
  expect(run.titles()).toEqual(['60 hits in the name of AI clients that did not send them']);
  expect(textsOf(run)[0]).toContain('against 2 a day on average before. Most claimed to be GPTBot (60).');
  expect((await run.headcount.views())['/']).toEqual({ human: 54, ai: 0, total: 54 });
});

test('a way in that fell silent is told once, with what to do', async () => {
  const run = await startAlertRun(['silent_way']);
  const script = ({ headcount }: OutboxRun) =>
    headcount.hit({ u: 'https://example.com/' }, { 'user-agent': chromeUserAgent }).then(() => undefined);
  await run.days(20, async (one) => {
    await script(one);
    await one.view('/', 4, gptBot);
  });
  await run.days(12, (one) => one.view('/', 4, gptBot));
  expect(run.titles()).toEqual(['nothing comes in by the script any more']);
  expect(textsOf(run)[0]).toContain('See whether its line is still in the pages.');
  expect(textsOf(run)[0]).toContain('since 2027-03-20');
});

test('a server that was off looks at each day that it missed, and one that was asked a moment ago at the newest alone', async () => {
  const run = await startAlertRun([]);
  await run.days(20, people);
  await run.days(1, (one) => one.view('/', 1, gptBot));
  await run.days(3, people);
  await run.change({ alerts: ['new_client'] });
  await run.look();
  expect(run.titles()).toEqual([]);
  await run.view('/', 1, claudeBot);
  run.clock.advance(4 * dayMs);
  await run.look();
  expect(run.titles()).toEqual(['a new AI client, ClaudeBot']);
});

test('a kind that is added to others begins with the next day that is sealed', async () => {
  const run = await startAlertRun(['silent_way']);
  await run.days(20, people);
  await run.days(1, (one) => one.view('/', 1, gptBot));
  await run.days(1, people);
  await run.change({ alerts: ['silent_way', 'new_client'] });
  await run.look();
  expect(run.titles()).toEqual([]);
  await run.days(2, (one) => one.view('/', 1, claudeBot));
  expect(run.titles()).toEqual(['a new AI client, ClaudeBot']);
});

test('alerts that are turned off and on again within a week tell of the days between', async () => {
  const run = await startAlertRun(['new_client']);
  await run.days(20, people);
  await run.change({ alerts: [] });
  await run.days(1, (one) => one.view('/', 1, gptBot));
  await run.days(3, people);
  expect(run.titles()).toEqual([]);
  await run.change({ alerts: ['new_client'] });
  await run.look();
  expect(run.titles()).toEqual(['a new AI client, GPTBot']);
});

test('a clock that jumps ahead and back reports nothing twice', async () => {
  const run = await startAlertRun(['new_client']);
  await run.days(20, people);
  await run.day((one) => one.view('/guide', 2, claudeBot));
  await run.day(people);
  expect(run.titles()).toHaveLength(1);
  run.clock.advance(40 * dayMs);
  await run.look();
  run.clock.advance(-40 * dayMs);
  await run.look();
  await run.day(nothing);
  expect(run.titles()).toHaveLength(1);
});

test('days on which AI was not measured are no silence, and no days without impostors', async () => {
  const run = await startAlertRun(['silent_client', 'spoofing'], startWithList);
  const byScript = async ({ headcount }: OutboxRun) => {
    await headcount.hit({ u: 'https://example.com/' });
  };
  const spoof = async (times: number, { headcount }: OutboxRun) => {
    const hit = { url: 'https://example.com/', ip: '91.240.118.9', userAgent: gptBot };
    await headcount.hits(Array.from({ length: times }, () => hit));
  };
  const both = async (one: OutboxRun) => {
    await one.view('/', 3, claudeBot);
    await one.view('/', 9, perplexityBot);
    await spoof(40, one);
  };
  await run.days(16, both);
  await run.days(20, byScript);
  await run.day((one) => one.view('/', 9, perplexityBot));
  await run.day((one) => spoof(60, one));
  await run.days(2, byScript);
  expect(run.titles().slice(1)).toEqual([]);
  await run.days(9, (one) => one.view('/', 9, perplexityBot));
  // Where none comes any more, the reports may have stopped, which is said at once.
  expect(run.titles()).toEqual(['no AI client since 2026-10-25', 'ClaudeBot has stopped coming']);
  expect(textsOf(run)[1]).toMatch(
    /was seen last on 2026-10-25, and on none of the \d whole days since on which AI was measured\. Before, it read 3 pages/,
  );
});

test('kinds that do not exist are refused', async () => {
  const run = await startAlertRun([]);
  const refused = await run.change({ alerts: ['everything'] as never });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    details: [{ path: 'alerts.0', message: expect.stringContaining('must be one of new_client, ') }],
  });
});

test('days on which AI was not measured are no days without a client', async () => {
  const run = await startAlertRun(['new_client', 'busy_client']);
  const byScript = async ({ headcount }: OutboxRun) => {
    await headcount.hit({ u: 'https://example.com/' });
  };
  await run.days(16, byScript);
  await run.days(16, (one) => one.view('/', 12, gptBot));
  await run.days(6, byScript);
  await run.day((one) => one.view('/', 30, gptBot));
  await run.days(2, byScript);
  expect(run.titles()).toEqual([]);
  await run.day((one) => one.view('/', 2, claudeBot));
  await run.days(2, byScript);
  expect(run.titles()).toEqual(['a new AI client, ClaudeBot']);
  expect(textsOf(run)[0]).toContain('On none of the 17 days on which AI was measured, since 2027-03-01,');
});

/** Hits by the script alone: on such days AI that runs no scripts is not measured. */
const byScript =
  (times: number, userAgent: string) =>
  async ({ headcount }: OutboxRun): Promise<void> => {
    const hit = () => headcount.hit({ u: 'https://example.com/' }, { 'user-agent': userAgent });
    await Promise.all(Array.from({ length: times }, hit));
  };

test('what only the script sees of a client is new and busy where it is', async () => {
  const run = await startAlertRun(['new_client', 'busy_client']);
  await run.days(20, byScript(3, chromeUserAgent));
  await run.days(20, byScript(10, gptBot));
  expect(run.titles()).toEqual(['a new AI client, GPTBot']);
  await run.day(byScript(60, gptBot));
  await run.days(2, byScript(10, gptBot));
  expect(run.titles()).toEqual(['a new AI client, GPTBot', 'GPTBot reads 6 times as much as usual']);
});

test('a client was busy on one day, also where only the script reports afterwards', async () => {
  const run = await startAlertRun(['busy_client']);
  await run.days(20, (one) => one.view('/', 12, gptBot));
  await run.day((one) => one.view('/', 50, gptBot));
  await run.days(3, byScript(1, gptBot));
  expect(run.titles()).toEqual(['GPTBot reads 4 times as much as usual']);
});
