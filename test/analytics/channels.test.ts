import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { projectCommand } from '../../server/operations/projects.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf } from '../support/headcount.ts';
import { type ImportRun, person, startImport } from '../support/import/import-run.ts';
import { plausibleExport } from '../support/import/plausible-export.ts';
import { zip } from '../support/import/zip.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  clock.set('2026-05-10T10:00:00Z');
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

interface Reply {
  totals: BoundedCount;
  unmeasured?: { days: number } | null;
  channels: (BoundedCount & { channel: string })[];
}

const address = (report: string) => `/v1/analytics/${run.headcount.projectId}/${report}`;
const read = (query = '') => run.headcount.get<Reply>(address(`channels?${query}`));
const ask = (report: string) =>
  fetch(run.headcount.url + address(report), {
    headers: { authorization: `Bearer ${run.headcount.adminKey}` },
  });
const set = async (...options: string[]) => {
  const terminal = terminalOf(run.headcount, { now: clock.now });
  await projectCommand.run(['set', run.headcount.projectId, ...options], terminal);
  await run.headcount.context.registry.refresh();
};
/** People, or between how many of them the number is. */
const people = ({ channels }: Reply) =>
  Object.fromEntries(
    channels.map(({ channel, human, bounds }) => [
      channel,
      bounds ? [bounds.human.from, bounds.human.to] : human,
    ]),
  );

let visitors = 0;
/** So many people who come to a page. */
async function come(count: number, path: string, referrer?: string): Promise<void> {
  const hits = Array.from({ length: count }, () => ({
    ...{
      url: `https://example.com${path}`,
      ip: `198.51.${Math.floor(visitors / 250)}.${1 + (visitors++ % 250)}`,
    },
    ...{ userAgent: person, referrer, at: new Date(clock.now()).toISOString() },
  }));
  expect(await (await run.headcount.hits(hits)).json()).toMatchObject({ accepted: count });
}

async function comeFromAll(): Promise<void> {
  await come(4, '/', 'https://chatgpt.com/');
  await come(5, '/', 'https://www.google.de/');
  await come(3, '/docs', 'https://duckduckgo.com/');
  await come(3, '/docs', 'https://www.reddit.com/r/docs');
  await come(3, '/?utm_source=google&utm_medium=cpc', 'https://www.google.com/');
  await come(4, '/docs?utm_source=autumn&utm_medium=Email');
  await come(3, '/docs?utm_source=flyer&utm_medium=print');
  await come(6, '/', 'https://blog.example.net/');
  await come(5, '/docs');
}

const all = { ai: 4, search: 8, social: 3, paid: 3, mail: 4, campaign: 3, referral: 6, direct: 5 };

test('visitors by channel follow from sources and mediums, on active and on closed days', async () => {
  await set('--minimum-group', '1');
  await comeFromAll();
  for (const _ of ['active', 'closed']) {
    const reply = await read();
    expect(people(reply)).toEqual(all);
    expect(reply).toMatchObject({ totals: { human: 36, ai: 0, total: 36 }, unmeasured: null });
    expect(reply.channels[0]).toEqual({ channel: 'search', human: 8, ai: 0, total: 8 });
    expect(people(await read('path=/docs'))).toEqual({
      search: 3,
      social: 3,
      mail: 4,
      campaign: 3,
      direct: 5,
    });
    expect(people(await read('channel=search|ai&source=!google.com'))).toEqual({ ai: 4, search: 3 });
    const sources = await run.headcount.get(address('sources?channel=Organic%20search'));
    expect(sources).toMatchObject({
      totals: { human: 8 },
      sources: [
        { source: 'google.com', human: 5 },
        { source: 'duckduckgo.com', human: 3 },
      ],
    });
    expect(await run.headcount.get(address('visitors?channel=!search&path=/'))).toMatchObject({
      totals: { human: 13, total: 13 },
    });
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
});

test('a closed day whose rare values are left out has the exact number, or bounds', async () => {
  await comeFromAll();
  await come(1, '/', 'https://bing.com/');
  await come(1, '/docs?utm_source=google&utm_medium=cpc');
  clock.advance(3 * dayMs);
  await sealDueDays(run.headcount.context);
  const truth = { ...all, search: 9, paid: 4 };
  const found = people(await read());
  for (const [channel, count] of Object.entries(truth)) {
    const [from, to] = [found[channel] ?? []].flat();
    expect([channel, Number(from) <= count, count <= Number(to ?? from)]).toEqual([channel, true, true]);
  }
  expect(found).toMatchObject({ ai: 4, paid: 4, mail: 4, direct: 5 });
});

test('rules of the project come first, for the past too, and say what is wrong with them', async () => {
  await set('--minimum-group', '1');
  await comeFromAll();
  clock.advance(3 * dayMs);
  await sealDueDays(run.headcount.context);
  await set('--channel', '*.example.net = social', '--channel', 'flyer=Mail');
  const { campaign: _, referral: __, ...others } = all;
  expect(people(await read())).toEqual({ ...others, social: 9, mail: 7 });
  await expect(set('--channel', 'flyer = shop')).rejects.toThrow(
    /must be a source or a glob, = and one of ai, search, .*such as "\*\.example\.org = social"/,
  );
  await expect(set('--channel', 'flyer = mail', '--channel', 'Flyer = social')).rejects.toThrow(
    /must name each source once/,
  );
});

test('days that another tool counted have what their sums allow', async () => {
  await run.history([await run.write('export.zip', zip(plausibleExport))]);
  expect(people(await read())).toEqual({ direct: [8, 9], search: [3, 4], social: [0, 1], mail: [1, 2] });
});

test('a channel that is none is rejected with those that there are; files and links have the report', async () => {
  await comeFromAll();
  const response = await ask('visitors?channel=serch');
  expect([response.status, (await errorOf(response)).error]).toEqual([
    400,
    expect.stringContaining('"channel" must be ai, search, social, mail, paid, campaign, referral, direct'),
  ]);
  expect(await (await ask('channels?format=csv&channel=direct')).text()).toBe(
    '"channel","human","ai","total","humanAtMost","aiAtMost","totalAtMost"\r\n"direct",5,0,5,5,0,5\r\n',
  );
  const dashboard = await openDashboard(run.headcount);
  const links = `/v1/admin/projects/${run.headcount.projectId}/links`;
  const { url } = await dashboard.must<LinkReply>('POST', links, { kind: 'page' });
  const shared = await fetch(`${run.headcount.url}/v1${new URL(url).pathname}/channels`);
  expect(people((await shared.json()) as Reply)).toEqual(all);
});
