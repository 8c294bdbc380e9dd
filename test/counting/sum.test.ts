import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findNameCap,
  maxNewNamesPerDay,
  nameSourcesOf,
  otherName,
} from '../../server/counting/names/name-cap.ts';
import { addView, emptySum, kindBits } from '../../server/counting/sum.ts';

const view = fc.record({
  visitor: fc.nat({ max: 5 }),
  kind: fc.constantFrom('human', 'ai'),
});

describe('what views add to a sum', () => {
  test('is one view each, and each visitor once: of either kind, and in all', () => {
    fc.assert(
      fc.property(fc.array(view), (views) => {
        const sum = emptySum();
        const seen = new Map<number, number>();
        for (const { visitor, kind } of views) {
          const before = seen.get(visitor) ?? 0;
          addView(sum, kindBits[kind], before);
          seen.set(visitor, before | kindBits[kind]);
        }
        const of = (wanted: string) => views.filter(({ kind }) => kind === wanted);
        const visitors = (list: typeof views) => new Set(list.map(({ visitor }) => visitor)).size;
        expect(sum).toEqual({
          humanVisitors: visitors(of('human')),
          aiVisitors: visitors(of('ai')),
          visitors: visitors(views),
          humanViews: of('human').length,
          aiViews: of('ai').length,
        });
      }),
    );
  });
});

describe('the cap of new names', () => {
  test('lets a day take in 10,000 of a kind; further ones count together', () => {
    const capWhere = (names: number) => findNameCap([], () => names);
    expect(capWhere(maxNewNamesPerDay - 1)).toBeUndefined();
    expect(capWhere(maxNewNamesPerDay)).toBe('day');
    expect([maxNewNamesPerDay, otherName]).toEqual([10_000, '(other)']);
  });

  test.each([
    ['a person', null, { visitor: 2_000, network: 2_000 }],
    [
      'an AI client that only says so',
      { name: 'GPTBot', proof: 'claimed' },
      { visitor: 2_000, network: 2_000 },
    ],
    ['a verified AI client', { name: 'GPTBot', proof: 'verified' }, { client: 5_000 }],
  ] as const)('%s may bring in %s %s', (_, client, parts) => {
    const takers = nameSourcesOf({ visitor: 1n, network: 2, client });
    expect(takers.map(({ kind }) => kind)).toEqual(Object.keys(parts));
    for (const [kind, part] of Object.entries(parts)) {
      const capWhere = (names: number) => findNameCap(takers, (taker) => (taker?.kind === kind ? names : 0));
      expect([capWhere(part - 1), capWhere(part)]).toEqual([undefined, kind]);
    }
  });
});
