import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitName, maxNewNamesPerDay, otherName } from '../../server/counting/name-cap.ts';
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
    expect(admitName('/new', maxNewNamesPerDay - 1)).toBe('/new');
    expect(admitName('/new', maxNewNamesPerDay)).toBe(otherName);
    expect([maxNewNamesPerDay, otherName]).toEqual([10_000, '(other)']);
  });
});
