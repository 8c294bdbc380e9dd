import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import { what } from '../../server/counting/what.ts';
import type { CombinedSeriesReply, Count } from '../../shared/reports/analytics.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { anySalt, openDay, view } from '../support/views.ts';

const dayMs = 24 * 3_600_000;
const days = 60;
const openDays = 2;
const today = Math.floor(Date.UTC(2026, 10, 20) / dayMs);
const dates = Array.from({ length: days }, (_, i) => today - days + 1 + i);

let state = 7;
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
/** The first ones are common. */
const oneOf = <T>(values: readonly T[]): T =>
  values[Math.min(random(values.length), random(values.length))] as T;

const paths = ['/', '/docs', '/docs/a', '/docs/b', '/blog/x', '/prices'];
const values = {
  country: ['DE', 'AT', 'FR', 'US', 'MT'],
  device: ['desktop', 'mobile', 'tablet'],
  browser: ['Chrome', 'Firefox', 'Safari'],
  source: ['(direct)', 'google.com', 'ChatGPT', 'news.example'],
  utmCampaign: ['spring', 'sale|now'],
  utmMedium: ['cpc', 'flyer', 'Email'],
  channel: ['direct', 'search', 'ai', 'referral', 'paid', 'mail'],
  language: ['de', 'en', 'fr'],
  client: ['GPTBot', 'ClaudeBot'],
} as const;
type Name = keyof typeof values;

/** What a visitor did on a day. */
function visit(day: number, visitor: number): View[] {
  const sender = {
    country: oneOf(values.country),
    device: oneOf(values.device),
    browser: oneOf(values.browser),
  };
  const language = oneOf(values.language);
  return Array.from({ length: 1 + random(4) }, (_, i): View => {
    const isAi = random(6) === 0;
    const isFirst = i === 0 || random(4) === 0;
    return view({
      ...{
        day,
        visitor: BigInt(day * 1000 + visitor),
        moment: i,
        path: oneOf(paths),
        ...sender,
        system: 'Linux',
      },
      ...(isAi
        ? { kind: 'ai', client: { name: oneOf(values.client), proof: 'claimed' } }
        : {
            language,
            source: isFirst ? oneOf(values.source) : null,
            utmCampaign: isFirst && random(3) === 0 ? oneOf(values.utmCampaign) : null,
            utmMedium: isFirst && random(4) === 0 ? oneOf(values.utmMedium) : null,
          }),
    });
  });
}

const views = dates.flatMap((day) =>
  Array.from({ length: 1 + random(30) }, (_, visitor) => visit(day, visitor)).flat(),
);

interface Asked {
  name: Name | 'path';
  text: string;
  isNot: boolean;
  is(value: string): boolean;
}

function condition(name: Name | 'path'): Asked {
  const all: readonly string[] = name === 'path' ? paths : values[name];
  const [one, other] = [oneOf(all), oneOf(all)];
  const isNot = random(4) === 0;
  const not = isNot ? '!' : '';
  const way = random(name === 'path' || name === 'source' ? 5 : 4);
  if (way === 4) return { name, isNot, text: `${not}*o*`, is: (value) => value.toLowerCase().includes('o') };
  if (way === 3) {
    const isBoth = one !== other && !one.includes('|') && !other.includes('|');
    if (isBoth)
      return { name, isNot, text: `${not}${one}|${other}`, is: (value) => value === one || value === other };
  }
  const isMixed = one.includes('|');
  return { name, isNot: isNot && !isMixed, text: isMixed ? one : not + one, is: (value) => value === one };
}

const channels: Readonly<Record<string, string>> = {
  ...{ cpc: 'paid', Email: 'mail', '(direct)': 'direct' },
  ...{ 'google.com': 'search', ChatGPT: 'ai', 'news.example': 'referral' },
};

function valueIn(view: View, name: Name | 'path'): string | null {
  if (name === 'channel') return channels[view.utmMedium ?? ''] ?? channels[view.source ?? ''] ?? null;
  return name === 'client' ? (view.client?.name ?? null) : view[name];
}

/** By hand: views that meet the conditions, and visitors with one, and none that has an excluded value. */
function recount(of: readonly View[], asked: readonly Asked[]) {
  return count(select(of, asked));
}

