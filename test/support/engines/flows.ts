import { createHash } from 'node:crypto';
import type { Count } from '../../../shared/reports/analytics.ts';
import type { Pages } from '../sites/site.ts';
import { agent, appear, person, vanish } from '../tracker/agent-visit.ts';
import { html } from '../tracker/visit.ts';

/** A page that acts by itself once it is loaded, and then opens the next one. */
interface Flow {
  path: string;
  /** Attributes of the script's line. */
  attributes?: string;
  /** In place of the line. */
  line?: string;
  /** Runs before the script. */
  before?: string;
  body?: string;
  headers?: Record<string, string>;
  /** An async function's body; where it answers `false`, it opens the next page in its own way. */
  act?: string;
  /** Otherwise the one after it. */
  next?: string;
  /** What this page adds to the views. */
  views: Record<string, Count>;
  /** What it adds where the browser has the Navigation API; elsewhere it is not noticed. */
  navigationViews?: Record<string, Count>;
}

/** What pages need to act. */
const helpers = `
  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const travelled = (travel) =>
    new Promise((resolve) => {
      addEventListener('popstate', () => setTimeout(resolve, 50), { once: true });
      travel();
    });
  const wasReached = (how) => performance.getEntriesByType('navigation')[0].type === how;
  const trouble = (text) => fetch('/trouble?' + encodeURIComponent(location.pathname + ' ' + text), { keepalive: true });
  addEventListener('error', ({ message }) => trouble(message));
  addEventListener('unhandledrejection', ({ reason }) => trouble(reason));`;

const hide = (isHidden: boolean) =>
  `Object.defineProperty(Document.prototype, 'hidden', { value: ${isHidden}, configurable: true });`;

/** Elements that answer to the names of what a script reads of the document and of the window. */
export const clobbering = [
  ...[
    'hidden',
    'referrer',
    'visibilityState',
    'currentScript',
    'scripts',
    'querySelector',
    'documentElement',
    'all',
  ],
  ...['navigation', 'headcount', 'location', 'addEventListener', 'navigator'],
]
  .map((name) => `<iframe name="${name}" style="display:none"></iframe><img name="${name}" alt="">`)
  .join('');

/** Each is a click that counts: on links, files and marked elements of every kind, and on a form whose fields hide its own names. */
const links = `
  <svg><a class="click" href="https://svg.example/"><text>x</text></a></svg>
  <svg><a xlink:href="https://xlink.example/"><text class="click">x</text></a></svg>
  <map name="map"><area class="click" href="https://area.example/" alt="x"></map><img usemap="#map" alt="">
  <a class="click" href="/files/list.pdf">List</a>
  <svg><g data-headcount-event="Marked" data-headcount-plan-size="L"><rect class="click"></rect></g></svg>
  <form class="click" data-headcount-event="Marked"><input name="closest"><input name="dataset"><input name="matches"></form>
  <p id="host"></p>`;

