import { afterEach, describe, expect, test } from 'vitest';
import { createClock } from '../support/clock.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
let headcount: Headcount;
afterEach(() => headcount.stop());

const start = async (max: string) => {
  headcount = await startHeadcount({ now: clock.now, env: { HEADCOUNT_MAX_HITS_PER_NETWORK: max } });
};
const send = async (address: string, project: ProjectClient = headcount) => {
  const response = await project.hit({ u: 'https://example.com/' }, { 'x-forwarded-for': address });
  expect(response.status).toBe(202);
  return response.headers.get('x-headcount-dropped');
};
const sendMany = async (addresses: string[]) => {
  const reasons: (string | null)[] = [];
  for (const address of addresses) reasons.push(await send(address));
  return reasons;
};
const times = (count: number, address: string) => Array<string>(count).fill(address);

describe('the hits of one network in a minute', () => {
  test('are counted up to a bound; further ones are dropped and counted by a reason of their own', async () => {
    await start('3');
    expect(await sendMany(times(5, '198.51.100.1'))).toEqual([
      null,
      null,
      null,
      'rate_limited',
      'rate_limited',
    ]);
    expect(await send('198.51.100.2')).toBeNull();
    expect((await headcount.views())['/']?.human).toBe(4);
    await headcount.context.ingest.drain();
    const path = `/v1/analytics/${headcount.projectId}/dropped`;
    await expect
      .poll(async () => (await headcount.get<{ dropped: unknown[] }>(path)).dropped)
      .toEqual([{ reason: 'rate_limited', family: null, hits: 2 }]);
  });

  test('are counted again in the next minute', async () => {
    await start('1');
    expect(await sendMany(times(2, '198.51.100.1'))).toEqual([null, 'rate_limited']);
    clock.advance(60_000);
    expect(await sendMany(times(2, '198.51.100.1'))).toEqual([null, 'rate_limited']);
  });

  test('are those of a /48 of IPv6', async () => {
    await start('2');
    const addresses = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:1::1'];
    expect(await sendMany(addresses)).toEqual([null, null, 'rate_limited', null]);
  });

  test('are counted for each project, and the image is one way as the script is', async () => {
    await start('1');
    const other = await headcount.addProject();
    expect([await send('198.51.100.1'), await send('198.51.100.1', other)]).toEqual([null, null]);
    const pixel = await fetch(
      `${headcount.url}/v1/pixel.gif?p=${headcount.projectId}&u=https://example.com/`,
      { headers: { 'x-forwarded-for': '198.51.100.1', 'user-agent': chromeUserAgent } },
    );
    expect([pixel.status, pixel.headers.get('x-headcount-dropped')]).toEqual([202, 'rate_limited']);
  });

  test.each(['127.0.0.1', '10.1.2.3', '192.168.1.1', '100.64.0.1', 'fd00::1'])(
    'have no bound from a local network, such as %s',
    async (address) => {
      await start('1');
      expect(await sendMany(times(3, address))).toEqual([null, null, null]);
    },
  );

  test('have no bound in a batch, nor where the setting is 0', async () => {
    await start('1');
    const hit = { url: 'https://example.com/', ip: '198.51.100.1', userAgent: chromeUserAgent };
    expect(await (await headcount.hits(Array(50).fill(hit))).json()).toEqual({ accepted: 50, dropped: [] });
    await headcount.stop();
    await start('0');
    expect(await sendMany(times(3, '198.51.100.1'))).toEqual([null, null, null]);
  });

  test('are kept apart for a hundred thousand networks, in whose flood the loudest is still heard', async () => {
    await start('20');
    const { HitRates } = await import('../../server/ingest/hit/hit.ts');
    const rates = new HitRates(20);
    const now = clock.now();
    let quietOnesDropped = 0;
    let loudDropped = 0;
    for (let i = 0; i < 100_000; i++) {
      const quiet = `${1 + (i % 9)}.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
      if (rates.isOver('project', quiet, now)) quietOnesDropped++;
      if (rates.isOver('project', '198.51.100.1', now)) loudDropped++;
    }
    expect([quietOnesDropped, loudDropped]).toEqual([0, 100_000 - 20]);
  });
});
