import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chromeUserAgent, startHeadcount } from '../support/headcount.ts';
import { createLatch } from '../support/latch.ts';
import { openConnection, parseAnswers } from '../support/raw-connection.ts';

const hitOf = (projectId: string) => {
  const body = JSON.stringify({ p: projectId, u: 'https://example.com/' });
  return `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

test('a hit that was on its way when the server was stopped has its 202, with the end of the connection', async () => {
  const counting = createLatch();
  const asked = createLatch();
  const headcount = await startHeadcount({
    wrapStore: (store) => ({
      ...store,
      countViews: async (...args) => {
        asked.open();
        await counting.opened;
        return store.countViews(...args);
      },
    }),
  });
  const { write, closed } = openConnection(headcount.url);
  write(hitOf(headcount.projectId));
  await asked.opened;
  const stopped = headcount.stop();
  counting.open();
  const answers = parseAnswers(await closed);
  expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[202, 'close']]);
  await stopped;
});

test('a request that has arrived, but was not read yet, gets the answer that the server stops', async () => {
  const headcount = await startHeadcount({ timing: { farewellMs: 100 } });
  const { socket, write, received, closed } = openConnection(headcount.url);
  await once(socket, 'connect');
  write(hitOf(headcount.projectId));
  await expect.poll(received).toContain('202 Accepted');
  // What is due by the clock comes right after this turn, and what has arrived only then.
  await nextTurn();
  const stopped = headcount.stop();
  write(hitOf(headcount.projectId));
  // As on a busy machine: nothing of this process runs until the time to answer is over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const answers = parseAnswers(await closed);
  expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
    [202, 'keep-alive'],
    [503, 'close'],
  ]);
  await stopped;
});
