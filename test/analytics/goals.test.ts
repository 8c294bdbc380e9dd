import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportCommand } from '../../server/commands/export.ts';
import { toDay } from '../../server/counting/calendar.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { projectCommand } from '../../server/operations/projects.ts';
import type { GoalsReply } from '../../shared/reports/analytics.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { statusAndError } from '../support/headcount.ts';
import { combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  clock.set('2026-05-10T10:00:00Z');
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

async function setGoals(...goals: string[]): Promise<void> {
  const given = goals.flatMap((goal) => ['--goal', goal]);
  await projectCommand.run(
    ['set', run.headcount.projectId, ...given],
    terminalOf(run.headcount, { now: clock.now }),
  );
  await run.headcount.context.registry.refresh();
}

const address = (report: string) => `/v1/analytics/${run.headcount.projectId}/${report}`;
const goals = async (query = '') => {
  const { goals, cappedViews } = await run.headcount.get<GoalsReply>(address(`goals?${query}`));
  return { goals: goals.map((goal) => Object.values(goal)), cappedViews };
};
const read = async (report: string) => {
  const headers = { authorization: `Bearer ${run.headcount.adminKey}` };
  return (await fetch(`${run.headcount.url}${address(report)}`, { headers })).text();
};

/** What somebody viewed or did, so many minutes ago. */
const hit = (path: string, minutes: number, more: object = {}) => ({
  ...{ url: `https://example.com${path}`, ip: '198.51.100.1', userAgent: person },
  at: new Date(clock.now() - minutes * 60_000).toISOString(),
  ...more,
});
const signUp = { event: { name: 'Sign up' } };
const other = { ip: '198.51.100.2' };

test('goals tell who reached them from where, and keep it when the day is sealed', async () => {
  await setGoals('Sign up', '/Thanks/');
  await run.headcount.hits([hit('/join', 1, signUp), hit('/join', 2, { referrer: 'https://late.example/' })]);
  await run.headcount.hits([
    hit('/', 9, { referrer: 'https://news.example/' }),
    hit('/', 8, { ...other, referrer: 'https://news.example/' }),
    hit('/Thanks', 7, other),
    hit('/join', 6, signUp),
  ]);
  for (const _ of ['open', 'sealed']) {
    expect(await goals()).toEqual({
      cappedViews: 0,
      goals: [
        ['Sign up', 2, 1, 1, 0],
        ['/Thanks/', 2, 1, 1, 0],
      ],
    });
    expect(await read('goals/Sign%20up/sources?format=csv')).toBe(
      '"source","people","conversions"\r\n"news.example",2,1\r\n',
    );
    expect(await read('goals/%2FThanks%2F/entry-pages?format=csv')).toBe(
      '"path","people","conversions"\r\n"/",2,1\r\n',
    );
    expect(JSON.parse(await read('goals/Sign%20up/countries'))).toEqual({
      totals: { people: 2, conversions: 1, measuredDays: 1, unmeasuredDays: 0 },
      countries: [{ country: 'AU', people: 2, conversions: 1 }],
      hasMore: false,
    });
    expect(await read('goals/Sign%20up/devices?format=csv')).toBe(
      '"device","people","conversions"\r\n"desktop",2,1\r\n',
    );
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
  expect(await read('goals?format=csv&search=sign')).toBe(
    '"goal","people","conversions","measuredDays","unmeasuredDays"\r\n"Sign up",2,1,1,0\r\n',
  );
});

test('days that an earlier version closed are not measured by device', async () => {
  await setGoals('Sign up');
  for (const _ of ['first', 'second']) {
    await run.headcount.hits([hit('/', 2), hit('/', 1, signUp), hit('/', 1, other)]);
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
  const { projectId } = run.headcount;
  const file = join(run.folder, 'project.jsonl');
  const terminal = terminalOf(run.headcount, { now: clock.now });
  await exportCommand.run(['--project', projectId, file], terminal);
  // As it wrote them, the first day.
  const isLater = (line: string) => !/"2026-05-10".*"(goal|entry)Device"/.test(line);
  const records = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const left = records.slice(0, -1).filter(isLater);
  expect(records.length - left.length).toBeGreaterThan(2);
  await projectCommand.run(['remove', projectId, '--yes'], terminal);
  const end = JSON.stringify({ type: 'end', records: left.length });
  await writeFile(file, [...left, end, ''].join('\n'));
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await projectCommand.run(['import', file, '--json'], { ...terminal, print });
  await run.headcount.context.registry.refresh();
  const headers = { authorization: `Bearer ${JSON.parse(printed).adminKey}` };
  const ask = async (report: string) =>
    (await fetch(run.headcount.url + address(`goals/Sign%20up/${report}`), { headers })).json();
  const both = { people: 4, conversions: 2, measuredDays: 2, unmeasuredDays: 0 };
  expect(await ask('countries')).toMatchObject({ totals: both });
  expect(await ask('devices')).toEqual({
    totals: { people: 2, conversions: 1, measuredDays: 1, unmeasuredDays: 1 },
    devices: [{ device: 'desktop', people: 2, conversions: 1 }],
    hasMore: false,
  });
  const none = { people: null, conversions: null, measuredDays: 0, unmeasuredDays: 1 };
  expect(await ask('devices?dateTo=2026-05-11')).toEqual({ totals: none, devices: [], hasMore: false });
});

test('an export of an active day has what closing makes of it, by device and section too', async () => {
  await projectCommand.run(
    ['set', run.headcount.projectId, '--goal', 'Sign up', '--goal', '/a', '--section', '/a* A'],
    terminalOf(run.headcount, { now: clock.now }),
  );
  await run.headcount.context.registry.refresh();
  await run.headcount.hits([hit('/', 2), hit('/a', 1), hit('/a', 1, signUp), hit('/', 1, other)]);
  const { projectId } = run.headcount;
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const terminal = terminalOf(run.headcount, { now: clock.now, print });
  const exported = async (format: string) => {
    const file = join(run.folder, `${clock.now()}.${format}`);
    await exportCommand.run(['--project', projectId, '--format', format, file], terminal);
    return file;
  };
  const lines = async (file: string) => (await readFile(file, 'utf8')).trim().split('\r\n');
  const reports = ['goals/Sign%20up/devices', 'goals/%2Fa/devices', 'sections'];
  const before = await Promise.all(reports.map((report) => run.headcount.get(address(report))));
  const [archive, active] = [await exported('jsonl'), await lines(await exported('csv'))];
  clock.advance(3 * dayMs);
  await sealDueDays(run.headcount.context);
  // Hours are of active days alone.
  expect(await lines(await exported('csv'))).toEqual(active.filter((line) => !line.includes(',hour,')));
  expect(active.filter((line) => /,(goalDevice|entryDevice|section),/.test(line))).toHaveLength(5);
  await projectCommand.run(['remove', projectId, '--yes'], terminal);
  printed = '';
  await projectCommand.run(['import', archive, '--json'], terminal);
  await sealDueDays(run.headcount.context);
  await run.headcount.context.registry.refresh();
  const headers = { authorization: `Bearer ${JSON.parse(printed).adminKey}` };
  for (const [i, report] of reports.entries())
    expect(await (await fetch(run.headcount.url + address(report), { headers })).json()).toEqual(before[i]);
});

test('channels and sections follow from sources and first pages, bounded where a medium may say another channel', async () => {
  const set = async (...given: string[]) => {
    await projectCommand.run(
      ['set', run.headcount.projectId, ...given],
      terminalOf(run.headcount, { now: clock.now }),
    );
    await run.headcount.context.registry.refresh();
  };
  await set('--goal', 'Sign up', '--section', '/docs/** Docs', '--section', '/docs/a/** Guides');
  const [third, fourth] = ['198.51.100.3', '198.51.100.4'].map((ip) => ({ ip }));
  const news = { referrer: 'https://news.example/' };
  await run.headcount.hits([
    hit('/docs/a/x', 9, { referrer: 'https://www.google.com/' }),
    hit('/', 8, signUp),
    hit('/docs/b', 9, { ...other, referrer: 'https://www.bing.com/' }),
    hit('/', 9, { ...third, ...news }),
    hit('/docs/a/x', 8, { ...third, ...signUp }),
    hit('/docs/a/y', 9, fourth),
    hit('/', 8, { ...fourth, ...signUp }),
  ]);
  const channels = '"channel","people","conversions","peopleAtMost","conversionsAtMost"\r\n';
  const exact = `${channels}"search",2,1,2,1\r\n"direct",1,1,1,1\r\n"referral",1,1,1,1\r\n`;
  const days = 'dateTo=2026-05-11&';
  for (const _ of ['open', 'sealed']) {
    expect(await read(`goals/Sign%20up/channels?${days}format=csv`)).toBe(exact);
    expect(JSON.parse(await read(`goals/Sign%20up/channels?${days}limit=1`))).toEqual({
      totals: { people: 4, conversions: 3, measuredDays: 1, unmeasuredDays: 0 },
      channels: [{ channel: 'search', people: 2, conversions: 1 }],
      hasMore: true,
    });
    expect(await read(`goals/Sign%20up/sections?${days}format=csv`)).toBe(
      '"section","path","people","conversions"\r\n"Docs","/docs/**",3,2\r\n"Guides","/docs/a/**",2,2\r\n"(other)",,1,1\r\n',
    );
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
  await set('--channel', 'news.example = social', '--section', '/docs/b Bee', '--section', '/ Home');
  expect(await read(`goals/Sign%20up/channels?${days}search=soc&format=csv`)).toBe(
    `${channels}"social",1,1,1,1\r\n`,
  );
  expect(JSON.parse(await read(`goals/Sign%20up/sections?${days}offset=0`)).sections).toEqual([
    { section: '(other)', path: null, people: 2, conversions: 2 },
    { section: 'Home', path: '/', people: 1, conversions: 1 },
  ]);
  // On another day one of three from search engines clicked on something paid.
  await run.headcount.hits([
    hit('/?utm_medium=cpc', 9, { referrer: 'https://www.google.com/' }),
    hit('/', 8, signUp),
    hit('/', 9, { ...other, referrer: 'https://www.google.com/' }),
    hit('/', 8, { ...other, ...signUp }),
    hit('/', 9, { ...third, referrer: 'https://www.bing.com/' }),
  ]);
  const [people, conversions] = [2, 1].map((from) => ({ from, to: from + 1 }));
  const ofPaid = { people: { from: 0, to: 1 }, conversions: { from: 0, to: 1 } };
  for (const _ of ['open', 'sealed']) {
    const { channels: found } = JSON.parse(await read('goals/Sign%20up/channels?dateFrom=2026-05-12'));
    expect(found).toEqual([
      { channel: 'search', people: 2, conversions: 1, bounds: { people, conversions } },
      { channel: 'paid', people: 0, conversions: 0, bounds: ofPaid },
    ]);
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
  await set('--section', '');
  expect(JSON.parse(await read(`goals/Sign%20up/sections?${days}`)).sections).toEqual([
    { section: '(other)', path: null, people: 4, conversions: 3 },
  ]);
  await set('--goal', '/never');
  expect(JSON.parse(await read('goals/%2Fnever/sections')).sections).toEqual([]);
});

test('whoever reaches a goal, or turns out to have begun elsewhere, does so in the next report', async () => {
  await setGoals('Sign up');
  const seen: string[] = [];
  for (const one of [
    hit('/b', 9),
    hit('/b', 8, signUp),
    hit('/a', 10),
    hit('/a', 7, other),
    hit('/a', 6, { ...other, ...signUp }),
  ]) {
    await run.headcount.hits([one]);
    seen.push(await read('goals/Sign%20up/entry-pages?format=csv'));
  }
  const rows = ['', '"/b",1,1\r\n', '"/a",1,1\r\n', '"/a",2,1\r\n', '"/a",2,2\r\n'];
  expect(seen).toEqual(rows.map((row) => `"path","people","conversions"\r\n${row}`));
  expect((await goals()).goals).toEqual([['Sign up', 2, 2, 1, 0]]);
});

test('goals, funnels and sections of old paths are of the pages that these are now, and after an undo', async () => {
  const { headcount } = run;
  const change = async (method: string, address: string, body?: object) => {
    const headers = { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    expect((await fetch(headcount.url + address, sent)).ok).toBe(true);
  };
  const aims = ['/then', '/{then,never}', '/v1/**', '/v*/a', '/now', '/docs/a', '/many/x'];
  await change('PATCH', `/v1/projects/${headcount.projectId}`, {
    ...{
      goals: aims,
      funnels: ['/v1/a > /then', '/docs/* > /now'],
      sections: ['/v1/** One', '/docs/** Docs'],
    },
  });
  const renames = { '/then': '/now', '/v1/**': '/docs/**', '/many/**': '/one' };
  await headcount.hits([hit('/v1/a', 9)]);
  for (const [from, to] of Object.entries(renames)) await change('POST', address('renames'), { from, to });
  const more = { ip: '198.51.100.3' };
  await headcount.hits([hit('/then', 8), hit('/now', 7), hit('/v1/a', 6, other), hit('/docs/a', 5, other)]);
  await headcount.hits([hit('/many/x', 4, more)]);
  const conversions = async () => (await goals()).goals.map(([goal, , people]) => [goal, people]);
  const all = aims.map((goal) => [goal, { '/v1/**': 2, '/v*/a': 2, '/docs/a': 2 }[goal] ?? 1]);
  for (const _ of ['open', 'closed']) {
    expect(await conversions()).toEqual(all);
    const { funnels } = await headcount.get<{ funnels: { conversions: number }[] }>(address('funnels'));
    expect(funnels.map(({ conversions }) => conversions)).toEqual([2, 1, 2, 1]);
    const { sections } = await headcount.get<{ sections: object[] }>(address('sections'));
    expect(sections).toMatchObject([
      { section: 'One', human: 2 },
      { section: 'Docs', human: 2 },
      { section: '(other)', human: 2 },
    ]);
    if (_ === 'open') clock.advance(3 * dayMs);
    await sealDueDays(headcount.context);
  }
  for (const from of Object.keys(renames))
    await change('DELETE', address(`renames?from=${encodeURIComponent(from)}`));
  await headcount.hits([hit('/then', 3), hit('/v1/a', 2, other), hit('/many/x', 1, more)]);
  const sums: Record<string, number> = {
    '/then': 2,
    '/{then,never}': 2,
    '/v1/**': 3,
    '/v*/a': 3,
    '/many/x': 2,
  };
  expect(await conversions()).toEqual(all.map(([goal, people]) => [goal, sums[goal as string] ?? people]));
});

test('globs are reached however they are written, and a query that is not kept is no part of a path', async () => {
  await setGoals('/café/*/', '/wiki/Foo_(bar)/', '/café/menu?utm=x');
  await run.headcount.hits([hit('/café/menu/?utm=x', 1), hit('/wiki/Foo_(bar)', 1, other)]);
  expect((await goals()).goals).toEqual([
    ['/café/*/', 2, 1, 1, 0],
    ['/wiki/Foo_(bar)/', 2, 1, 1, 0],
    ['/café/menu?utm=x', 2, 0, 1, 0],
  ]);
});

test('what becomes a goal shows its past, a glob as far as nobody may have viewed two of its pages', async () => {
  const bot = { userAgent: 'GPTBot/1.4' };
  const visits = [
    () => [hit('/thanks', 9), hit('/', 8, other), hit('/join', 7, { ...other, ...signUp })],
    () => [hit('/thanks', 9, other), hit('/thanks', 8, other), hit('/thanks', 7, bot)],
    () => [hit('/', 9), hit('/join', 8, signUp), hit('/join', 8, { ...other, ...signUp })],
  ];
  for (const [i, hits] of visits.entries()) {
    if (i > 0) clock.advance(2 * dayMs);
    await sealDueDays(run.headcount.context);
    await run.headcount.hits(hits());
  }
  await setGoals('/thanks/', 'Sign up', '/tha*', '/?(thanks)', '/never');
  expect((await goals()).goals).toEqual([
    ['/thanks/', 4, 2, 3, 0],
    ['Sign up', 4, 3, 3, 0],
    ['/tha*', 4, 2, 3, 0],
    ['/?(thanks)', 4, 4, 3, 0],
    ['/never', 4, 0, 3, 0],
  ]);
  const first = toDay(Temporal.PlainDate.from('2026-05-10'));
  const cutoffs = { details: first + 1, counts: null };
  const { retention } = run.headcount.context.store;
  for (let isFirst = true; await retention.forgetSome(run.headcount.projectId, cutoffs, isFirst); )
    isFirst = false;
  expect((await goals()).goals.slice(0, 2)).toEqual([
    ['/thanks/', 2, 1, 2, 1],
    ['Sign up', 2, 2, 2, 1],
  ]);
});

test('an active day on which a glob is set is measured from its first view on', async () => {
  await run.headcount.hits([hit('/', 9)]);
  await setGoals('/pric*');
  await run.headcount.hits([hit('/', 8), hit('/prices', 7)]);
  expect((await goals()).goals).toEqual([['/pric*', 1, 1, 1, 0]]);
  clock.advance(dayMs);
  await run.headcount.hits([hit('/', 9), hit('/prices', 8), hit('/', 8, other)]);
  expect((await goals()).goals).toEqual([['/pric*', 3, 2, 2, 0]]);
  await setGoals('/', '/pric*');
  expect((await goals()).goals).toEqual([
    ['/', 3, 3, 2, 0],
    ['/pric*', 3, 2, 2, 0],
  ]);
  expect((await goals('dateTo=2026-05-11')).goals).toEqual([
    ['/', 1, 1, 1, 0],
    ['/pric*', 1, 1, 1, 0],
  ]);
});

test('a goal that is taken away is no more counted, and goes on from the days that it had', async () => {
  await setGoals('/', '/a');
  await run.headcount.hits([hit('/', 9)]);
  await setGoals('/');
  clock.advance(3 * dayMs);
  await sealDueDays(run.headcount.context);
  await setGoals('/', '/a');
  await run.headcount.hits([hit('/a', 9)]);
  expect((await goals()).goals).toEqual([
    ['/', 2, 1, 2, 0],
    ['/a', 2, 1, 2, 0],
  ]);
});

test.each(['entry-pages', 'sources', 'countries', 'devices', 'channels', 'sections'])(
  'a goal that the project does not have is not found, and its goals are listed: %s',
  async (report) => {
    const ask = async (goal: string) => {
      const headers = { authorization: `Bearer ${run.headcount.adminKey}` };
      return statusAndError(fetch(run.headcount.url + address(`goals/${goal}/${report}`), { headers }));
    };
    expect(await ask('Sign%20up')).toEqual([404, 'The project has no goal "Sign up": set some first.']);
    await setGoals('Sign up', '/thanks');
    for (const goal of ['/prices', '(other)', 'constructor', '\u0000', '*'.repeat(300)]) {
      const [status, error] = await ask(encodeURIComponent(goal));
      expect([goal, status, error]).toEqual([goal, 404, expect.stringContaining('Goals: Sign up, /thanks.')]);
      expect(error.length).toBeLessThan(400);
    }
    for (const goal of ['sign-up', 'thanks', 'https://example.com/thanks?x=1'])
      expect(await ask(encodeURIComponent(goal))).toEqual([200, '']);
  },
);

test('logs of past days bring conversions by path, which go on with those of before', async () => {
  await setGoals('/thanks');
  const at = (time: string, path: string, more = {}) =>
    combined({ at: `2026-05-01T${time}Z`, path, ...more });
  const referrer = 'https://news.example/';
  const log = await run.write('a.log', at('08:00:00', '/a', { referrer }) + at('09:00:00', '/thanks'));
  await run.import([log, '--people', 'count']);
  clock.advance(3 * dayMs);
  await sealDueDays(run.headcount.context);
  const more = await run.write('b.log', at('12:00:00', '/b', { ip: '198.51.100.2', referrer }));
  await run.import([more, '--merge', '--people', 'count']);
  expect((await goals()).goals).toEqual([['/thanks', 2, 1, 1, 0]]);
  expect(await read('goals/%2Fthanks/sources?format=csv')).toContain('"news.example",2,1');
});

test('what counts as (other) reaches no goal, and the report says how much that is', async () => {
  await setGoals('/thanks');
  for (const start of [0, 1000, 2000]) {
    await run.headcount.hits(Array.from({ length: 1000 }, (_, i) => hit(`/new/${start + i}`, 9)));
  }
  await run.headcount.hits([hit('/thanks', 1)]);
  expect(await goals()).toEqual({ cappedViews: 1001, goals: [['/thanks', 1, 0, 1, 0]] });
  await run.headcount.hits([hit('/thanks', 1, { ip: '203.0.113.2' })]);
  expect((await goals()).goals).toEqual([['/thanks', 2, 1, 1, 0]]);
  expect(JSON.parse(await read('goals/%2Fthanks/sections'))).toMatchObject({
    cappedViews: 1001,
    sections: [{ section: '(other)', path: null, people: 2, conversions: 1 }],
  });
});

test('reports that are asked for at once have what each has alone', async () => {
  await setGoals('/thanks');
  await run.headcount.hits([hit('/thanks', 1), hit('/x', 2, other)]);
  const paths = Array.from({ length: 6 }, () => ['goals/%2Fthanks/devices', 'series', 'goals']).flat();
  const alone: string[] = [];
  for (const path of paths.slice(0, 3)) alone.push(await read(path));
  expect(await Promise.all(paths.map((path) => read(path)))).toEqual(paths.map((_, i) => alone[i % 3]));
});

test('funnels tell how far people came on one day, and keep it when the day is sealed', async () => {
  const set = ['set', run.headcount.projectId, '--funnel', '/prices>/cart > Sign up'];
  await projectCommand.run(set, terminalOf(run.headcount, { now: clock.now }));
  await run.headcount.context.registry.refresh();
  await run.headcount.hits([hit('/cart', 5), hit('/x', 1, signUp), hit('/cart', 9, other)]);
  await run.headcount.hits([hit('/prices', 7), hit('/prices', 3, other)]);
  for (const _ of ['open', 'sealed']) {
    expect(await read('funnels?format=csv')).toBe(
      [
        '"funnel","step","goal","began","people","conversions","measuredDays","unmeasuredDays"',
        '"/prices > /cart > Sign up",1,"/prices",2,2,2,1,0',
        '"/prices > /cart > Sign up",2,"/cart",2,2,1,1,0',
        '"/prices > /cart > Sign up",3,"Sign up",2,2,1,1,0\r\n',
      ].join('\r\n'),
    );
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
  }
});

test('goals are refused where they say nothing, come twice or are too many', async () => {
  const refusal = async (...given: string[]) => setGoals(...given).catch(({ message }: Error) => message);
  expect(await refusal('/a', '/a')).toBe('--goal must name each goal once.');
  expect(await refusal('x'.repeat(101))).toContain('must have at most 100 characters');
  const setFunnels = (...funnels: string[]) =>
    projectCommand
      .run(
        ['set', run.headcount.projectId, ...funnels.flatMap((funnel) => ['--funnel', funnel])],
        terminalOf(run.headcount, { now: clock.now }),
      )
      .catch(({ message }: Error) => message);
  const wanted =
    '--funnel must be 2 to 5 events or paths with > between them, such as /prices > /cart > Order.';
  for (const funnel of ['/a', '/a > > /b', '1 > 2 > 3 > 4 > 5 > 6'])
    expect(await setFunnels(funnel)).toBe(wanted);
  expect(await setFunnels(...Array.from({ length: 11 }, (_, i) => `/${i} > /end`))).toBe(
    '--funnel must be at most 10.',
  );
  expect(await refusal(...Array.from({ length: 21 }, (_, i) => `/${i}`))).toBe('--goal must be at most 20.');
});
