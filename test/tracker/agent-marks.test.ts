import { describe, expect, test } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { agents } from '../../tracker/agents.ts';
import { actingBadge, agentLives } from '../support/tracker/agent-lives.ts';
import {
  agent,
  clientsOf,
  drivenSite,
  glow,
  pass,
  person,
  settles,
  viewsOf,
} from '../support/tracker/agent-visit.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();
const site = () => drivenSite(startVisit);

/** As the agents write it, by the client that it tells. */
const marks: [client: string, mark: string][] = [
  ['Claude in Chrome', glow],
  ['Claude in Chrome', '<div id="claude-agent-stop-container"></div>'],
  ['Claude in Chrome', '<div id="claude-phantom-cursor"></div>'],
  ['ChatGPT for Chrome', actingBadge],
  ['Comet assistant', '<div id="pplx-agent-0_0-overlay"></div>'],
  ['Comet assistant', '<button id="pplx-agent-overlay-stop-button"></button>'],
  ['Amazon Nova Act', '<button nova-act-id="7"></button>'],
  ['browser-use', '<div id="playwright-highlight-container"></div>'],
  ['browser-use', '<div data-browser-use-highlight="element"></div>'],
  ['Browserbase', '<div id="__v3_cursor_overlay__"></div>'],
  ['Browserbase', '<script>window.__stagehandV3__ = {}</script>'],
  [
    'Skyvern',
    '<script>document.documentElement.append(Object.assign(document.createElement("div"), { id: "boundingBoxContainer" }))</script>',
  ],
  ['Skyvern', '<skyvern-control-indicator></skyvern-control-indicator>'],
  ['BrowserOS', '<div id="browseros-glow-overlay"></div>'],
  ['Manus', '<div id="manus-action-mask-host"></div>'],
  [
    'Claude desktop',
    '<script>window.__claudeElementMap = {}; window.__generateAccessibilityTree = () => ({});</script>',
  ],
];

describe('every mark tells its client', () => {
  test('and there are marks for all clients of the catalogue that have a letter, and no others', () => {
    const letters = (texts: (string | undefined)[]) => [...new Set(texts.map((text) => text?.[0]))].sort();
    const catalogued = clients.filter(({ marker }) => marker);
    expect(letters(agents.split(' '))).toEqual(letters(catalogued.map(({ marker }) => marker)));
    expect([...new Set(marks.map(([client]) => client))].sort()).toEqual(
      catalogued.map(({ client }) => client).sort(),
    );
    expect(marks).toHaveLength(agents.split(' ').length + 1);
  });

  test('alone, on a page that has it from the beginning', async () => {
    const visit = await startVisit((tag) =>
      Object.fromEntries(marks.map(([, mark], index) => [`/${index}`, html(tag(), mark)])),
    );
    const letters: string[] = [];
    visit.context.on('request', (request) => {
      if (request.url().endsWith('/v1/hit')) letters.push(JSON.parse(request.postData() ?? '').a);
    });
    for (const index of marks.keys()) await visit.open(`/${index}`);
    await settles(visit, Object.fromEntries(marks.map((_mark, index) => [`/${index}`, agent()])));
    const markers = marks.map(([client]) => clients.find((known) => known.client === client)?.marker);
    expect(letters).toEqual(markers);
    expect((await clientsOf(visit)).sort()).toEqual([...new Set(marks.map(([client]) => client))].sort());
  });

  test('also where the mark is a global that comes later, of which the page shows nothing', async () => {
    const visit = await site();
    await visit.open('/');
    await settles(visit, { '/': person() });
    await visit.run('window.__claudeElementMap = {}; undefined;');
    await settles(visit, { '/': { human: 1, ai: 1, total: 2 } });
    expect(await clientsOf(visit)).toEqual(['Claude desktop']);
  });
});

test('a page is an agent’s while it acts in it, and a person’s before, when it is handed over, and afterwards', async () => {
  const visit = await startVisit((tag) => ({ '*': html(`<link rel="icon" href="/icon.png">${tag()}`) }));
  const views: Record<string, Count> = {};
  for (const [client, life] of Object.entries(agentLives)) {
    const pathOf = (moment: string) => `/${client.replaceAll(' ', '-')}/${moment}`;
    let last = pathOf('before');
    await visit.open(last);
    views[last] = person();
    for (const [moment, script, reader] of life) {
      const path = pathOf(moment);
      // An agent that comes to a page is told of that page, too.
      if (reader === 'agent' && views[last]?.ai === 0) views[last] = { human: 1, ai: 1, total: 2 };
      views[path] = reader === 'agent' ? agent() : person();
      await visit.run(`${script}; history.pushState({}, '', '${path}');`);
      last = path;
    }
  }
  await settles(visit, views);
  expect((await clientsOf(visit)).sort()).toEqual(Object.keys(agentLives).sort());
  expect(visit.problems).toEqual([]);
});

test('of two marks that a page has at once the later in the list names the view', async () => {
  const both = `${glow}<script>window.__claudeElementMap = {};</script>`;
  const visit = await startVisit((tag) => ({ '/': html(tag(), both) }));
  await visit.open('/');
  await expect.poll(() => clientsOf(visit)).toEqual(['Claude desktop']);
});

describe('a person stays a person', () => {
  test('on a page with names that are almost marks, and with what an agent left behind', async () => {
    const visit = await startVisit((tag) => ({
      '/': html(
        `${tag()}<style id="claude-agent-animation-styles"></style>`,
        `<div id="claude-agent-glow-border-2" class="claude-agent-glow-border" title="codex-agent-overlay-root"></div>
        <div id="codex-agent-overlay-root"></div>
        <div id="my-codex-agent" data-codex-favicon="1" data-nova-act-id="7"></div>
        <a href="/codex-cli">Codex</a> <a href="https://docs.example/svg/paint-order">Paint order</a>
        <div id="claude-phantom-cursor-2" class="claude-phantom-cursor"></div>
        <div id="pplx-agent-docs"></div><div id="pplx-overlay"></div><div id="Manus-Action-Mask-Host"></div>
        <div id="playwright-highlight" data-browser-use="highlight"></div><div id="webdriver"></div>
        <div id="boundingBoxContainer"></div><p id="stagehand">__stagehandV3__ #browseros-glow-overlay</p>
        <script>window.__generateAccessibilityTree = () => ({})</script>`,
      ),
    }));
    await visit.open('/');
    await pass(visit);
    await visit.endsWith({ '/': 1 });
    expect(await viewsOf(visit)).toEqual({ '/': person(), '/end': person() });
  });

  test('on a page that changes all the time', async () => {
    const visit = await site();
    await visit.open('/');
    await visit.run(`new Promise((resolve) => {
      const startedAt = Date.now();
      const change = () => {
        for (let count = 0; count < 100; count++) document.body.append(document.createElement('i'));
        document.body.replaceChildren();
        document.body.id = 'n' + Math.random();
        if (Date.now() - startedAt < 2500) requestAnimationFrame(change);
        else resolve();
      };
      change();
    })`);
    await visit.endsWith({ '/': 1 });
    expect(await viewsOf(visit)).toEqual({ '/': person(), '/end': person() });
  });
});
