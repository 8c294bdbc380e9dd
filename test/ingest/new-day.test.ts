import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { Store } from '../../server/store/store.ts';
import { createClock } from '../support/clock.ts';
import { chromeUserAgent, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';
import { createLatch } from '../support/latch.ts';
import { openConnection, parseAnswers } from '../support/raw-connection.ts';
import { readDays } from '../support/store/kept.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let headcount: Headcount;
/** Days that each transaction was to open. */
let openings: number[];
let beforeOpening: () => Promise<void>;

const wrapStore = (store: Store): Store => ({
  ...store,
  openDays: async (days) => {
    openings.push(days.length);
    await beforeOpening();
    return store.openDays(days);
  },
});

beforeEach(async () => {
  openings = [];
  beforeOpening = async () => undefined;
  clock.set('2026-05-10T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now, wrapStore });
});
afterEach(() => headcount.stop());

const requestOf = (projectId: string, path: string) => {
  const body = JSON.stringify({ p: projectId, u: `https://example.com${path}` });
  return `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** Sends a hit of each project at once, 25 on a connection, and resolves with the status of each. */
async function hitAll(projects: readonly ProjectClient[], path: string): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = [];
  for (const some of [projects.slice(0, 25), projects.slice(25)]) {
    const { write, received, socket } = openConnection(headcount.url);
    write(some.map(({ projectId }) => requestOf(projectId, path)).join(''));
    await expect.poll(() => parseAnswers(received())).toHaveLength(some.length);
    statuses.push(...parseAnswers(received()).map(({ status }) => status));
    socket.destroy();
  }
  return statuses;
}

test('the first hits of a day of many projects open their days together, and each is counted once', async () => {
  const projects: ProjectClient[] = [];
  for (let i = 0; i < 50; i++) projects.push(await headcount.addProject());
  const accepted = projects.map(() => 202);
  expect(await hitAll(projects, '/before')).toEqual(accepted);
  openings = [];
  clock.set('2026-05-11T00:00:00Z');
  expect(await hitAll(projects, '/first')).toEqual(accepted);
  expect(openings.reduce((sum, days) => sum + days, 0)).toBe(50);
  expect(openings.length).toBeLessThanOrEqual(8);
  openings = [];
  // The days before are closed while the next day begins.
  clock.set('2026-05-12T00:00:00Z');
  const [statuses] = await Promise.all([hitAll(projects, '/next'), sealDueDays(headcount.context)]);
  expect(statuses).toEqual(accepted);
  expect(openings.length).toBeLessThanOrEqual(8);
  for (const project of projects) {
    const views = await project.views();
    expect(Object.entries(views).map(([path, { total }]) => [path, total])).toEqual(
      expect.arrayContaining([
        ['/before', 1],
        ['/first', 1],
        ['/next', 1],
      ]),
    );
  }
  await sealDueDays(headcount.context);
  expect((await readDays(headcount)).salts).toHaveLength(100);
  expect(headcount.log).toEqual([]);
});

test('a project whose day is open does not wait for those whose day is being opened', async () => {
  const [open, others] = [
    await headcount.addProject(),
    [await headcount.addProject(), await headcount.addProject()],
  ];
  expect((await open.hit({ u: 'https://example.com/' })).status).toBe(202);
  const opening = createLatch();
  beforeOpening = () => opening.opened;
  const waiting = others.map((project) => project.hit({ u: 'https://example.com/' }));
  await expect.poll(() => openings.length).toBe(2);
  for (let i = 0; i < 5; i++) expect((await open.hit({ u: `https://example.com/${i}` })).status).toBe(202);
  opening.open();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([202, 202]);
});

test('days that could not be opened are opened by the next hits', async () => {
  const projects = [await headcount.addProject(), await headcount.addProject()];
  beforeOpening = () => Promise.reject(new Error('The disk is full.'));
  expect(await hitAll(projects, '/')).toEqual([503, 503]);
  beforeOpening = async () => undefined;
  expect(await hitAll(projects, '/')).toEqual([202, 202]);
  for (const project of projects) expect((await project.views())['/']?.total).toBe(1);
});