/** What depends on the browser's maker. */
export function flowsOf(server: string, projectId: string): Flow[] {
  const line = (file: string, attributes = '') =>
    `<script defer src="${server}/${file}" data-project="${projectId}" ${attributes}></script>`;
  return [
    {
      path: '/',
      body: '<a href="/docs?from=home#top">Docs</a>',
      act: `document.querySelector('a').click(); return false;`,
      views: { '/': person() },
    },
    {
      path: '/docs',
      act: `if (!wasReached('reload')) { location.reload(); return false; }`,
      views: { '/docs': person(2) },
    },
    {
      path: '/app',
      act: `
        history.pushState({}, '', '/app/one');
        await sleep(1);
        history.pushState({}, '', '/app/list?page=2');
        await sleep(1);
        history.pushState({}, '', '/app/list?page=2');
        history.replaceState({}, '', '/app/list?page=2&filter=red');
        await sleep(1);
        history.pushState({}, '', '/app/old');
        Promise.resolve().then(() => history.replaceState({}, '', '/app/new'));
        await sleep(1);
        location.hash = 'part';
        await sleep(1);
        await travelled(() => history.back());
        await travelled(() => history.go(-3));
        await travelled(() => history.forward());`,
      views: { '/app': person(), '/app/one': person(2), '/app/list?page=2': person(2), '/app/new': person() },
    },
    {
      path: '/hash',
      attributes: 'data-hash',
      act: `location.hash = '#/'; await sleep(50); location.hash = '#/users'; await sleep(50); await travelled(() => history.back());`,
      views: { '/hash': person(2), '/hash#/users': person() },
    },
    {
      path: '/frozen',
      before: 'Object.freeze(history); Object.freeze(History.prototype);',
      act: `history.pushState({}, '', '/frozen/pushed');`,
      views: { '/frozen': person() },
      navigationViews: { '/frozen/pushed': person() },
    },
    {
      path: '/kept',
      next: '/manual',
      // Where the page is loaded again, it is a view as well.
      before: `addEventListener('pageshow', ({ persisted }) => { if (persisted) setTimeout(goOn, 50); });`,
      act: `if (!wasReached('back_forward')) { location.href = '/kept/next'; return false; }`,
      views: { '/kept': person(2) },
    },
    { path: '/kept/next', act: 'history.back(); return false;', views: { '/kept/next': person() } },
    {
      path: '/manual',
      attributes: 'data-manual',
      act: `headcount(); headcount('step?page=2'); headcount('http://['); history.pushState({}, '', '/manual/quiet');`,
      views: { '/manual': person(), '/step?page=2': person() },
    },
    {
      path: '/ignored',
      before: `localStorage['headcount.ignore'] = 1;`,
      act: `history.pushState({}, '', '/ignored/too'); await sleep(1); delete localStorage['headcount.ignore'];`,
      views: {},
    },
    {
      path: '/respectful',
      attributes: 'data-respect-gpc',
      before: `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });`,
      views: {},
    },
    {
      path: '/framing',
      line: '',
      body: '<iframe sandbox="allow-scripts" src="/framed"></iframe>',
      act: 'await sleep(200);',
      views: { '/framed': person() },
    },
    {
      path: '/strict',
      attributes: 'crossorigin integrity="%integrity%"',
      headers: {
        'Content-Security-Policy': `default-src 'none'; script-src ${server}/hc.js 'unsafe-inline'; connect-src ${server}/v1/hit 'self'; require-trusted-types-for 'script'; trusted-types 'none'`,
      },
      views: { '/strict': person() },
    },
    {
      path: '/driven',
      act: `${appear}; history.pushState({}, '', '/driven/on'); await sleep(1); ${vanish}; history.pushState({}, '', '/driven/by-hand');`,
      views: { '/driven': { human: 1, ai: 1, total: 2 }, '/driven/on': agent(), '/driven/by-hand': person() },
    },
    { path: '/left', act: `${appear};`, views: { '/left': { human: 1, ai: 1, total: 2 } } },
    {
      path: '/hidden',
      before: hide(true),
      act: `history.pushState({}, '', '/hidden/shown'); ${hide(false)} await sleep(1100);`,
      views: { '/hidden/shown': person() },
    },
    {
      path: '/twice',
      line: line('hc.js') + line('hc.js'),
      act: `history.pushState({}, '', '/twice/on');`,
      views: { '/twice': person(), '/twice/on': person() },
    },
    {
      path: '/element',
      body: '<p id="headcount">42</p><nav id="navigation"></nav>',
      act: `if (headcount.textContent !== '42') trouble('taken');`,
      views: { '/element': person() },
    },
    {
      path: '/broken',
      before: `const own = fetch; window.fetch = () => Promise.reject(new Error('No fetch here'));`,
      act: `history.pushState({}, '', '/broken/on'); headcount('/broken/by-hand'); await sleep(1); window.fetch = own;`,
      views: {},
    },
    {
      path: '/module',
      line: `<script type="module">
        import { start } from '/headcount.js';
        const tracker = start({ project: '${projectId}', server: '${server}' });
        tracker.view('/module/by-hand');
        tracker.event('Module');
        tracker.stop();
      </script>`,
      views: { '/module': person(), '/module/by-hand': person() },
    },
    {
      path: '/events',
      line: line('hc-events.js', 'data-outbound data-search="q"'),
      body: '<a href="%next%" data-headcount-event="Partner" data-headcount-plan="team">Next</a>',
      act: `
        headcount.event('Sign up', { seats: 5 });
        history.pushState({}, '', '/events?q=tea');
        document.querySelector('a').click();
        return false;`,
      views: { '/events': person(2) },
    },
    {
      path: '/clobbered',
      body: clobbering,
      act: `history.pushState({}, '', '/clobbered/on');`,
      views: { '/clobbered': person(), '/clobbered/on': person() },
    },
    {
      path: '/own-names',
      before: `var URL = '/'; class Document {} var Event = 1, performance = 2;`,
      act: `window.history.pushState({}, '', '/own-names/on');`,
      views: { '/own-names': person(), '/own-names/on': person() },
    },
    {
      path: '/moved-line',
      line: `<script type="text/plain" data-project="${projectId}" src="${server}/hc.js"></script>
        <script>document.createElement('i');</script><script defer src="/bundle.js"></script>`,
      views: { '/moved-line': person() },
    },
    {
      path: '/playground',
      act: `
        history.pushState({}, '', '/playground?c=' + 'x'.repeat(40000));
        await sleep(1);
        history.pushState({}, '', '/playground/next');`,
      views: { '/playground': person(2), '/playground/next': person() },
    },
    {
      path: '/corrected',
      act: `await sleep(400); history.replaceState({}, '', '/corrected/?tab=1');`,
      views: { '/corrected': person() },
    },
    {
      path: '/silent-frames',
      body: '<iframe src="/silent" style="display:none"></iframe><iframe src="/silent" width="1" height="1"></iframe>',
      act: 'await sleep(300);',
      views: { '/silent-frames': person() },
    },
    {
      path: '/links',
      line: line('hc-events.js', 'data-outbound data-downloads'),
      body: links,
      act: `
        addEventListener('click', (event) => event.preventDefault());
        for (const target of [document, window, document.createTextNode('x')])
          target.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const click = (node) => node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
        for (const node of document.querySelectorAll('.click')) click(node);
        const shadow = document.querySelector('#host').attachShadow({ mode: 'open' });
        shadow.innerHTML = '<a href="https://shadow.example/"><b>x</b></a>';
        click(shadow.querySelector('b'));`,
      views: { '/links': person() },
    },
    {
      path: '/traces',
      act: `
        const { contentWindow } = document.body.appendChild(document.createElement('iframe'));
        const added = Reflect.ownKeys(window).filter((name) => !(name in contentWindow) && name !== '0');
        if (String(added) !== 'headcount') trouble('adds ' + added.map(String));
        if (document.cookie || localStorage.length || sessionStorage.length) trouble('stores something');`,
      views: { '/traces': person() },
    },
  ];
}

