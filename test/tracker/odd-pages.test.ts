import { expect, test } from 'vitest';
import type { EventsReply, PropertiesReply } from '../../shared/reports/analytics.ts';
import { clobbering } from '../support/engines/flows.ts';
import { startSite } from '../support/sites/site.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

test.each(['hc.js', 'hc-events.js'])(
  'elements that hide properties of the document and the window change nothing: %s',
  async (file) => {
    const visit = await startVisit((tag) => ({
      '/': html('', `<a href="/page">Page</a>`),
      '/page': html(tag().replace('hc.js', file), clobbering),
    }));
    const hits: { r: string }[] = [];
    visit.context.on('request', (request) => {
      if (request.method() === 'POST') hits.push(request.postDataJSON());
    });
    await visit.open('/');
    await visit.page.click('a');
    await visit.page.waitForURL('**/page');
    await expect.poll(() => visit.read('views')).toEqual({ '/page': 1 });
    expect(hits.map(({ r }) => r)).toEqual([`${visit.site.url}/`]);
    expect(visit.problems).toEqual([]);
  },
);

test.each(['hc.js', 'hc-events.js'])('frames of another site may have any name: %s', async (file) => {
  const other = await startSite({ '*': html('') });
  const names = ['headcount', 'navigation', 'hidden', 'referrer'];
  const frames = names.map(
    (name) => `<iframe name="${name}" src="http://other.test:${other.port}/"></iframe>`,
  );
  const visit = await startVisit((tag) => ({ '*': html(tag().replace('hc.js', file), frames.join('')) }));
  await visit.open('/');
  await expect.poll(() => visit.read('views')).toEqual({ '/': 1 });
  await visit.run('history.pushState({}, "", "/next")');
  await expect.poll(() => visit.read('views')).toEqual({ '/': 1, '/next': 1 });
  await other.stop();
});

test('a page may call variables of its own navigation, history and performance', async () => {
  const visit = await startVisit((tag) => ({
    '*': html(
      `<script>const navigation = []; const history = 1; var performance = 2; let e = 0, t = 0;</script>${tag()}`,
    ),
  }));
  await visit.open('/');
  await visit.run('window.history.pushState({}, "", "/next")');
  await visit.endsWith({ '/': 1, '/next': 1 });
  expect(visit.problems).toEqual([]);
});

/** What a page may have for itself under the names of what a browser has. */
const ways = {
  variables: (name: string) => `var ${name} = '/';`,
  'variables of a block': (name: string) => `let ${name} = { x: 1 };`,
  classes: (name: string) => `class ${name} {}`,
  functions: (name: string) => `function ${name}() {}`,
};
const ownNames = [
  ...[
    'URL',
    'Document',
    'HTMLDocument',
    'Event',
    'MouseEvent',
    'EventTarget',
    'Node',
    'HTMLElement',
    'Window',
  ],
  ...[
    'Image',
    'Request',
    'Response',
    'XMLHttpRequest',
    'URLSearchParams',
    'Location',
    'Navigator',
    'Storage',
  ],
  ...[
    'performance',
    'screen',
    'status',
    'origin',
    'event',
    'name',
    'length',
    'parent',
    'scripts',
    'referrer',
  ],
];

test.each(Object.entries(ways))('a page may have %s of any such name', async (_way, declare) => {
  const visit = await startVisit((tag) => ({
    '/all': html(`${ownNames.map((name) => `<script>${declare(name)}</script>`).join('')}${tag()}`),
    '*': html(`<script>${declare('URL')} ${declare('Document')}</script>${tag()}`),
  }));
  await visit.open('/');
  await visit.run('history.pushState({}, "", "/next")');
  await visit.open('/all');
  await visit.run('history.pushState({}, "", "/all/next")');
  await visit.endsWith({ '/': 1, '/next': 1, '/all': 1, '/all/next': 1 });
});

