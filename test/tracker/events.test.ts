import { expect, test } from 'vitest';
import type { EventsReply, PropertiesReply, TimeReply } from '../../shared/reports/analytics.ts';
import { html, type StartVisit, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

type Visited = Awaited<ReturnType<StartVisit>>;

/** The pages load the script with events, after whatever the head has before it. */
const visitPage = async (body = '', head = '', attributes = '') => {
  const visit = await startVisit((tag) => ({
    '*': html(`${head}${tag(attributes).replace('hc.js', 'hc-events.js')}`, body),
  }));
  await visit.open('/');
  return visit;
};
const eventsOf = async (visit: Visited) => {
  const { events } = await visit.get<EventsReply>('events');
  return Object.fromEntries(events.map(({ event, events }) => [event, events]));
};
const propertiesOf = async (visit: Visited, event: string) => {
  const { properties } = await visit.get<PropertiesReply>(`events/${encodeURIComponent(event)}/properties`);
  return properties.map(({ property, value }) => `${property}: ${value}`);
};

test('headcount.event tells of what happens on a page, and counts no view', async () => {
  const visit = await visitPage();
  await visit.run('headcount.event("Sign up", { plan: "team", seats: 5 }); headcount.event("Sign up");');
  await visit.run('history.pushState({}, "", "/docs"); headcount.event("Search");');
  await expect.poll(() => eventsOf(visit)).toEqual({ 'Sign up': 2, Search: 1 });
  expect(await propertiesOf(visit, 'Sign up')).toEqual(['plan: team', 'seats: 5']);
  await visit.endsWith({ '/': 1, '/docs': 1 });
  expect(visit.problems).toEqual([]);
});

test('a click on markup that names an event tells of it, also where the page handles the click', async () => {
  const visit = await visitPage(`
    <a href="/team" data-headcount-event="Sign up" data-headcount-plan="team" data-headcount-plan-size="L" data-secret="x">
      <b>Team</b></a>
    <button id="other">Other</button>
    <script>document.querySelector('a').onclick = (event) => { event.preventDefault(); event.stopPropagation(); };</script>`);
  await visit.page.click('b');
  await visit.page.click('#other');
  await expect.poll(() => eventsOf(visit)).toEqual({ 'Sign up': 1 });
  expect(await propertiesOf(visit, 'Sign up')).toEqual(['plan: team', 'planSize: L']);
  await visit.endsWith({ '/': 1 });
});

test('calls of the stub before the script is there are kept', async () => {
  const stub = `<script>
    window.headcount = window.headcount || { q: [], event: function () { this.q.push(arguments) } };
    headcount.event('Early', { at: 'start' });
  </script>`;
  const visit = await visitPage('', stub);
  await visit.run('headcount.event("Late"); headcount("/by-hand");');
  await expect.poll(() => eventsOf(visit)).toEqual({ Early: 1, Late: 1 });
  expect(await propertiesOf(visit, 'Early')).toEqual(['at: start']);
  await visit.endsWith({ '/': 1, '/by-hand': 1 });
});

test('an agent at work in the page tells of events as an AI client, and who wants to be left out of none', async () => {
  const visit = await visitPage();
  await visit.run(
    'document.documentElement.append(Object.assign(document.createElement("i"), {id: "manus-action-mask-host"})); headcount.event("Bought");',
  );
  await expect
    .poll(async () => (await visit.get<EventsReply>('events')).events.map(({ event, ai }) => [event, ai]))
    .toEqual([['Bought', 1]]);
  await visit.run('localStorage["headcount.ignore"] = 1; headcount.event("Ignored");');
  await visit.run('delete localStorage["headcount.ignore"]; headcount.event("Seen");');
  await expect.poll(() => eventsOf(visit)).toEqual({ Bought: 1, Seen: 1 });
});

test('how long a page is in sight is told in steps, for each view anew, and where it is asked for', async () => {
  const visit = await visitPage('', '', 'data-time');
  const isHidden = (value: boolean) =>
    visit.run(`Object.defineProperty(Document.prototype, 'hidden', { value: ${value}, configurable: true })`);
  const pages = async () =>
    (await visit.get<TimeReply>('time-on-page')).pages.map(({ path, ...seen }) => [
      path,
      ...Object.values(seen),
    ]);
  // Begun anew, as the clock of the first was the browser's.
  await visit.page.clock.install();
  await visit.open('/guide');
  await visit.page.clock.runFor(9_000);
  await isHidden(true);
  await visit.page.clock.runFor(60_000);
  await isHidden(false);
  await visit.page.clock.runFor(1_000);
  await expect.poll(pages).toEqual([['/guide', 1, 0, 0, 0, 0]]);
  await visit.page.clock.runFor(20_000);
  await expect.poll(pages).toEqual([['/guide', 1, 1, 0, 0, 0]]);
  await visit.run('history.pushState({}, "", "/next")');
  await visit.page.clock.runFor(700_000);
  await expect.poll(pages).toEqual([
    ['/guide', 1, 1, 0, 0, 0],
    ['/next', 1, 1, 1, 1, 1],
  ]);
  await visit.endsWith({ '/': 1, '/guide': 1, '/next': 1 });
  expect(visit.problems).toEqual([]);
});

test('nothing is told of time by itself, nor while somebody is left out', async () => {
  const visit = await visitPage(
    '',
    '<script>if (location.pathname !== "/") localStorage["headcount.ignore"] = 1</script>',
  );
  await visit.page.clock.install();
  await visit.open('/ignored');
  await visit.page.clock.runFor(60_000);
  await visit.run('delete localStorage["headcount.ignore"]');
  await visit.page.clock.runFor(20_000);
  await visit.run('headcount.event("Last")');
  await expect.poll(() => eventsOf(visit)).toEqual({ Last: 1 });
  expect((await visit.get<TimeReply>('time-on-page')).pages).toEqual([]);
});
