import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config/config.ts';
import { ListeningServer } from '../../server/http/listening/listening-server.ts';
import { RunnerPulse } from '../../server/jobs/turn/runner-pulse.ts';
import { createLog } from '../../server/log.ts';
import { instanceOf } from '../../server/projects/instance.ts';
import { findSecretKey } from '../../server/projects/key-file.ts';
import { type Store, StoreError } from '../../server/store/store.ts';
import { errorOf, type Headcount, type HeadcountOptions, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;

const start = async (options: HeadcountOptions = {}) => {
  headcount = await startHeadcount(options);
  return headcount.url;
};
afterEach(() => headcount?.stop());

/** A store of which the look whether it can be written ends like this. */
const probed = (probeWriting: () => Promise<void>) => (store: Store) => ({
  ...store,
  check: { ...store.check, probeWriting },
});

describe('/healthz', () => {
  test('says that the process lives, whatever it lacks', async () => {
    const url = await start({ wrapStore: probed(() => Promise.reject(new Error('full'))) });
    const response = await fetch(`${url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'alive' }]);
  });

  test('does so while the server starts and stops', async () => {
    await start();
    const log = createLog(() => undefined, Date.now);
    const config = readConfig({ HEADCOUNT_PORT: '0' });
    const server = await ListeningServer.listen(config, { log });
    const statuses = async () => {
      const ask = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
      return [await ask('/healthz'), await ask('/readyz'), await ask('/')];
    };
    expect(await statuses()).toEqual([200, 503, 503]);
    server.sayGoodbye();
    expect(await statuses()).toEqual([200, 503, 503]);
    await server.close();
  });
});

describe('/readyz', () => {
  test('tells each part that the server needs', async () => {
    const url = await start();
    const response = await fetch(`${url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        status: 'ready',
        database: { writable: true },
        buffer: { waiting: 0, limit: 20_000 },
        runner: { state: 'off' },
      },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('sees that jobs are worked on', async () => {
    const url = await start({ env: { HEADCOUNT_MAX_JOBS: '1' } });
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ runner: { state: 'alive' } });
  });

  test('says 503 where the database cannot be written, and 200 when it can again', async () => {
    let isFull = true;
    let looks = 0;
    const url = await start({
      wrapStore: probed(async () => {
        looks++;
        if (isFull)
          throw new StoreError('unavailable', 'The database /secret/path cannot be used: disk full.');
      }),
    });
    const answers = await Promise.all([1, 2, 3, 4].map(() => fetch(`${url}/readyz`)));
    expect(looks).toBe(1);
    for (const response of answers) {
      expect([response.status, response.headers.get('retry-after'), await errorOf(response)]).toEqual([
        503,
        '5',
        {
          error: 'The server is not ready: the database cannot be written.',
          details: [{ path: 'database', message: 'cannot be written' }],
        },
      ]);
    }
    isFull = false;
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('says 503 while hits are refused, though a page can be written, and 200 when one is stored', async () => {
    let fault: StoreError | undefined;
    const sizes: unknown[] = [];
    const url = await start({
      wrapStore: (store) => ({
        ...store,
        check: {
          ...store.check,
          probeWriting: (size) => {
            sizes.push(size);
            return store.check.probeWriting(size);
          },
        },
        countViews: async (...batch) => {
          if (fault) throw fault;
          return store.countViews(...batch);
        },
      }),
    });
    const hit = { url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'GPTBot/1.2' };
    const readyz = async () => {
      const response = await fetch(`${url}/readyz`);
      return [response.status, ((await response.json()) as { error?: string }).error];
    };
    for (const [code, why, says] of [
      ['unavailable', 'full', 'has no room left on its disk'],
      ['unavailable', 'read_only', 'is read-only'],
      ['unavailable', undefined, 'cannot be written'],
      ['damaged', undefined, 'is damaged: "headcount check" lists what is hurt'],
    ] as const) {
      fault = new StoreError(code, 'The database /secret/path cannot be used: it is.', { fault: why });
      expect((await headcount.hits([hit])).status).toBe(503);
      const sentence = expect.stringContaining('The server is not ready: the database ');
      await expect.poll(readyz).toEqual([503, sentence]);
      const response = await fetch(`${url}/readyz`);
      expect((await errorOf(response)).details).toEqual([{ path: 'database', message: says }]);
      fault = undefined;
      expect((await headcount.hits([hit])).status).toBe(202);
      await expect.poll(readyz).toEqual([200, undefined]);
    }
    expect(new Set(sizes)).toEqual(new Set(['batch']));
  });

  test('really writes: a store that was closed is not ready', async () => {
    const url = await start();
    await headcount.context.store.close();
    const response = await fetch(`${url}/readyz`);
    expect([response.status, (await errorOf(response)).details]).toEqual([
      503,
      [{ path: 'database', message: 'cannot be written' }],
    ]);
  });

  test('says 503 while the buffer of views is full', async () => {
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const url = await start({
      wrapStore: (store) => ({
        ...store,
        countViews: async (views, ...rest) => {
          await held;
          return store.countViews(views, ...rest);
        },
      }),
    });
    const hit = { url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'GPTBot/1.2' };
    const sent = Array.from({ length: 20 }, () => headcount.hits(Array.from({ length: 1000 }, () => hit)));
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await errorOf(await fetch(`${url}/readyz`))).error).toBe(
      'The server is not ready: the buffer is full: 20000 views wait.',
    );
    commit();
    await Promise.all(sent);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('says 503 when the runner gives no sign of life', async () => {
    let wake = () => {};
    const asleep = new Promise<null>((resolve) => {
      wake = () => resolve(null);
    });
    const url = await start({
      env: { HEADCOUNT_MAX_JOBS: '1' },
      runnerPulse: new RunnerPulse(50),
      wrapStore: (store) => ({
        ...store,
        jobs: { ...store.jobs, msUntilDue: () => asleep },
      }),
    });
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await errorOf(await fetch(`${url}/readyz`))).details).toEqual([
      { path: 'runner', message: 'gives no sign of life' },
    ]);
    wake();
  });
});

test('/robots.txt keeps crawlers out of the dashboard, and lets them load what pages load', async () => {
  const url = await start();
  const response = await fetch(`${url}/robots.txt`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const lines = (await response.text()).split('\n');
  expect(lines[0]).toBe('User-agent: *');
  expect(lines).toContain('Disallow: /');
  const allowed = lines.flatMap((line) => /^Allow: (.+)/.exec(line)?.[1] ?? []);
  expect(allowed).toEqual([
    '/hc.js',
    '/hc-events.js',
    '/hc-debug.js',
    '/v1/hit',
    '/v1/image/',
    '/v1/pixel.gif',
  ]);
  const view = 'u=https://example.com/';
  const images = [
    `/v1/image/${headcount.projectId}?${view}`,
    `/v1/pixel.gif?p=${headcount.projectId}&${view}`,
  ];
  for (const path of ['/hc.js', ...images]) {
    expect((await fetch(url + path)).ok).toBe(true);
  }
});

describe('/v1/instance', () => {
  test('shows those who have the key that it is the one, and nobody else anything', async () => {
    await start();
    const { url, context } = headcount;
    const ask = async (path: string) => {
      const response = await fetch(url + path);
      return [response.status, response.headers.get('cache-control'), await response.text()];
    };
    const key = findSecretKey(context.config) as Buffer;
    expect(await ask(`/v1/instance/${instanceOf(key)}`)).toEqual([204, 'no-store', '']);
    const [, , missing] = await ask('/nothing');
    for (const wrong of [instanceOf(Buffer.alloc(32)), 'x', encodeURIComponent('ü'.repeat(16))]) {
      expect(await ask(`/v1/instance/${wrong}`)).toEqual([404, 'no-store', missing]);
    }
    expect(key.toString('hex')).not.toContain(instanceOf(key));
  });
});