test.each(Object.entries(ways))('and events count there, too: %s', async (_way, declare) => {
  const names = ['URL', 'Document', 'performance'];
  const visit = await startVisit((tag) => ({
    '*': html(
      `${names.map((name) => `<script>${declare(name)}</script>`).join('')}${tag('data-outbound').replace('hc.js', 'hc-events.js')}`,
      `<form id="URL"><input name="URL"></form><form id="Document"></form>
       <a href="https://other.example/">x</a> <p data-headcount-event="Marked">x</p>`,
    ),
  }));
  await visit.open('/');
  await visit.run(`
    addEventListener('click', (event) => event.preventDefault());
    document.querySelector('a').click();
    document.querySelector('p').click();
    headcount.event('Sign up');
  `);
  const events = async () => (await visit.get<EventsReply>('events')).events.map(({ event }) => event).sort();
  await expect.poll(events).toEqual(['Marked', 'Outbound link', 'Sign up']);
  await visit.endsWith({ '/': 1 });
  expect(visit.problems).toEqual([]);
});

test.each([
  ...['fetch', 'JSON', 'Reflect', 'setTimeout', 'setInterval', 'History', 'Element', 'URLSearchParams'],
  ...['innerWidth', 'innerHeight', 'localStorage', 'navigator', 'addEventListener', 'webkitURL'],
])('what the script takes by its name raises no error on a page that has its own: %s', async (name) => {
  const visit = await startVisit((tag) => ({
    '*': html(
      `<script>var ${name} = '/'; onload = () => { window.history.pushState({}, '', '/next?q=coffee'); document.body.click(); };</script>${tag()}${tag('data-search="q"').replace('hc.js', 'hc-events.js')}`,
    ),
  }));
  await visit.open('/?q=tea');
  await visit.open('/end');
  expect(visit.problems).toEqual([]);
});

test.each([
  ['in a script without attributes', (line: string, code: string) => `${line}<script>${code}</script>`],
  ['in a script of another name', (line: string) => `${line}<script src="/bundle.js"></script>`],
  [
    'in a bundle behind a script of another project’s attributes',
    (line: string) => `<script data-name="x"></script>${line}<script src="/bundle.js" data-bundle></script>`,
  ],
  ['by import()', (line: string) => `${line}<script>import('/bundle.js')</script>`],
  [
    'in a script that another one adds',
    (line: string) =>
      `${line}<script>document.head.append(Object.assign(document.createElement('script'), { src: '/bundle.js' }))</script>`,
  ],
])('the script counts %s, where the line that names the project is another', async (_name, head) => {
  let code = '';
  const visit = await startVisit((tag) => ({
    '/bundle.js': () => ({ body: code, headers: { 'Content-Type': 'text/javascript' } }),
    '*': () => ({ body: html(head(tag('type="text/plain"'), code)) }),
  }));
  code = await (await fetch(`${visit.server}/hc.js`)).text();
  await visit.open('/');
  await visit.page.waitForFunction('window.headcount');
  await visit.endsWith({ '/': 1 });
});

test('views of addresses of any length count, and so do those after them', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }));
  await visit.open('/');
  for (const length of [20_000, 40_000, 1_000_000]) {
    await visit.run(`history.pushState({}, '', '/query-${length}?c=' + 'x'.repeat(${length}))`);
    await visit.run(`history.pushState({}, '', '/after-query-${length}')`);
  }
  await visit.run(`history.pushState({}, '', '/long/' + '%C3%BC'.repeat(20000))`);
  await visit.run(`history.pushState({}, '', '/last')`);
  await expect.poll(() => visit.read('views')).toMatchObject({ '/last': 1 });
  const views = await visit.read('views');
  const long = Object.keys(views).filter((path) => path.startsWith('/long/'));
  expect(long).toHaveLength(1);
  delete views[String(long)];
  expect(views).toEqual({
    '/': 1,
    ...{ '/query-20000': 1, '/query-40000': 1, '/query-1000000': 1 },
    ...{ '/after-query-20000': 1, '/after-query-40000': 1, '/after-query-1000000': 1, '/last': 1 },
  });
});

test('an application that corrects a slash at the end of its address has one view', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }));
  await visit.open('/docs');
  await visit.run(`history.replaceState({}, '', '/docs/')`);
  await visit.run(`history.replaceState({}, '', '/docs/?page=2')`);
  await visit.run(`history.replaceState({}, '', '/docs?page=3')`);
  await visit.run(`history.replaceState({}, '', '/docs/other')`);
  await visit.endsWith({ '/docs': 1, '/docs/other': 1 });
});

