import { beforeEach, describe, expect, test } from 'vitest';
import { attemptMemory, LoginLimiter } from '../../../server/admin/sign-in/login-limiter.ts';
import { createClock, type TestClock } from '../../support/clock.ts';

const address = '192.0.2.1';

let clock: TestClock;
let limiter: LoginLimiter;

beforeEach(() => {
  clock = createClock('2026-11-20T10:00:00Z');
  const store = attemptMemory(clock.now);
  limiter = new LoginLimiter({ store, nameOf: (text) => text, now: clock.now });
});

async function fail(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await limiter.take(null, address);
}

/** Wrong ones that may follow until one has to wait, and how long. */
async function guessesLeft(): Promise<[number, string | undefined]> {
  for (let i = 0; i < 20; i++) {
    const refused = await limiter.take(null, address).then(
      () => null,
      (error) => error,
    );
    if (refused) return [i, refused.headers['Retry-After']];
  }
  return [20, undefined];
}

describe('an attempt that is taken back', () => {
  test('leaves the wait as it was', async () => {
    await fail(4);
    clock.advance(1000);
    const attempt = await limiter.take(null, address);
    clock.advance(100);
    await attempt.takeBack();
    expect(await guessesLeft()).toEqual([1, '2']);
  });

  test('leaves what others did meanwhile wrong', async () => {
    await fail(1);
    const attempt = await limiter.take(null, address);
    clock.advance(1000);
    await fail(1);
    await attempt.takeBack();
    expect(await guessesLeft()).toEqual([2, '1']);
  });

  test('and others at once leave nothing, and no more guesses than before', async () => {
    const attempts = await Promise.all([1, 2, 3].map(() => limiter.take(null, address)));
    for (const attempt of attempts) await attempt.takeBack();
    expect(await guessesLeft()).toEqual([4, '1']);
  });

  test('after the network was forgiven counts no guess less', async () => {
    const attempt = await limiter.take(null, address);
    const right = await limiter.take(null, address);
    await right.forgive();
    await attempt.takeBack();
    expect(await guessesLeft()).toEqual([4, '1']);
  });
});

test('what is right forgives nothing that was tried after it', async () => {
  await fail(2);
  const right = await limiter.take(null, address);
  await fail(1);
  await right.forgive();
  expect(await guessesLeft()).toEqual([3, '1']);
});
