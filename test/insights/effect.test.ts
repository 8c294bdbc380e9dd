import { expect, test } from 'vitest';
import { affectedOf } from '../../server/insights/effect/effect.ts';
import { estimateEffect, randomNumbers } from '../../server/insights/effect/estimate.ts';
import type { PageViews } from '../../server/insights/effect/pages.ts';

const random = randomNumbers(20_261_122);

function normal(): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

/** Close enough to Poisson for means of some views. */
function views(mean: number): number {
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
}

/** What pages do that nobody touches, each in its own way. */
const worlds: Record<string, (usual: number, times: number) => PageViews> = {
  'single views': (usual, times) => ({ before: views(usual), after: views(usual * times) }),
  'ups and downs of pages': (usual, times) => ({
    before: views(usual),
    after: views(usual * times * Math.exp(0.2 * normal())),
  }),
  'crawls of some pages': (usual, times) => ({
    before: views(usual) + (random() < 0.05 ? views(2 * usual) : 0),
    after: views(usual * times) + (random() < 0.05 ? views(2 * usual) : 0),
  }),
};

/** Readers who are there, or counted, on one side alone, or hardly there on the other: nothing came of the change. */
const arrivals: Record<string, (usual: number) => PageViews> = {
  'readers counted after the change alone': (usual) => ({ before: 0, after: views(usual) }),
  'readers counted before the change alone': (usual) => ({ before: views(usual), after: 0 }),
  'a client that reads a hundred times as much as others did': (usual) => ({
    before: views(usual / 100),
    after: views(usual),
  }),
  'a client that reads ten times as much as others did': (usual) => ({
    before: views(usual / 10),
    after: views(usual),
  }),
};

const pages = 120;
const affected = 24;
/** As many as readers of a change, who share what may be wrong. */
const readers = 5;
const leftOut = 0.04 / readers;

const everyFifth = (place: number) => place % (pages / affected) === 0;
const mostRead = (place: number) => place < 10;

/** Whether something is told of a change by any reader. */
function isTold(
  world: (typeof worlds)[string],
  times: number,
  asked: number,
  { choose = everyFifth, most = 600 } = {},
): boolean {
  return Array.from({ length: asked }).some((_, seed) => {
    const all = Array.from({ length: pages }, (_, i) => {
      const isTouched = choose(i);
      return { isTouched, ...world(most / (1 + i / 6), isTouched ? times : 1) };
    });
    const { yes = [], no = [] } = Object.groupBy(all, ({ isTouched }) => (isTouched ? 'yes' : 'no'));
    const estimate = estimateEffect(yes, no, leftOut, seed);
    return ((estimate?.low ?? -1) > 0 && times >= 1) || ((estimate?.high ?? 1) < 0 && times <= 1);
  });
}

function shareTold(world: (typeof worlds)[string], times: number, asked: number, runs: number): number {
  return Array.from({ length: runs }).filter(() => isTold(world, times, asked)).length / runs;
}

test.each(Object.keys(worlds))(
  'with %s, a change that did nothing is told to have done something in at most 5 of 100 cases',
  (name) => {
    const world = worlds[name] as (typeof worlds)[string];
    // Of 200 runs, by chance alone some more: twice the standard error of 5 %.
    expect(shareTold(world, 1, readers, 200)).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / 200));
  },
);

test('over all of them it is at most 5 of 100', () => {
  const shares = Object.values(worlds).map((world) => shareTold(world, 1, readers, 150));
  expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeLessThanOrEqual(0.05);
});

test.each(Object.keys(worlds))('with %s, a planted 30 %% is found, up or down', (name) => {
  const world = worlds[name] as (typeof worlds)[string];
  expect(shareTold(world, 1.3, 1, 40)).toBeGreaterThan(0.8);
  expect(shareTold(world, 0.7, 1, 40)).toBeGreaterThan(0.8);
});

test.each(Object.keys(arrivals))('with %s, the pages read most are not told to have changed', (name) => {
  const world = arrivals[name] as (typeof worlds)[string];
  const told = [600, 100].map((most) => {
    const options = { choose: mostRead, most };
    return Array.from({ length: 100 }).filter(() => isTold(world, 1, readers, options)).length / 100;
  });
  expect(Math.max(...told)).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / 100));
});

test('a single page among few is never told to have changed, and has no interval', () => {
  const others = Array.from({ length: 40 }, () => ({ before: 100, after: 100 }));
  const estimate = estimateEffect([{ before: 100, after: 900 }], others, 0.01);
  expect(estimate).toMatchObject({ low: null, high: null });
  expect(estimate?.middle).toBeCloseTo(Math.log(900.5 / 100.5), 2);
});

test.each<[PageViews[], number]>([
  [[], 100],
  [[{ before: 5, after: 5 }], 100],
  [[{ before: 500, after: 500 }], 8],
])('too little tells nothing', (changed, others) => {
  const rest = Array.from({ length: others }, () => ({ before: 50, after: 50 }));
  expect(estimateEffect(changed, rest, 0.01)).toBeNull();
});

test('three pages that all went up more than sixty others are just enough', () => {
  const changed = Array.from({ length: 3 }, () => ({ before: 100, after: 200 }));
  const others = Array.from({ length: 60 }, (_, i) => ({ before: 100, after: 90 + (i % 20) }));
  expect(estimateEffect(changed, others, 0.01)?.low).toBeGreaterThan(0.5);
});

test('files are the pages that their ends name, the longest first', () => {
  const paths = ['/', '/install', '/docs/install', '/docs', '/blog/n%C3%A4chste', '/docs/api.html', '/other'];
  const merge = (...affected: string[]) => affectedOf({ kind: 'merge', affected }, paths);
  expect(merge('content/docs/install.md')).toEqual(['/docs/install']);
  expect(merge('site/install/index.mdx')).toEqual(['/install']);
  expect(merge('app/(site)/docs/page.tsx', 'docs/01-Install.md')).toEqual(['/docs', '/docs/install']);
  expect(merge('content/blog/nächste.md', 'src/docs/api.rst')).toEqual([
    '/blog/n%C3%A4chste',
    '/docs/api.html',
  ]);
  expect(merge('index.html')).toEqual(['/']);
  expect(merge('src/pages/index.astro')).toEqual(['/']);
  expect(merge('src/lib/deep/index.ts', 'package.json', 'docs/install.png', 'README')).toEqual([]);
  const release = (...affected: string[]) => affectedOf({ kind: 'release', affected }, paths);
  expect(release('/docs/', '/nowhere')).toEqual(['/docs']);
  expect(release('/docs/*')).toEqual(['/docs/install', '/docs/api.html']);
  expect(release('/blog/n\u00e4chste/')).toEqual(['/blog/n%C3%A4chste']);
  expect(release('/blog/n\u00e4*')).toEqual(['/blog/n%C3%A4chste']);
});
