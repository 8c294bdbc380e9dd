import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import { agents } from '../../tracker/agents.ts';
import { html, type Visit, visits } from '../support/visit.ts';

const startVisit = visits();

interface Count {
  human: number;
  ai: number;
  total: number;
}

interface Client {
  client: string;
  proof: string;
  visitors: number;
  views: number;
}

const person = (count = 1): Count => ({ human: count, ai: 0, total: count });
const agent = (count = 1): Count => ({ human: 0, ai: count, total: count });

async function countsOf(visit: Visit, report: 'visitors' | 'views'): Promise<Record<string, Count>> {
  const reply = await visit.get<Record<string, (Count & { path: string })[]>>(report);
  return Object.fromEntries((reply[report] ?? []).map(({ path, ...count }) => [path, count]));
}

const viewsOf = (visit: Visit) => countsOf(visit, 'views');
const clientsOf = async (visit: Visit) =>
  (await visit.get<{ clients: Client[] }>('ai-clients')).clients.map(({ client }) => client);

const settles = (visit: Visit, views: Record<string, Count>) =>
  expect.poll(() => viewsOf(visit)).toEqual(views);

/** Longer than from one look of the tracker to the next, so that whatever it would send is sent. */
const pass = (visit: Visit) => visit.page.waitForTimeout(1500);

const glow = '<div id="claude-agent-glow-border"></div>';
const appear = `document.body.insertAdjacentHTML('beforeend', '${glow}')`;
const vanish = `document.getElementById('claude-agent-glow-border').remove()`;

const site = () => startVisit((tag) => ({ '*': html(tag()), '/driven': html(tag(), glow) }));

describe('an agent that takes over the page of a person', () => {
  test('adds an AI view of the same visitor, and no second view of the person', async () => {
    const visit = await startVisit((tag) => ({
      '/': html(tag(), `<script>onload = () => setTimeout(() => { ${appear} }, 200)</script>`),
    }));
    await visit.open('/');
    await settles(visit, { '/': { human: 1, ai: 1, total: 2 } });
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
    expect(await countsOf(visit, 'visitors')).toEqual({ '/': { human: 1, ai: 1, total: 1 } });
    expect((await visit.get<{ totals: Count }>('visitors')).totals).toEqual({ human: 1, ai: 1, total: 1 });
    expect(await visit.get('ai-clients')).toMatchObject({
      clients: [{ client: 'Claude in Chrome', proof: 'inferred', visitors: 1, views: 1 }],
    });
  });

  test('names no source of its own', async () => {
    const visit = await site();
    const hits: unknown[] = [];
    visit.context.on('request', (request) => {
      if (request.url().endsWith('/v1/hit')) hits.push(JSON.parse(request.postData() ?? ''));
    });
    await visit.open('/docs?page=2#part');
    await visit.run(appear);
    await expect.poll(() => hits).toHaveLength(2);
    const u = `${visit.site.url}/docs?page=2`;
    const p = visit.projectId;
    expect(hits).toEqual([
      { p, u, r: '', a: '', s: 5 },
      { p, u, r: u, a: 'c', s: 5 },
    ]);
    await settles(visit, { '/docs?page=2': { human: 1, ai: 1, total: 2 } });
    expect(await visit.get('sources')).toMatchObject({ sources: [{ source: '(direct)', human: 1, ai: 0 }] });
  });

  test('counts once however often its mark comes and goes, and once more where the page comes back', async () => {
    const visit = await site();
    await visit.open('/');
    for (let times = 0; times < 3; times++) {
      await visit.run(appear);
      await pass(visit);
      await visit.run(vanish);
      await pass(visit);
    }
    expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
    await visit.open('/next');
    await visit.page.goBack({ waitUntil: 'commit' });
    await settles(visit, { '/': { human: 2, ai: 1, total: 3 }, '/next': person() });
    await visit.run(appear);
    await settles(visit, { '/': { human: 2, ai: 2, total: 4 }, '/next': person() });
  });

  test('counts beside another one that is there already', async () => {
    const visit = await site();
    await visit.open('/driven');
    await visit.run(`document.body.setAttribute('nova-act-id', '7')`);
    await settles(visit, { '/driven': agent(2) });
    expect((await clientsOf(visit)).sort()).toEqual(['Amazon Nova Act', 'Claude in Chrome']);
  });

  test('counts for the page that it leaves at once, by a link or inside an app', async () => {
    const visit = await site();
    await visit.open('/');
    await visit.run(`${appear}; history.pushState({}, '', '/pushed'); ${vanish};`);
    await settles(visit, { '/': { human: 1, ai: 1, total: 2 }, '/pushed': person() });
    await visit.run(`${appear}; location.href = '/next';`);
    await settles(visit, {
      '/': { human: 1, ai: 1, total: 2 },
      '/pushed': { human: 1, ai: 1, total: 2 },
      '/next': person(),
    });
  });
});