interface Met {
  view: View;
  /** It has an excluded value, which is of its visitor for the day. */
  isExcluded: boolean;
}

function select(of: readonly View[], asked: readonly Asked[]): Met[] {
  const [wanted, unwanted] = [asked.filter(({ isNot }) => !isNot), asked.filter(({ isNot }) => isNot)];
  const meets = (view: View) => (one: Asked) => one.is(valueIn(view, one.name) ?? '\0');
  return of
    .filter((view) => wanted.every(meets(view)))
    .map((view) => ({ view, isExcluded: unwanted.some(meets(view)) }));
}

function count(all: readonly Met[]) {
  const visitorsOf = (some: readonly Met[]) => {
    const gone = new Set(some.flatMap(({ view, isExcluded }) => (isExcluded ? [view.visitor] : [])));
    return new Set(some.map(({ view }) => view.visitor)).difference(gone).size;
  };
  const ofKind = (kind: View['kind']) => all.filter(({ view }) => view.kind === kind);
  const viewsOf = (some: readonly Met[]) => some.filter(({ isExcluded }) => !isExcluded).length;
  const [human, ai] = [ofKind('human'), ofKind('ai')];
  return {
    visitors: { human: visitorsOf(human), ai: visitorsOf(ai), total: visitorsOf(all) },
    views: { human: viewsOf(human), ai: viewsOf(ai), total: viewsOf(all) },
  };
}

const only = (count: number | null) => ({ from: count ?? Number.NaN, to: count ?? Number.NaN });

function expectWithin(count: BoundedCount, truth: Count, about: unknown, isExact: boolean): void {
  const { bounds } = count;
  const most = (kind: keyof Count) => bounds?.[kind].to ?? truth[kind];
  const isWithin = (['human', 'ai', 'total'] as const).every((kind) => {
    const { from, to } = bounds?.[kind] ?? only(count[kind]);
    return from <= truth[kind] && truth[kind] <= to && from === count[kind];
  });
  if (isWithin && !(isExact && bounds) && most('total') <= most('human') + most('ai')) return;
  expect.fail(JSON.stringify({ about, isExact, count, truth }));
}

let headcount: Headcount;
const projects: Record<string, ProjectClient> = {};

beforeAll(async () => {
  headcount = await startHeadcount({ now: () => (today + 0.9) * dayMs });
  const { store } = headcount.context;
  for (const minimumGroup of [1, 3]) {
    const project = await headcount.addProject({ minimumGroup });
    projects[minimumGroup] = project;
    const { projectId } = project;
    await Promise.all(dates.map((day) => openDay(store, projectId, day, anySalt())));
    const own = views.map((view) => ({ ...view, projectId }));
    for (let i = 0; i < own.length; i += 500)
      expect(await store.countViews(own.slice(i, i + 500), [])).toEqual([]);
    await store.seal(projectId, today - openDays);
  }
}, 120_000);
afterAll(() => headcount.stop());

const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
const names = [...(Object.keys(values) as Name[]), 'path'] as const;
const reports = {
  ...{ visitors: 'path', views: 'path', sources: 'source', countries: 'country', devices: 'device' },
  ...{ 'utm-campaigns': 'utmCampaign', languages: 'language', channels: 'channel' },
} as const;

