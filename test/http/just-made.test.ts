import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../../server/projects/key.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { addProject } from '../support/added-project.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { openChosenStore } from '../support/store/chosen-engine.ts';

let headcount: Headcount;
/** As a command beside the server has it. */
let beside: Store;
let looks = 0;
let failure: Error | undefined;

beforeEach(async () => {
  failure = undefined;
  headcount = await startHeadcount({
    wrapStore: (store) => ({
      ...store,
      directoryVersion: () => {
        looks++;
        return failure ? Promise.reject(failure) : store.directoryVersion();
      },
    }),
  });
  beside = await openChosenStore(headcount.context.config, undefined);
});
afterEach(async () => {
  await beside.close();
  await headcount.stop();
});

const add = () =>
  addProject(beside, projectSettings.parse({ name: 'New' }), { baseUrl: headcount.url, now: Date.now() });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const hit = async (projectId: string) => {
  const response = await headcount.hit({ p: projectId, u: 'https://example.com/' });
  return [response.status, response.headers.get('x-headcount-dropped')];
};
const report = async (projectId: string, key: string) =>
  (await fetch(`${headcount.url}/v1/analytics/${projectId}/views`, { headers: bearer(key) })).status;
const batch = async (key: string, project: string) => {
  const hits = [{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: chromeUserAgent }];
  const response = await fetch(`${headcount.url}/v1/hits`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ project, hits }),
  });
  return [response.status, await response.json()];
};

describe('right after it was made beside the server,', () => {
  test('a project counts what the script and the image send', async () => {
    expect(await hit((await add()).projectId)).toEqual([202, null]);
    const { projectId } = await add();
    const pixel = await fetch(`${headcount.url}/v1/pixel.gif?p=${projectId}&u=https://example.com/`, {
      headers: { 'user-agent': chromeUserAgent },
    });
    expect([pixel.status, pixel.headers.get('x-headcount-dropped')]).toEqual([202, null]);
  });

  test('its keys are good, and those of all projects are good for it', async () => {
    const first = await add();
    expect(await report(first.projectId, first.adminKey)).toBe(200);
    const second = await add();
    expect(await batch(second.ingestKey, second.projectId)).toEqual([202, { accepted: 1, dropped: [] }]);
    expect(await report((await add()).projectId, headcount.rootKey)).toBe(200);
    expect(await batch(headcount.rootKey, (await add()).projectId)).toEqual([
      202,
      { accepted: 1, dropped: [] },
    ]);
    const key = makeKey('admin', first.projectId, 'new', Date.now());
    await beside.addKey(key.stored);
    expect(await report(first.projectId, key.secret)).toBe(200);
  });
});

test('a flood of invented projects and keys reaches the store some ten times a second', async () => {
  await hit('firstlook');
  looks = 0;
  const startedAt = performance.now();
  const invented = Array.from({ length: 1000 }, (_, i) => `invented${i}`);
  const answers = await Promise.all([
    ...invented.map((id) => hit(id)),
    ...invented.map(() => report(headcount.projectId, makeKey('admin', null, '', 0).secret)),
  ]);
  const seconds = (performance.now() - startedAt) / 1000;
  expect(answers.slice(0, 1000)).toEqual(Array(1000).fill([202, 'unknown_project']));
  expect(answers.slice(1000)).toEqual(Array(1000).fill(401));
  expect(looks).toBeLessThan(10 * seconds + 3);
});

test('a mistyped key and a known project need no look', async () => {
  failure = new Error('database disk image is malformed');
  expect(await report(headcount.projectId, `${headcount.adminKey}x`)).toBe(401);
  expect(await hit(headcount.projectId)).toEqual([202, null]);
});

test('where the store cannot be asked, the sender is told to come back', async () => {
  failure = new Error('database disk image is malformed');
  const response = await headcount.hit({ p: 'nobodyknows', u: 'https://example.com/' });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await response.text()).not.toContain('malformed');
});
