import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainView, trackerHit } from '../../shared/hit.ts';

const anything = fc.oneof(
  fc.string(),
  fc.constant('1'),
  fc.integer(),
  fc.constant(null),
  fc.object(),
  fc.boolean(),
);
const fields = Object.keys(trackerHit.shape);

test('what is taken for a plain view without asking the schema is what the schema makes of it', () => {
  const hit = fc.dictionary(fc.constantFrom(...fields, 'x'), anything);
  const view = fc.record({ p: fc.string(), u: fc.string() });
  const told = fc.tuple(fc.option(view), hit).map(([view, hit]) => ({ ...hit, ...view }));
  fc.assert(
    fc.property(fc.oneof(anything, told), (value) => {
      if (!isPlainView(value)) return;
      expect(trackerHit.safeParse(value).data).toEqual(
        Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name))),
      );
    }),
    { numRuns: 500 },
  );
});

test.each([
  { p: 'p1', u: 'https://example.com/' },
  { p: 'p1', u: 'https://example.com/', r: 'https://example.com/a', s: 4, h: 1 },
])('the script sends plain views: %j', (value) => {
  expect(isPlainView(value)).toBe(true);
});