describe.each([1, 3])('filters together, of closed days with groups of %s and of active ones', (least) => {
  test('agree with a count by hand', async () => {
    const { projectId, get } = projects[least] as ProjectClient;
    let exact = 0;
    const asked = 1_000;
    const compare = async (i: number) => {
      const chosen = new Set(Array.from({ length: 1 + random(4) }, () => oneOf(names)));
      const conditions = [...chosen].map(condition);
      const query = conditions.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&');
      const from = dates[random(days)] as number;
      const to = from + 1 + random(i % 25 === 0 ? days : 3);
      const about = `${query} ${from - today} ${to - today}`;
      const own = views.filter(({ day }) => day >= from && day < to);
      const report = oneOf(Object.keys(reports) as (keyof typeof reports)[]);
      const range = `dateFrom=${dateOf(from)}&dateTo=${dateOf(to)}`;
      const isExact = (least === 1 || from > today - openDays) && !conditions.some(isOfPages);

      const series = await get<CombinedSeriesReply>(`/v1/analytics/${projectId}/series?${range}&${query}`);
      const met = select(own, conditions);
      const truth = count(met);
      expectWithin(series.totals.visitors, truth.visitors, about, isExact);
      expectWithin(series.totals.views, truth.views, about, isExact);
      const byDay = Map.groupBy(met, ({ view }) => dateOf(view.day));
      expect(series.days.length).toBe(to - from);
      for (const { date, ...day } of series.days) {
        const ofDay = count(byDay.get(date) ?? []);
        expectWithin(day.visitors, ofDay.visitors, about, isExact);
        expectWithin(day.views, ofDay.views, about, isExact);
      }
      if (!series.totals.visitors.bounds) exact++;
      if (i % 8 !== 0) return;

      const by = reports[report];
      const reply = await get<{ totals: BoundedCount; unmeasured?: object | null } & Record<string, unknown>>(
        `/v1/analytics/${projectId}/${report}?${range}&${query}`,
      );
      const field = report.replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
      const rows = reply[field] as (BoundedCount & Record<string, string>)[];
      const measure = report === 'views' ? 'views' : 'visitors';
      const isPlain = 'unmeasured' in reply;
      expectWithin(reply.totals, truth[measure], `${report} ${about}`, isExact || !isPlain);
      for (const { [by]: name, ...count } of rows) {
        const ofRow = recount(
          own.filter((view) => valueIn(view, by as Name | 'path') === name),
          conditions,
        )[measure];
        expectWithin(
          count as unknown as BoundedCount,
          ofRow,
          `${report} ${about} ${name}`,
          isExact || !isPlain,
        );
        if (by === 'path' || by === 'channel') continue;
        // What all visitors with this value are is known, and no filter makes them more.
        const most = recount(
          own.filter((view) => valueIn(view, by as Name) === name),
          [],
        )[measure].total;
        const { total } = (count as unknown as BoundedCount).bounds ?? { total: { to: 0 } };
        expect([report, about, name, total.to <= most]).toEqual([report, about, name, true]);
      }
      if (isExact) {
        const found = Object.groupBy(own, (view) => valueIn(view, by as Name | 'path') ?? '');
        const counted = Object.entries(found).filter(
          ([name, some]) => name !== '' && recount(some ?? [], conditions)[measure].total > 0,
        );
        expect([
          about,
          rows
            .filter(({ total }) => Number(total) > 0)
            .map((row) => row[by])
            .sort(),
        ]).toEqual([about, counted.map(([name]) => name).sort()]);
      }
    };
    for (let i = 0; i < asked; i += 8)
      await Promise.all(Array.from({ length: Math.min(8, asked - i) }, (_, j) => compare(i + j)));
    expect(exact).toBeGreaterThan(least === 1 ? asked * 0.9 : 0);
  }, 300_000);
});

test('what each visitor has one value of is known exactly by its sums, several of them and none too', async () => {
  const { projectId, get } = projects[3] as ProjectClient;
  const read = <T>(report: string) =>
    get<T>(`/v1/analytics/${projectId}/${report}&dateFrom=${dateOf(dates[0] as number)}`);
  for (const [name, isNot, ...wanted] of [
    ['country', false, 'DE', 'AT'],
    ['country', true, 'DE'],
    ['device', true, 'mobile', 'tablet'],
    ['browser', false, 'Chrome'],
    ['browser', false, 'Firefox', 'Safari'],
  ] as const) {
    const query = `${name}=${isNot ? '!' : ''}${wanted.join('|')}`;
    const asked: Asked = {
      ...{ name, isNot, text: query },
      is: (value) => (wanted as readonly string[]).includes(value),
    };
    const series = await read<CombinedSeriesReply>(`series?${query}`);
    for (const { date, visitors, views: viewed } of series.days) {
      const truth = recount(
        views.filter(({ day }) => dateOf(day) === date),
        [asked],
      );
      expect([query, date, visitors, viewed]).toEqual([query, date, truth.visitors, truth.views]);
    }
    const truth = recount(views, [asked]).visitors;
    expect((await read<{ totals: Count }>(`visitors?${query}`)).totals).toEqual(truth);
  }
  const { countries } = await read<{ countries: (Count & { country: string })[] }>('countries?country=DE|AT');
  const rows = ['DE', 'AT'].map((country) => ({
    country,
    ...recount(
      views.filter((view) => view.country === country),
      [],
    ).visitors,
  }));
  expect(countries).toEqual(rows.sort((a, b) => b.total - a.total));
  const { clients } = await read<{ clients: object[] }>('ai-clients?client=!GPTBot');
  expect(clients).toMatchObject([{ client: 'ClaudeBot' }]);
  const { totals } = await read<CombinedSeriesReply>('series?country=DE|AT&device=!tablet');
  const both: Asked[] = [
    { name: 'country', isNot: false, text: '', is: (value) => value === 'DE' || value === 'AT' },
    { name: 'device', isNot: true, text: '', is: (value) => value === 'tablet' },
  ];
  const most = Math.min(...both.map((one) => recount(views, [one]).visitors.total));
  expect(totals.visitors.bounds?.total.to).toBeLessThanOrEqual(most);
});

