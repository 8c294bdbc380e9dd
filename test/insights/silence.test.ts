import { expect, test } from 'vitest';
import { randomNumbers } from '../../server/insights/effect/estimate.ts';
import { findSilence } from '../../server/insights/silence.ts';

const random = randomNumbers(11);

function poisson(mean: number): number {
  let product = random();
  let count = 0;
  for (const end = Math.exp(-mean); product > end; count++) product *= random();
  return count;
}

/** Clients that go on as they are, by the day. */
const clients: Record<string, (day: number) => number> = {
  'once every other day': () => poisson(0.5),
  'a few views a day': () => poisson(2),
  'ten views a day': () => poisson(10),
  'days of many views and days of none': () => (random() < 0.4 ? 0 : poisson(20)),
  'workdays alone': (day) => ((((day + 3) % 7) + 7) % 7 < 5 ? poisson(4) : 0),
  'five days of each fortnight': (day) => (day % 14 < 5 ? poisson(8) : 0),
};

const days = 240;
const runs = 25;
const window = 56;
const series = (client: (day: number) => number) => Array.from({ length: days }, (_, day) => client(day));

test.each(Object.keys(clients))('a client of %s is hardly ever called silent while it goes on', (name) => {
  let alarms = 0;
  for (let run = 0; run < runs; run++) {
    const views = series(clients[name] as (day: number) => number);
    for (let end = window; end <= days; end++) {
      if (findSilence(views.slice(end - window, end), end - 1)) alarms++;
    }
  }
  expect(alarms / (runs * (days - window + 1))).toBeLessThan(0.003);
});

test.each([
  ['ten views a day', 4],
  ['a few views a day', 12],
  ['workdays alone', 12],
  ['days of many views and days of none', 24],
  ['once every other day', 28],
])('a client of %s that stops is found within %i days, nearly always', (name, within) => {
  const found = Array.from({ length: 40 }).filter(() => {
    const views = series(clients[name] as (day: number) => number);
    return Array.from({ length: within }, (_, i) => i + 1).some((silent) => {
      const stopped = [...views, ...Array.from({ length: silent }, () => 0)];
      return findSilence(stopped.slice(-window), days - 1 + silent) !== null;
    });
  });
  expect(found.length / 40).toBeGreaterThan(0.85);
});

test('who came seldom, or went long ago, is no news', () => {
  const empty = (length: number) => Array.from({ length }, () => 0);
  const daily = (length: number) => Array.from({ length }, () => 3);
  expect(findSilence([], 0)).toBeNull();
  expect(findSilence(empty(56), 55)).toBeNull();
  expect(findSilence([...daily(28), ...empty(28)], 55)).toMatchObject({ silentDays: 28, longestGap: 0 });
  expect(findSilence([...daily(27), ...empty(29)], 55)).toBeNull();
  expect(findSilence([...empty(40), ...daily(10), ...empty(6)], 55)).toBeNull();
  expect(findSilence([...daily(50), ...empty(2)], 51)).toBeNull();
  expect(findSilence([...daily(50), ...empty(3)], 52)).toMatchObject({ usualViews: 3 });
});
