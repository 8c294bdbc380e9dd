import { expect, onTestFinished, test } from 'vitest';
import type { AddressListsReply } from '../../shared/accounts/admin.ts';
import { createClock } from '../support/clock.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { startHeadcount } from '../support/headcount.ts';

test('lists of addresses say when they were confirmed, the oldest first, and which are too old to accuse', async () => {
  const clock = createClock('2027-06-01T00:00:00Z');
  const headcount = await startHeadcount({ now: clock.now, rangesAt: clock.now() - 86_400_000 });
  onTestFinished(headcount.stop);
  const client = await openDashboard(headcount);
  const { lists } = await client.must<AddressListsReply>('GET', '/v1/admin/address-lists');
  expect(lists.find(({ list }) => list === 'openai-gptbot')).toEqual({
    list: 'openai-gptbot',
    clients: ['GPTBot'],
    confirmedAt: '2027-05-30T00:00:00.000Z',
    isRecent: true,
  });
  expect(lists.find(({ list }) => list === 'anthropic')).toMatchObject({ isRecent: false });
  const times = lists.map(({ confirmedAt }) => Date.parse(confirmedAt ?? ''));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((await fetch(`${headcount.url}/v1/admin/address-lists`)).status).toBe(401);
});