test('a page in a frame without a size counts once it has one', async () => {
  const visit = await startVisit((tag) => ({
    '/': html(
      '',
      '<iframe id="frame" src="/framed" style="display:none"></iframe><iframe src="/tiny" width="1" height="1"></iframe>',
    ),
    '*': html(tag()),
  }));
  await visit.open('/');
  await visit.page.frames()[1]?.waitForFunction('window.headcount');
  await visit.page.frames()[2]?.waitForFunction('window.headcount');
  // What was sent wrongly would be there before this.
  await visit.page.frames()[2]?.evaluate('fetch(document.querySelector("script").src)');
  expect(await visit.read('views')).toEqual({});
  await visit.run(`document.querySelector('#frame').style.display = ''`);
  await expect.poll(() => visit.read('views')).toEqual({ '/framed': 1 });
});

test('clicks count on whatever is a link or marked, and never raise an error', async () => {
  const visit = await startVisit((tag) => ({
    '*': html(
      tag('data-outbound data-downloads').replace('hc.js', 'hc-events.js'),
      `<svg><a id="svg" href="https://svg.example/x?y"><text>x</text></a></svg>
       <svg><a xlink:href="https://xlink.example/"><text id="xlink">x</text></a></svg>
       <map name="map"><area id="area" href="https://area.example/" alt="x"></map>
       <a id="broken" href="https://[/">x</a> <a id="mail" href="mailto:a@b.example">x</a> <a id="empty" href="">x</a>
       <a id="relative" href="../list.csv"><i>x</i></a>
       <form id="form" data-headcount-event="Form" data-headcount-plan-size="L">
         <input name="closest"><input name="dataset"><input name="matches"><input name="attributes"></form>
       <p id="host"></p>`,
    ),
  }));
  await visit.open('/deep/page');
  await visit.run(`
    addEventListener('click', (event) => event.preventDefault());
    const click = (node, options) => node.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, ...options }));
    for (const target of [window, document, document.createTextNode('x'), document.createDocumentFragment()]) click(target);
    window.dispatchEvent(new Event('click'));
    document.dispatchEvent(new CustomEvent('auxclick'));
    for (const id of ['svg', 'xlink', 'area', 'broken', 'mail', 'empty', 'relative', 'form']) click(document.getElementById(id));
    const outer = host.attachShadow({ mode: 'open' });
    outer.innerHTML = '<b data-headcount-event="Shadow"><span></span></b>';
    const inner = outer.querySelector('span').attachShadow({ mode: 'open' });
    inner.innerHTML = '<a href="https://inner.example/"><u>x</u></a>';
    click(inner.querySelector('u'));
    outer.append(Object.assign(document.createElement('a'), { href: 'https://shadow.example/' }));
    click(outer.querySelector('a'));
    click(document.getElementById('svg'), { button: 2 });
  `);
  const counted = async () => {
    const { events } = await visit.get<EventsReply>('events');
    return Object.fromEntries(events.map(({ event, events }) => [event, events]));
  };
  await expect.poll(counted).toEqual({ 'Outbound link': 4, Download: 1, Form: 1, Shadow: 1 });
  const propertiesOf = async (event: string) => {
    const { properties } = await visit.get<PropertiesReply>(`events/${encodeURIComponent(event)}/properties`);
    return properties.map(({ property, value }) => `${property}: ${value}`).sort();
  };
  expect(await propertiesOf('Outbound link')).toEqual([
    'to: https://area.example/',
    'to: https://shadow.example/',
    'to: https://svg.example/x',
    'to: https://xlink.example/',
  ]);
  expect(await propertiesOf('Download')).toEqual([`file: ${visit.site.url}/list.csv`]);
  expect(await propertiesOf('Form')).toEqual(['planSize: L']);
  expect(visit.problems).toEqual([]);
});

test('links are seen on a page whose elements are called like what the script asks of them', async () => {
  const names = ['matches', 'nodeType', 'composedPath', 'button', 'dataset', 'Element'];
  const visit = await startVisit((tag) => ({
    '*': html(
      tag('data-outbound').replace('hc.js', 'hc-events.js'),
      `${names.map((name) => `<section id="${name}"></section><img name="${name}" alt="">`).join('')}
       <a href="https://other.example/">x</a>`,
    ),
  }));
  await visit.open('/');
  await visit.run(`
    addEventListener('click', (event) => event.preventDefault());
    document.querySelector('a').click();
  `);
  const events = async () => (await visit.get<EventsReply>('events')).events.map(({ event }) => event);
  await expect.poll(events).toEqual(['Outbound link']);
  expect(visit.problems).toEqual([]);
});