/** Of several pages visitors are known within bounds on closed days. */
const isOfPages = ({ name, text }: Asked) => name === 'path' && /[*|!]/.test(text);

test('a visitor who is excluded by one page of several is within the bounds', async () => {
  const { projectId, get } = projects[1] as ProjectClient;
  const isDirect: Asked = { name: 'source', text: '', isNot: true, is: (value) => value === '(direct)' };
  for (const isNot of [false, true]) {
    const pages: Asked = {
      name: 'path',
      text: '',
      isNot,
      is: (value) => value === '/docs/b' || value === '/',
    };
    const query = `source=!(direct)&path=${isNot ? '!' : ''}/docs/b|/`;
    const { days: found } = await get<CombinedSeriesReply>(
      `/v1/analytics/${projectId}/series?dateFrom=${dateOf(dates[0] as number)}&${query}`,
    );
    for (const { date, visitors } of found) {
      const own = views.filter(({ day }) => dateOf(day) === date);
      expectWithin(visitors, recount(own, [isDirect, pages]).visitors, `${date} ${query}`, false);
    }
  }
});

test.each([1, 3])(
  'a country database that changes within a day leaves pages within the bounds of groups of %s',
  async (minimumGroup) => {
    const { store } = headcount.context;
    const { projectId, get } = await headcount.addProject({ minimumGroup });
    const changed = [today - 3, today - 2, today];
    for (const day of changed) await openDay(store, projectId, day, anySalt());
    const own = changed.flatMap((day) =>
      Array.from({ length: 40 }, (_, visitor) => {
        const [before, after] = [oneOf(values.country), oneOf(values.country)];
        return visit(day, visitor).map((one, i): View => {
          const country = i < 2 ? before : after;
          const path = random(9) === 0 ? `/docs/rare-${random(50)}` : one.path;
          return { ...one, projectId, path, country, region: `${country}-1` };
        });
      }).flat(),
    );
    expect(await store.countViews(own, [])).toEqual([]);
    await store.seal(projectId, today - openDays);
    for (const country of values.country) {
      for (const not of ['', '!']) {
        for (const asked of [
          paths.slice(1, 3),
          paths.slice(3, 5),
          ['/docs/a', '/docs/b', '/'],
          ['*docs*'],
          ['*rare*'],
        ]) {
          const isAsked = (path: string) =>
            asked.some((one) => one === path || (one.includes('*') && path.includes(one.slice(1, -1))));
          const pages: Asked = { name: 'path', text: '', isNot: not === '!', is: isAsked };
          for (const [name, value] of [
            ['country', country],
            ['region', `${country}-1`],
          ]) {
            const where: Asked = { name: 'country', text: '', isNot: true, is: (one) => one === country };
            const query = `${name}=!${value}&path=${not}${asked.join('|')}`;
            const { days: found } = await get<CombinedSeriesReply>(
              `/v1/analytics/${projectId}/series?dateFrom=${dateOf(today - 3)}&${query}`,
            );
            for (const { date, visitors } of found) {
              const ofDay = own.filter(({ day }) => dateOf(day) === date);
              expectWithin(visitors, recount(ofDay, [where, pages]).visitors, `${date} ${query}`, false);
            }
          }
        }
      }
    }
  },
);

