import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countView, type DaySums } from '../../server/counting/count-view.ts';
import { emptySum, type KindBit, kindBits, type Sum } from '../../server/counting/sum.ts';
import type { View } from '../../server/counting/view.ts';
import { joinClient, type What, what } from '../../server/counting/what.ts';
import { type Dimension, dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import { type Pair, pairs } from '../../shared/reports/pairs.ts';
import { view } from '../support/views.ts';

interface Named extends Sum {
  name: string;
}

/** What an engine has to keep, as plain as can be. */
class Day implements DaySums<Named> {
  readonly sums = new Map<string, Named>();
  readonly seen = new Map<string, number>();
  readonly site = this.#sum('site');
  #view = view();

  count(next: View): void {
    this.#view = next;
    countView(this, kindBits[next.kind]);
  }

  sumOf(number: number): Named | undefined {
    const thing = Object.keys(what).find((name) => what[name as What] === number) as What;
    const text = textOf(this.#view, thing);
    return text === null ? undefined : this.#sum(`${thing} ${text}`);
  }

  see({ name }: Named, kind: KindBit): number {
    const key = `${this.#view.visitor} ${name}`;
    const before = this.seen.get(key) ?? 0;
    this.seen.set(key, before | kind);
    return before;
  }

  #sum(name: string): Named {
    const sum = this.sums.get(name) ?? { name, ...emptySum() };
    this.sums.set(name, sum);
    return sum;
  }
}

/** Counted of whole visits, and not of each view. */
const visitKinds = [
  ...(['entry', 'exit', 'singlePage', 'visit'] as const),
  ...([
    'goal',
    'goalPath',
    'goalSource',
    'goalCountry',
    'entrySource',
    'entryCountry',
    'goalDevice',
    'entryDevice',
  ] as const),
  ...(['funnel', 'funnelStep', 'section'] as const),
] as const;
const isOfVisits = (thing: What): thing is (typeof visitKinds)[number] =>
  visitKinds.some((kind) => kind === thing);

function textOf(of: View, thing: What): string | null {
  if (isOfVisits(thing)) return null;
  if (isPair(thing)) {
    const above = textOf(of, pairs[thing].under);
    return above && `${above} ${of.path}`;
  }
  if (thing === 'clientProof') return of.client && joinClient(of.client);
  if (thing === 'client') return of.client?.name ?? null;
  if (thing === 'event' || thing === 'property') return null;
  return thing === 'site' ? 'site' : of[thing];
}

const isPair = (thing: What): thing is Pair => Object.hasOwn(pairs, thing);

/** The count as a person would do it; in hours whoever was there before does not count again. */
function recount(views: readonly View[], name: string): Sum {
  const those = views.filter((one) =>
    Object.keys(what).some((thing) => {
      const text = textOf(one, thing as What);
      return text !== null && (thing === 'site' ? 'site' : `${thing} ${text}`) === name;
    }),
  );
  const of = (kind: View['kind'], list = those) => list.filter((one) => one.kind === kind);
  const visitorsIn = (list: readonly View[], all: readonly View[]) => {
    const isArrival = ({ visitor }: View) =>
      list.includes(all.find((one) => one.visitor === visitor) as View);
    const counted = name.startsWith('hour ') ? list.filter(isArrival) : list;
    return new Set(counted.map(({ visitor }) => visitor)).size;
  };
  return {
    humanVisitors: visitorsIn(of('human'), of('human', [...views])),
    aiVisitors: visitorsIn(of('ai'), of('ai', [...views])),
    visitors: visitorsIn(those, views),
    humanViews: of('human').length,
    aiViews: of('ai').length,
  };
}

const text = fc.constantFrom('a', 'b', null);
const isOfSender = (name: Dimension) => dimensions[name].from === 'sender';
const [ofSender, ofRequest] = [
  dimensionNames.filter(isOfSender),
  dimensionNames.filter((n) => !isOfSender(n)),
];
const record = <Name extends string>(names: readonly Name[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>);

const views = fc.array(record(ofSender), { minLength: 4, maxLength: 4 }).chain((senders) =>
  fc.array(
    fc
      .record({
        visitor: fc.integer({ min: 0, max: 3 }),
        path: fc.constantFrom('/', '/a'),
        hour: fc.constantFrom('09', '10'),
        client: fc.constantFrom(
          null,
          { name: 'GPTBot', proof: 'claimed' as const },
          { name: 'GPTBot', proof: 'verified' as const },
        ),
        names: record(ofRequest),
      })
      .map(({ visitor, path, hour, client, names }) =>
        view({
          visitor: BigInt(visitor),
          path,
          hour,
          client,
          kind: client ? 'ai' : 'human',
          ...senders[visitor],
          ...names,
        }),
      ),
  ),
);

test('every view counts on the site and on all that it has, and every visitor once on each', () => {
  fc.assert(
    fc.property(views, (list) => {
      const day = new Day();
      for (const one of list) day.count(one);
      for (const { name, ...sum } of day.sums.values())
        expect([name, sum]).toEqual([name, recount(list, name)]);
      const things = list.flatMap((one) =>
        Object.keys(what).flatMap((thing) => {
          const of = textOf(one, thing as What);
          return of === null || thing === 'site' ? [] : `${thing} ${of}`;
        }),
      );
      expect(new Set(day.sums.keys())).toEqual(new Set(['site', ...things]));
    }),
  );
});

test('what follows from the sender is not remembered of a visitor', () => {
  const day = new Day();
  day.count(view({ country: 'DE', source: 'example.com', hour: '09' }));
  expect([...day.seen.keys()].sort()).toEqual([
    '1 countryPath DE /',
    '1 path /',
    '1 site',
    '1 source example.com',
    '1 sourcePath example.com /',
  ]);
});

test('each thing that is counted is stored under a number of its own, which never changes', () => {
  expect(what).toEqual({
    site: 0,
    path: 1,
    source: 2,
    device: 3,
    browser: 4,
    system: 5,
    country: 6,
    client: 7,
    clientPath: 8,
    clientProof: 9,
    language: 10,
    screen: 11,
    region: 12,
    city: 13,
    utmCampaign: 14,
    utmSource: 15,
    utmMedium: 16,
    ref: 17,
    sourcePath: 24,
    countryPath: 25,
    hour: 26,
    entry: 40,
    exit: 41,
    singlePage: 42,
    visit: 43,
    event: 27,
    property: 28,
    goal: 29,
    goalPath: 30,
    goalSource: 31,
    goalCountry: 32,
    goalDevice: 35,
    funnel: 33,
    funnelStep: 34,
    entrySource: 44,
    entryCountry: 45,
    entryDevice: 46,
    section: 48,
  });
});
