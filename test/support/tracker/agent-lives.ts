/** What an agent does to a page in one moment of its life, as a script, and who reads the page from then on. */
export type Moment = [name: string, script: string, reader: 'person' | 'agent'];

const add = (markup: string) => `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(markup)});`;
const remove = (selector: string) =>
  `document.querySelectorAll(${JSON.stringify(selector)}).forEach((element) => element.remove());`;

/** The icon of a tab as ChatGPT's extension draws it: the site's own with the state above it. */
const badge = (sign: string) => {
  const own = '<image href="data:image/png;base64,AA==" width="32" height="32" />';
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" data-codex-favicon-badge="codex-favicon-badge">${own}${sign}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
};
const pointer = badge('<path d="M3 4L14 6L8 14Z" stroke="white" paint-order="stroke fill" />');
const dot = (color: string) => badge(`<circle cx="24" cy="24" r="7" fill="${color}" />`);
export const actingBadge = `<link rel="icon" href="${pointer}" data-codex-favicon-badge="true">`;
const setBadge = (href: string) => `{
  const icon = document.querySelector('link[rel=icon]');
  icon.href = ${JSON.stringify(href)};
  icon.dataset.codexFaviconBadge = 'true';
}`;

/** By client, each on a page of its own that has an icon. What is not here is only known to have its mark while it acts. */
export const agentLives: Record<string, readonly Moment[]> = {
  'Claude in Chrome': [
    [
      'acting',
      `document.head.insertAdjacentHTML('beforeend', '<style id="claude-agent-animation-styles"></style>');
      ${add('<div id="claude-agent-glow-border"></div><div id="claude-agent-stop-container"></div><div id="claude-phantom-cursor"></div>')}`,
      'agent',
    ],
    [
      'looking',
      `document.querySelectorAll('div').forEach(({ style }) => { style.display = 'none'; });`,
      'agent',
    ],
    [
      'handed-over',
      `${remove('div')} ${add('<div id="claude-static-indicator-container"><button id="claude-static-chat-button"></button></div>')}`,
      'person',
    ],
    ['acting-again', add('<div id="claude-phantom-cursor"></div>'), 'agent'],
    ['gone', remove('div'), 'person'],
  ],
  'ChatGPT for Chrome': [
    [
      'acting',
      `{
        const overlay = document.createElement('div');
        overlay.id = 'codex-agent-overlay-root';
        overlay.attachShadow({ mode: 'closed' });
        document.documentElement.append(overlay);
      }
      ${setBadge(pointer)}`,
      'agent',
    ],
    ['handed-over', setBadge(dot('#facc15')), 'person'],
    ['acting-again', setBadge(pointer), 'agent'],
    ['with-something-to-show', setBadge(dot('#22c55e')), 'person'],
    [
      'gone',
      `{
        const icon = document.querySelector('link[rel=icon]');
        icon.href = '/icon.png';
        delete icon.dataset.codexFaviconBadge;
      }`,
      'person',
    ],
  ],
  'Comet assistant': [
    [
      'acting',
      add('<div id="pplx-agent-0_0-overlay"><button id="pplx-agent-overlay-stop-button"></button></div>'),
      'agent',
    ],
    ['gone', remove('div'), 'person'],
  ],
  'Amazon Nova Act': [
    ['acting', `document.body.setAttribute('nova-act-id', '7');`, 'agent'],
    ['gone', `document.body.removeAttribute('nova-act-id');`, 'person'],
  ],
  'browser-use': [
    ['acting', add('<div id="playwright-highlight-container"></div>'), 'agent'],
    ['between-steps', remove('div'), 'person'],
    ['acting-again', add('<div data-browser-use-highlight="element"></div>'), 'agent'],
    ['gone', remove('div'), 'person'],
  ],
};