test('a glob of pages that is no section has the views exactly, and of closed days bounds of visitors', async () => {
  const { projectId, get } = projects[3] as ProjectClient;
  const reply = await get<{ totals: BoundedCount }>(`/v1/analytics/${projectId}/views?path=/docs/**`);
  const inDocs = views.filter(({ path }) => /^\/docs(\/|$)/.test(path));
  expect(reply.totals).toMatchObject({ total: inDocs.length });
  expect(reply.totals.bounds).toBeUndefined();
  const { totals } = await get<{ totals: BoundedCount }>(`/v1/analytics/${projectId}/visitors?path=/docs/**`);
  const truth = recount(inDocs, []).visitors.total;
  const { from = 0, to = 0 } = totals.bounds?.total ?? {};
  expect([totals.total, from > 0, from <= truth, truth <= to]).toEqual([null, true, true, true]);
});

test('a page that most of many visitors viewed is known by itself, however different they are', async () => {
  const { store } = headcount.context;
  const project = await headcount.addProject();
  const { projectId } = project;
  const day = today - openDays;
  await openDay(store, projectId, day, anySalt());
  const many = Array.from({ length: 20000 }, (_, visitor) =>
    view({
      ...{ projectId, day, visitor: BigInt(visitor), path: oneOf(['/', '/', `/docs/${random(300)}`]) },
      ...{ country: oneOf(values.country), region: `R-${random(60)}`, device: oneOf(values.device) },
      ...{ browser: oneOf(values.browser), language: `l${random(30)}`, screen: `${random(6)}` },
      ...{ source: `s${random(40)}.example`, ref: `r${random(50)}` },
    }),
  );
  for (let i = 0; i < many.length; i += 500) await store.countViews(many.slice(i, i + 500), []);
  await store.seal(projectId, day);
  const truth = many.filter(
    ({ path, country, device }) => path === '/' && country === 'DE' && device === 'mobile',
  ).length;
  const { totals } = await project.get<CombinedSeriesReply>(
    `/v1/analytics/${projectId}/series?dateFrom=${dateOf(day)}&dateTo=${dateOf(day + 1)}&path=/&country=DE&device=mobile`,
  );
  const { from, to } = totals.visitors.bounds?.total ?? only(totals.visitors.total);
  expect([from > truth / 2, from <= truth, truth <= to]).toEqual([true, true, true]);
});

test('nobody is found again by all that is known of them: no group of a closed day has fewer than three', async () => {
  const { projectId, get } = projects[3] as ProjectClient;
  const closed = views.filter(({ day }) => day <= today - openDays);
  for (let i = 0; i < 60; i++) {
    const { day, path, country, device, browser, source, client } = closed[random(closed.length)] as View;
    const known = { country, device, browser, source, client: client?.name ?? null };
    const query = Object.entries({ ...known, ...(random(2) === 0 && { path }) }).flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    const range = `dateFrom=${dateOf(day)}&dateTo=${dateOf(day + 1)}`;
    const { totals } = await get<CombinedSeriesReply>(
      `/v1/analytics/${projectId}/series?${range}&${query.join('&')}`,
    );
    expect([query, totals.visitors.total === 0 || Number(totals.visitors.total) >= 3]).toEqual([query, true]);
  }
});

