import { expect, test } from 'vitest';
import { leaveOut } from '../support/machine/left-out.ts';
import {
  blocking,
  genericRules,
  hasLists,
  listsPackage,
  type RequestType,
} from '../support/tracker/block-list.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

const types: Record<string, RequestType> = { script: 'script', fetch: 'xmlhttprequest', image: 'image' };

test('no rule that lists of blockers have for all hosts is about what pages ask Headcount for', async (context) => {
  if (!hasLists()) leaveOut(context, `${listsPackage} is not installed`);
  const visit = await startVisit((tag, server, projectId) => ({
    '/': html(tag(), `<img src="${server}/v1/image/${projectId}" alt="">`),
    '/events': html(tag().replace('hc.js', 'hc-events.js')),
    '/debug': html(tag().replace('hc.js', 'hc-debug.js')),
    '/mail': html('', `<img src="${server}/v1/image/${projectId}?u=https://www.example.com/mail" alt="">`),
  }));
  const asked = new Map<string, RequestType>();
  visit.context.on('request', (request) => {
    const type = types[request.resourceType()];
    if (request.url().startsWith(visit.server) && type)
      asked.set(request.url().slice(visit.server.length), type);
  });
  for (const path of ['/', '/events', '/debug', '/mail']) await visit.open(path);
  const image = `/v1/image/${visit.projectId}`;
  const paths = [
    '/hc-debug.js',
    '/hc-events.js',
    '/hc.js',
    '/v1/hit',
    image,
    `${image}?u=https://www.example.com/mail`,
  ];
  await expect.poll(() => [...asked.keys()].sort()).toEqual(paths);

  const rules = genericRules();
  expect(rules.length).toBeGreaterThan(4000);
  for (const place of ['https://count.example.com', 'https://www.example.com/count']) {
    for (const [path, type] of asked) {
      expect([place + path, blocking(rules, place + path, type)]).toEqual([place + path, []]);
    }
  }
  // The address that the image had before.
  const pixel = `https://count.example.com/v1/pixel.gif?p=${visit.projectId}`;
  expect(blocking(rules, pixel, 'image')).not.toEqual([]);
});