/** The pages of these flows, of which each opens the next, and the last `/done`. */
export function pagesOf(
  flows: readonly Flow[],
  server: string,
  projectId: string,
  files: { script: string; module: string },
): Pages {
  const javascript = { 'Content-Type': 'text/javascript' };
  const integrity = `sha384-${createHash('sha384').update(files.script).digest('base64')}`;
  const line = (attributes = '') =>
    `<script defer src="${server}/hc.js" data-project="${projectId}" ${attributes}></script>`;
  const pages = flows.map((flow, index): [string, Pages[string]] => {
    const next = flow.next ?? flows[index + 1]?.path ?? '/done';
    const acting = `<script>
      ${helpers}
      const goOn = () => { location.href = '${next}'; };
      ${flow.before ?? ''}
      const act = async () => { ${flow.act ?? ''} };
      // What is opened while a page loads takes its place in the history.
      addEventListener('load', () => setTimeout(() => act().then((goes) => goes === false || goOn(), trouble)));
    </script>`;
    const body = html(acting + (flow.line ?? line(flow.attributes)), flow.body)
      .replaceAll('%next%', next)
      .replaceAll('%integrity%', integrity);
    return [flow.path, { body, ...(flow.headers && { headers: flow.headers }) }];
  });
  return {
    ...Object.fromEntries(pages),
    '/framed': html(line()),
    '/silent': html(line()),
    '/bundle.js': { body: files.script, headers: javascript },
    '/headcount.js': { body: files.module, headers: javascript },
    '/done': `<script>fetch('/end?navigation=' + ('navigation' in window))</script>`,
    '/trouble': '',
    '/end': '',
  };
}
