import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocksOf, coverDays, largerBlocksOf } from '../../server/counting/blocks.ts';

const day = fc.integer({ min: -1_000, max: 30_000 });
const daysOf = ({ span, day: first }: { span: number; day: number }) =>
  Array.from({ length: span }, (_, i) => first + i);

describe('blocks of days', () => {
  test('a range is made up of blocks that hold each of its days once, and no other', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 1_500 }), fc.option(day), (from, length, sealedThrough) => {
        const to = from + length;
        expect(coverDays(from, to, sealedThrough).flatMap(daysOf)).toEqual(
          Array.from({ length }, (_, i) => from + i),
        );
      }),
    );
  });

  test('days that are not sealed stand alone, as their larger blocks do not have them yet', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 1_500 }), fc.option(day), (from, length, sealedThrough) => {
        const large = coverDays(from, from + length, sealedThrough).filter(({ span }) => span > 1);
        for (const block of large) {
          expect(block.day + block.span - 1).toBeLessThanOrEqual(sealedThrough ?? Number.NEGATIVE_INFINITY);
        }
      }),
    );
  });

  test('a range that goes on after what is sealed may end with a block that is being filled, and has each day once', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 1_500 }), fc.option(day), (from, length, sealedThrough) => {
        const to = from + length;
        const blocks = coverDays(from, to, sealedThrough, { sealsAtOnce: true });
        const held = blocks.flatMap((block) => {
          return block.span === 1
            ? [block.day]
            : daysOf(block).filter((one) => one <= (sealedThrough ?? -1e9));
        });
        expect(held).toEqual(Array.from({ length }, (_, i) => from + i));
      }),
    );
  });

  test('each block of a range is one that sealing fills', () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 1_500 }), (from, length) => {
        for (const block of coverDays(from, from + length, from + length)) {
          for (const one of daysOf(block)) {
            expect(blocksOf(one, { isSealed: true })).toContainEqual(block);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('a sealed year is some twenty blocks', () => {
    for (let from = 20_000; from < 20_400; from++) {
      expect(coverDays(from, from + 365, 30_000).length).toBeLessThanOrEqual(25);
      const upToToday = coverDays(from, from + 365, from + 362, { sealsAtOnce: true });
      expect(upToToday.length).toBeLessThanOrEqual(15);
    }
  });

  test('a day has a block of each span once it is sealed, and until then only its own', () => {
    expect(blocksOf(20_003, { isSealed: false })).toEqual([{ span: 1, day: 20_003 }]);
    expect(blocksOf(20_003, { isSealed: true })).toEqual([
      { span: 1, day: 20_003 },
      { span: 4, day: 20_000 },
      { span: 16, day: 20_000 },
      { span: 64, day: 19_968 },
      { span: 256, day: 19_968 },
    ]);
    expect(largerBlocksOf(20_003)).toEqual(blocksOf(20_003, { isSealed: true }).slice(1));
    expect(largerBlocksOf(-1)).toContainEqual({ span: 4, day: -4 });
  });
});
