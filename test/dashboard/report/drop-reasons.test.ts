import { expect, expectTypeOf, test } from 'vitest';
import { nameReason } from '../../../dashboard/formats/terms.ts';
import type { DroppedRow } from '../../../server/store/counts/analytics-store.ts';
import { type CountedDropReason, countedDropReasonNames } from '../../../shared/drop-reasons.ts';
import type { DroppedReply } from '../../../shared/reports/analytics.ts';

/** Compiled and never run: the line below an expected error would otherwise fail `npm run typecheck`. */
function wrongReason(): void {
  // @ts-expect-error a reason that the server does not give
  nameReason('robot');
}

test('the dashboard takes the reasons for which hits are dropped from the API, and has a name for each', () => {
  expectTypeOf(wrongReason).returns.toBeVoid();
  expectTypeOf<DroppedRow['reason']>().toEqualTypeOf<CountedDropReason>();
  expectTypeOf<DroppedReply['dropped'][number]['reason']>().toEqualTypeOf<CountedDropReason>();
  expectTypeOf<Parameters<typeof nameReason>>().toEqualTypeOf<[CountedDropReason]>();
  for (const reason of countedDropReasonNames) {
    expect(nameReason(reason)).toEqual({
      name: expect.stringMatching(/^[A-Z]/),
      description: expect.stringMatching(/\.$/),
    });
  }
});

test('a reason that only an older version gave is shown as it was stored', () => {
  expect(nameReason('old_reason' as CountedDropReason)).toEqual({ name: 'old_reason', description: '' });
});
