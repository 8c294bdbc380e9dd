// Searches the sections of all pages in the browser. The pages work without it.

/** At most so many are shown. */
const shown = 12;

const form = document.querySelector('[role=search]');
const input = form.querySelector('input');
const list = form.querySelector('#found');
const navigation = document.querySelector('nav details');

let sections;
/** The sections, in lower case for the comparison, read when they are first asked for. */
async function readSections() {
  const response = await fetch('search.json');
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const all = await response.json();
  return all.map((section) => ({
    ...section,
    lower: { title: `${section.page} ${section.heading}`.toLowerCase(), text: section.text.toLowerCase() },
  }));
}

/** Where a word begins with it; -1 where none does. */
function indexOfWord(text, start) {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at;
  }
  return -1;
}

/** 0 where a word is missing; a word in the heading weighs more than one in the text, and an early one more than a late one. */
function scoreOf({ lower, heading, page }, words) {
  let sum = 0;
  for (const word of words) {
    const [inTitle, inText] = [indexOfWord(lower.title, word), indexOfWord(lower.text, word)];
    if (inTitle < 0 && inText < 0) return 0;
    sum += (inTitle < 0 ? 0 : 10) + (inText < 0 ? 0 : 1 + 1 / (1 + inText / 200));
  }
  return sum + (heading === page ? 1 : 0);
}

function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sections.map((section) => ({ section, score: scoreOf(section, words) }));
  return found
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section, words) }));
}

function excerptOf({ text, lower }, words) {
  const first = Math.max(0, ...words.map((word) => indexOfWord(lower.text, word)));
  const start = Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 40)));
  return `${start > 0 ? '…' : ''}${text.slice(start, start + 140).trim()}…`;
}

function element(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...properties });
}

function show(found, query) {
  const rows = found.map(({ url, page, heading, excerpt }) => {
    const link = element('a', '', { href: url });
    const title = heading === page ? page : `${page}: ${heading}`;
    link.append(element('b', title), element('span', excerpt));
    return link;
  });
  list.replaceChildren(...(rows.length > 0 ? rows : [element('p', `Nothing found for “${query}”.`)]));
  list.hidden = false;
}

async function search() {
  const query = input.value.trim();
  if (query === '') {
    list.hidden = true;
    return;
  }
  try {
    sections ??= await readSections();
  } catch {
    list.replaceChildren(
      element('p', 'The search could not be loaded. Check the connection and type again.'),
    );
    list.hidden = false;
    return;
  }
  if (input.value.trim() === query) show(find(query), query);
}

/** The arrow keys go through the input and the results. */
function move(step) {
  const stops = [input, ...list.querySelectorAll('a')];
  stops[stops.indexOf(document.activeElement) + step]?.focus();
}

const keys = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: () => {
    list.hidden = true;
    input.focus();
  },
};

form.hidden = false;
input.addEventListener('input', search);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
form.addEventListener('keydown', (event) => {
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target) || event.target.closest('#found a')) list.hidden = true;
});

// On a phone the list of pages is folded.
if (matchMedia('(max-width: 760px)').matches) navigation.open = false;

if (navigator.clipboard) {
  for (const block of document.querySelectorAll('pre')) {
    const button = element('button', 'Copy', { type: 'button' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent.trimEnd());
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
    block.append(button);
  }
}
