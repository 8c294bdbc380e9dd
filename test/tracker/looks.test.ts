import { expect, test } from 'vitest';
import { appear, vanish } from '../support/tracker/agent-visit.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

const minute = 60_000;

/** Counts in `looks` how often all of the page is searched. */
const counting = `
  window.looks = 0;
  const find = Element.prototype.querySelector;
  Element.prototype.querySelector = function (selector) {
    if (selector === '[nova-act-id]') looks++;
    return find.call(this, selector);
  };`;

const hiding = `Object.defineProperty(Document.prototype, 'hidden', { value: true, configurable: true })`;

/** How often a page is searched for agents in a minute of its own clock. */
async function looksOf(elements: number, script = ''): Promise<number> {
  const visit = await startVisit((tag) => ({ '/': html(tag(), '<i></i>'.repeat(elements)) }));
  await visit.page.clock.install();
  await visit.page.addInitScript(counting + script);
  await visit.open('/');
  const before = await visit.run<number>('looks');
  await visit.page.clock.runFor(minute);
  return (await visit.run<number>('looks')) - before;
}

test('a small page is searched for agents once a second', async () => {
  const looks = await looksOf(10);
  expect(looks).toBeGreaterThanOrEqual(57);
  expect(looks).toBeLessThanOrEqual(60);
});

test('a page is searched the less often the more elements it has', async () => {
  expect(await looksOf(2_000)).toBeLessThanOrEqual(20);
  expect(await looksOf(10_000)).toBeLessThanOrEqual(6);
});

test('a page in a hidden tab is not searched', async () => {
  expect(await looksOf(10, hiding)).toBe(0);
});

test('what is due in a hidden tab of a large page is sent within a second of its coming into sight', async () => {
  const visit = await startVisit((tag) => ({ '/': html(tag(), '<i></i>'.repeat(10_000)) }));
  await visit.page.clock.install();
  await visit.page.addInitScript(hiding);
  await visit.open('/');
  await visit.page.clock.runFor(minute);
  expect(await visit.read('views')).toEqual({});
  await visit.run(
    `Object.defineProperty(Document.prototype, 'hidden', { value: false, configurable: true })`,
  );
  await visit.page.clock.runFor(1_000);
  await expect.poll(() => visit.read('views')).toEqual({ '/': 1 });
});

test('an event of a person takes one look, and one of an agent that has come tells of its view, too', async () => {
  const visit = await startVisit((tag) => ({
    '/': html(tag().replace('hc.js', 'hc-events.js'), '<i></i>'.repeat(10_000)),
  }));
  await visit.page.clock.install();
  await visit.page.addInitScript(counting);
  await visit.open('/');
  const clients = () => visit.get('ai-clients');
  const looksFor = (script: string) => visit.run<number>(`(() => { looks = 0; ${script}; return looks; })()`);
  const event = 'headcount.event("Sign up")';
  expect(await looksFor(`${event}; ${event}; ${event}`)).toBe(3);
  await visit.run(`${appear}; ${event}; ${vanish}`);
  await expect.poll(clients).toMatchObject({ clients: [{ client: 'Claude in Chrome', views: 1 }] });
  expect(await visit.read('views')).toEqual({ '/': 1 });
});