describe('of closed days of which less is kept', () => {
  const closed = dates.slice(0, 4);
  const first = closed[0] as number;
  let project: ProjectClient;
  beforeEach(async () => {
    const { store } = headcount.context;
    project = await headcount.addProject({ minimumGroup: 1 });
    const { projectId } = project;
    for (const day of closed) await openDay(store, projectId, day, anySalt());
    const own = views.filter(({ day }) => closed.includes(day));
    expect(
      await store.countViews(
        own.map((view) => ({ ...view, projectId })),
        [],
      ),
    ).toEqual([]);
    await store.seal(projectId, today - openDays);
  });
  const read = (query: string) =>
    project.get<CombinedSeriesReply>(
      `/v1/analytics/${project.projectId}/series?dateFrom=${dateOf(first)}&dateTo=${dateOf(first + 4)}&${query}`,
    );
  const isOnPhone = (view: View) => view.country === 'DE' && view.device === 'mobile';
  const exactly = (day: number, of: (view: View) => boolean = isOnPhone) =>
    recount(
      views.filter((view) => view.day === day && of(view)),
      [],
    ).visitors;

  test('deleted details leave null and what the site has at most, and no zero', async () => {
    const { retention } = headcount.context.store;
    const cutoffs = { details: first + 2, counts: null };
    for (let isFirst = true; await retention.forgetSome(project.projectId, cutoffs, isFirst); )
      isFirst = false;
    const { days, totals, unmeasured } = await read('country=DE&device=mobile');
    for (const [query, is] of [
      ['country=DE', (view: View) => view.country === 'DE'],
      ['client=GPTBot', (view: View) => view.client?.name === 'GPTBot'],
    ] as const) {
      const alone = await read(query);
      expect(alone.days.map(({ visitors }) => visitors.total)).toEqual([
        ...[null, null],
        ...[exactly(first + 2, is).total, exactly(first + 3, is).total],
      ]);
    }
    const other = await read('country=!DE');
    expect(other.days[0]?.visitors).toMatchObject({ human: null, total: null });
    expect(other.unmeasured).toMatchObject({ days: 2 });
    expect(unmeasured).toMatchObject({ days: 2, first: dateOf(first), last: dateOf(first + 1) });
    for (const day of [0, 1]) {
      const site = exactly(first + day, () => true);
      expect(days[day]?.visitors).toMatchObject({
        ...{ human: null, total: null },
        bounds: { total: { from: 0, to: site.total } },
      });
    }
    expect(days.slice(2).map(({ visitors }) => visitors)).toEqual([exactly(first + 2), exactly(first + 3)]);
    const least = exactly(first + 2).total + exactly(first + 3).total;
    expect(totals.visitors).toMatchObject({ total: least, bounds: { total: { from: least } } });
    expect((await read('path=/docs*')).days[0]?.views).toMatchObject({ total: null });
  });

  test('a day of another tool is exact for several countries, and for all but one', async () => {
    const day = first - 5;
    const count = (visitors: number) => ({ visitors, views: visitors });
    const sums = Object.entries({ DE: 5, AT: 3, FR: 2 }).map(([text, visitors]) => ({
      ...{ what: what.country, text },
      ...count(visitors),
    }));
    const { history } = headcount.context.store;
    const counted = { day, tool: 'Plausible', site: count(10), sums } as const;
    expect(await history.addDay(project.projectId, counted)).toBe('added');
    for (const [country, visitors] of [
      ['DE|AT', 8],
      ['!DE', 5],
    ]) {
      const { totals, unmeasured } = await project.get<CombinedSeriesReply>(
        `/v1/analytics/${project.projectId}/series?dateFrom=${dateOf(day)}&dateTo=${dateOf(day + 1)}&country=${country}`,
      );
      expect([country, totals.visitors, unmeasured]).toEqual([
        ...[country, { human: visitors, ai: 0, total: visitors }, null],
      ]);
    }
  });

  test('a moved path is known within bounds, and the others as before', async () => {
    const { paths: stored } = headcount.context.store;
    expect(await stored.move(project.projectId, [{ from: '/docs/a', to: '/docs/b' }])).toBe(true);
    const isMoved = (view: View) => isOnPhone(view) && /^\/docs\/[ab]$/.test(view.path);
    const { days, unmeasured } = await read('country=DE&device=mobile&path=/docs/b');
    expect(unmeasured).toBeNull();
    for (const [i, { visitors }] of days.entries())
      expectWithin(visitors, exactly(first + i, isMoved), `moved ${i}`, false);
    const other = await read('country=DE&device=mobile&path=/prices');
    expect(other.days.map(({ visitors }) => visitors)).toEqual(
      closed.map((day) => exactly(day, (view) => isOnPhone(view) && view.path === '/prices')),
    );
    const site = await read('country=DE&device=mobile');
    expect(site.days.map(({ visitors }) => visitors)).toEqual(closed.map((day) => exactly(day)));
  });
});