describe('an agent that is there from the beginning', () => {
  test('makes the view an AI view alone', async () => {
    const visit = await site();
    await visit.open('/driven');
    await settles(visit, { '/driven': agent() });
    await pass(visit);
    expect(await countsOf(visit, 'visitors')).toEqual({ '/driven': agent() });
    expect(await viewsOf(visit)).toEqual({ '/driven': agent() });
  });

  test('makes AI views of all pages of an app, until it is gone', async () => {
    const visit = await site();
    await visit.open('/driven');
    await visit.run(`history.pushState({}, '', '/one')`);
    await visit.run(`history.pushState({}, '', '/two'); headcount('/step');`);
    await settles(visit, { '/driven': agent(), '/one': agent(), '/two': agent(), '/step': agent() });
    await visit.run(`${vanish}; history.pushState({}, '', '/three');`);
    await settles(visit, {
      '/driven': agent(),
      '/one': agent(),
      '/two': agent(),
      '/step': agent(),
      '/three': person(),
    });
  });
});

/** As the agents write it, by the client that it tells. */
const marks: [client: string, mark: string][] = [
  ['Claude in Chrome', glow],
  ['Claude in Chrome', '<div id="claude-agent-stop-container"></div>'],
  ['ChatGPT for Chrome', '<div id="codex-agent-overlay-root"></div>'],
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

describe('a person stays a person', () => {
  test('on a page with names that are almost marks, and with what an agent left behind', async () => {
    const visit = await startVisit((tag) => ({
      '/': html(
        `${tag()}<style id="claude-agent-animation-styles"></style>`,
        `<div id="claude-agent-glow-border-2" class="claude-agent-glow-border" title="codex-agent-overlay-root"></div>
        <div id="my-codex-agent-overlay-root" data-codex-favicon="1" data-nova-act-id="7"></div>
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

describe('where nobody is counted, no agent is', () => {
  test('as the browser says, or its owner', async () => {
    const visit = await startVisit((tag) => ({
      '/respectful': html(tag('data-respect-gpc')),
      '/': html(tag()),
    }));
    await visit.context.addInitScript(
      `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`,
    );
    await visit.open('/respectful');
    await visit.run(appear);
    await pass(visit);
    await visit.open('/');
    await visit.run(`localStorage['headcount.ignore'] = ''; ${appear};`);
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({ '/': person() });
    expect(visit.complaints).toEqual([]);
  });

  test('before a page with data-manual counts its first view', async () => {
    const visit = await startVisit((tag) => ({ '/': html(tag('data-manual'), glow) }));
    await visit.open('/');
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({});
    await visit.run(`headcount('/manual')`);
    await settles(visit, { '/manual': agent() });
    expect(visit.complaints).toEqual([]);
  });
});

test('the module tells of agents too, until it is stopped', async () => {
  const visit = await startVisit((_tag, server, projectId) => ({
    '/headcount.js': async () => ({
      body: await readFile(join(import.meta.dirname, '..', '..', 'dist', 'headcount.js')),
      headers: { 'Content-Type': 'text/javascript' },
    }),
    '*': html(`<script type="module">
      import { start } from '/headcount.js';
      document.tracker = start({ project: '${projectId}', server: '${server}' });
    </script>`),
  }));
  await visit.open('/');
  await visit.run(appear);
  await settles(visit, { '/': { human: 1, ai: 1, total: 2 } });
  await visit.run(vanish);
  await visit.open('/stopped');
  await settles(visit, { '/': { human: 1, ai: 1, total: 2 }, '/stopped': person() });
  await visit.run(`document.tracker.stop(); ${appear};`);
  await pass(visit);
  expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 }, '/stopped': person() });
});
