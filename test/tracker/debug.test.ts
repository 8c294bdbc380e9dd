import { expect, test } from 'vitest';
import { html, type StartVisit, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

/** Pages whose scripts tell the console, and what they tell. */
async function debuggedVisit(pages: Parameters<StartVisit>[0]) {
  const visit = await startVisit((tag, server, projectId) =>
    pages((attributes) => tag(attributes).replace('hc.js', 'hc-debug.js'), server, projectId),
  );
  const told: string[] = [];
  visit.context.on('console', (message) => {
    const [, text] = /^Headcount: (.*)$/.exec(message.text()) ?? [];
    if (text) told.push(`${message.type()}: ${text.replaceAll(visit.site.url, '')}`);
  });
  /** Waits until this is told, answers all that was told before it and with it, and forgets that. */
  const tells = async (text: string) => {
    await expect.poll(() => told.find((line) => line.includes(text)) ?? told).toContain(text);
    return told.splice(0);
  };
  return { ...visit, told, tells };
}

test('hc-debug.js counts as the others do, and tells the console of each view and event', async () => {
  const visit = await debuggedVisit((tag) => ({ '*': html(tag('data-outbound')) }));
  await visit.open('/');
  expect(await visit.tells('counted')).toEqual(['info: the view of / is counted.']);
  await visit.run('history.pushState({}, "", "/docs?page=2"); headcount.event("Sign up");');
  await visit.tells('the event “Sign up” of /docs?page=2 is counted');
  await visit.endsWith({ '/': 1, '/docs?page=2': 1 });
  expect(await visit.read('events')).toEqual({ 'Sign up': 1 });
});

test('it tells why nothing is sent', async () => {
  const visit = await debuggedVisit((tag) => ({
    '/manual': html(tag('data-manual')),
    '/respectful': html(tag('data-respect-gpc')),
    '/twice': html(tag() + tag()),
    '*': html(tag()),
  }));
  const turn = (isHidden: boolean) =>
    `Object.defineProperty(Document.prototype, 'hidden', { value: ${isHidden}, configurable: true });`;
  await visit.context.addInitScript(`
    if (location.pathname === '/hidden') ${turn(true)}
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
  `);
  await visit.open('/manual');
  expect(await visit.tells('data-manual')).toHaveLength(1);
  await visit.open('/respectful');
  await visit.tells('the view of /respectful is not sent, as your browser asks not to be counted');
  await visit.open('/twice');
  await visit.tells('another script’s line of this page counts for the project already');
  await visit.open('/hidden');
  await visit.tells('the view of /hidden waits until somebody sees the page');
  await visit.run(turn(false));
  // Once, although the page is looked at each second.
  expect(await visit.tells('counted')).toEqual(['info: the view of /hidden is counted.']);
  await visit.run('localStorage["headcount.ignore"] = 1; headcount("/left-out");');
  await visit.tells("the view of /left-out is not sent, as localStorage['headcount.ignore'] of this site");
});

test('it tells what the server says, and what stands between', async () => {
  const visit = await debuggedVisit((tag, server, projectId) => ({
    '/unknown': html(tag().replace(/data-project="[^"]+"/, 'data-project="unknown"')),
    '/elsewhere': html(`<script defer src="/copy.js" data-project="${projectId}"></script>`),
    '/copy.js': async () => ({
      body: await (await fetch(`${server}/hc-debug.js`)).text(),
      headers: { 'Content-Type': 'text/javascript' },
    }),
    '/nowhere': html(tag('data-endpoint="http://["')),
    '/strict': {
      body: html(tag()),
      headers: { 'Content-Security-Policy': "connect-src 'none'" },
    },
    '/v1/hit': { status: 404, body: 'Not here' },
    '*': html(tag()),
  }));
  await visit.open('/unknown');
  await visit.tells('is not counted: the server has no project with the id that data-project names');
  await visit.open('/wp-login.php');
  await visit.tells('is not counted: only scanners ask for such a path');
  await visit.open('/elsewhere');
  await visit.tells('was answered 404 by something that is not Headcount at /v1/hit');
  await visit.open('/nowhere');
  await visit.tells('the script does nothing (TypeError');
  await visit.open('/strict');
  await visit.tells('the view of /strict could not be sent (TypeError');
  await visit.open('/');
  await visit.run('headcount.event("Much", Object.fromEntries([...Array(11).keys()].map((n) => [n, n])))');
  await visit.tells('the event “Much” of / is refused (400): The hit is not valid: v');
  await visit.context.addInitScript('Object.defineProperty(navigator, "webdriver", { get: () => true })');
  await visit.open('/driven');
  await visit.tells('is not counted: a program drives this browser');
});