test('a combination that cannot be answered is rejected, with what can', async () => {
  const { projectId, adminKey } = projects[3] as ProjectClient;
  const ask = (report: string) =>
    fetch(`${headcount.url}/v1/analytics/${projectId}/${report}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
  const response = await ask('series?city=Bern&country=CH');
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toMatch(
    /^The query is not valid: "series" cannot be filtered by country and city at once\. Available: .*any of path, client, source, /,
  );
  const several = await ask('ai-failures?client=GPTBot|CCBot');
  expect(several.status).toBe(400);
  expect((await errorOf(several)).error).toContain(
    '"ai-failures" takes one value of client. Reports that take several',
  );
  for (const written of ['!', '', '|', '*', '!**', 'D*', 'DE|A*', 'DE|!AT', '*D*|AT']) {
    const answer = await ask(`visitors?country=${encodeURIComponent(written)}`);
    expect([written, answer.status]).toEqual([written, 400]);
    expect((await errorOf(answer)).error).toContain('"country" must be one value, several such as a|b');
  }
  const neither = await Promise.all(
    ['!CH|!DE', '!CH|DE'].map((written) => ask(`visitors?country=${written}`)),
  );
  const [one, same] = await Promise.all(neither.map((answer) => answer.text()));
  expect(one).toBe(same);
});

test('a file has the most there can be beside each count', async () => {
  const { projectId, adminKey } = projects[3] as ProjectClient;
  const csv = async (report: string) =>
    (
      await fetch(`${headcount.url}/v1/analytics/${projectId}/${report}&format=csv`, {
        headers: { authorization: `Bearer ${adminKey}` },
      })
    ).text();
  expect((await csv('visitors?country=DE&device=mobile')).split('\r\n')[0]).toBe(
    '"path","human","ai","total","humanAtMost","aiAtMost","totalAtMost"',
  );
  expect((await csv('series?country=DE&device=mobile')).split('\r\n')[0]).toContain('"visitorsAtMost"');
});

test('a day of another tool leaves the pages of a country on other days exact', async () => {
  const { projectId, get } = projects[3] as ProjectClient;
  const imported = (dates[0] as number) - 1;
  const sums = [{ what: what.country, text: 'DE', visitors: 5, views: 5 }];
  const site = { visitors: 10, views: 10 };
  const { history } = headcount.context.store;
  expect(await history.addDay(projectId, { day: imported, tool: 'Plausible', site, sums })).toBe('added');
  const { days } = await get<CombinedSeriesReply>(
    `/v1/analytics/${projectId}/series?dateFrom=${dateOf(imported)}&dateTo=${dateOf(today + 1)}&path=/docs&country=DE`,
  );
  expect(days[0]?.visitors).toMatchObject({ total: null, bounds: { total: { from: 0, to: 5 } } });
  const isAsked = (view: View) => view.path === '/docs' && view.country === 'DE';
  expect(days.slice(1).map(({ visitors }) => visitors)).toEqual(
    dates.map(
      (day) =>
        recount(
          views.filter((view) => view.day === day && isAsked(view)),
          [],
        ).visitors,
    ),
  );
});

test('what was just counted is in the rows of several pages by source', async () => {
  const { projectId, get, hits } = await headcount.addProject();
  const url = 'https://example.com/just-now';
  const sender = {
    ip: '192.0.2.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
  };
  await hits([{ url, referrer: 'https://news.example/', ...sender }]);
  await headcount.context.ingest.drain();
  const { sources } = await get<{ sources: object[] }>(
    `/v1/analytics/${projectId}/sources?path=/just-now|/other`,
  );
  expect(sources).toMatchObject([{ source: 'news.example', human: 1 }]);
});

test('a day with events alone is measured: it has no views', async () => {
  const { store } = headcount.context;
  const { projectId, get } = await headcount.addProject({ minimumGroup: 1 });
  const [first, second] = dates as [number, number];
  for (const day of [first, second]) await openDay(store, projectId, day, anySalt());
  const event = { name: 'Sign up', properties: [] };
  const hits = [view({ projectId, day: first, event }), view({ projectId, day: second, visitor: 2n })];
  expect(await store.countViews(hits, [])).toEqual([]);
  await store.seal(projectId, second);
  const { unmeasured, days } = await get<CombinedSeriesReply>(
    `/v1/analytics/${projectId}/series?dateFrom=${dateOf(first)}&dateTo=${dateOf(second + 1)}&browser=Firefox&system=Linux`,
  );
  expect(unmeasured).toBeNull();
  expect(days.map(({ views }) => views.total)).toEqual([0, 1]);
  const rows = await get<{ unmeasured: unknown }>(
    `/v1/analytics/${projectId}/devices?dateFrom=${dateOf(first)}&browser=Firefox&system=Linux`,
  );
  expect(rows.unmeasured).toBeNull();
});
