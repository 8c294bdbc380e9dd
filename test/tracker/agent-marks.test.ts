import { describe, expect, test } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import { agents } from '../../tracker/agents.ts';
import {
  agent,
  appear,
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
  ['ChatGPT for Chrome', '<link rel="icon" href="data:," data-codex-favicon-badge="1">'],
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

  test.each(marks)('%s by %s', async (client, mark) => {
    const visit = await startVisit((tag) => ({ '/': html(tag(), mark) }));
    await visit.open('/');
    await expect.poll(() => clientsOf(visit)).toEqual([client]);
    expect(await viewsOf(visit)).toEqual({ '/': agent() });
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

describe('a browser that says it is automated', () => {
  const automated = async () => {
    const visit = await site();
    await visit.context.addInitScript(
      `Object.defineProperty(navigator, 'webdriver', { get: () => true, configurable: true })`,
    );
    return visit;
  };

  test('is a bot, and nothing more is sent of it', async () => {
    const visit = await automated();
    const hits: string[] = [];
    visit.context.on('request', (request) => {
      if (request.url().endsWith('/v1/hit')) hits.push(JSON.parse(request.postData() ?? '').a);
    });
    await visit.open('/');
    await pass(visit);
    expect(hits).toEqual(['w']);
    await expect
      .poll(() => visit.get('dropped'))
      .toMatchObject({ dropped: [{ reason: 'bot', family: 'automated browser', hits: 1 }] });
    expect(await viewsOf(visit)).toEqual({});
  });

  test('is AI with an agent at work, from the moment that it shows', async () => {
    const visit = await automated();
    await visit.open('/driven');
    await settles(visit, { '/driven': agent() });
    await visit.open('/');
    await visit.run(appear);
    await settles(visit, { '/driven': agent(), '/': agent() });
    expect(await visit.get('dropped')).toMatchObject({ dropped: [{ hits: 1 }] });
  });
});
