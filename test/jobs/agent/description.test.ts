import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import {
  describeCommit,
  describePullRequest,
  type FinishedTurn,
} from '../../../server/jobs/text/description.ts';
import { sanitiseLine, sanitiseMarkdown } from '../../../server/jobs/text/markdown.ts';
import { createRedactor } from '../../../server/jobs/text/redaction.ts';
import { longestTurn } from '../../support/machine/longest-turn.ts';

const secret = 'ghs_9aZ+/Secret=Token&42';
const sanitising = { redact: createRedactor([secret]), owner: 'Org' };
const clean = (text: string, options = {}) => sanitiseMarkdown(text, { ...sanitising, ...options });

const finished: FinishedTurn = {
  summary: 'Explain how to rotate keys\n\nThe page says **how often**.\n\n- checked `links`',
  files: [
    { path: 'docs/keys.md', change: 'edited' },
    { path: 'docs/old.md', change: 'deleted' },
  ],
  prompt: 'Please explain key rotation.\n\nAI clients ask for it.',
  agent: 'anthropic/claude-scripted',
  jobId: 'job_123',
  turn: 2,
  sanitising,
};

/** Everything that a forge would make of a text, as a real renderer sees it, raw HTML let through. */
function render(text: string) {
  const html = marked.parse(text, { async: false, gfm: true });
  const wordsOf = (part: string) =>
    part
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  const prose = html.replace(/<code[^>]*>[\s\S]*?<\/code>/g, '\u0000');
  return {
    tags: [...html.matchAll(/<(\/?[a-z0-9]+|!)/gi)].map(([, tag = '']) => tag.toLowerCase()),
    words: wordsOf(html),
    /** Without code, in which no forge does anything. */
    prose: wordsOf(prose),
    /** And without addresses that are links to themselves. */
    texts: wordsOf(prose.replace(/<a href="[^"]*">https?:\/\/[^<]*<\/a>/g, ' ')),
  };
}

const harmlessTags =
  /^\/?(p|a|strong|em|code|pre|ul|ol|li|h[1-6]|blockquote|hr|br|del|table|thead|tbody|tr|th|td)$/;

function expectHarmless(text: string): void {
  const { tags, words, prose, texts } = render(text);
  expect(tags.filter((tag) => !harmlessTags.test(tag) && tag !== 'input')).toEqual([]);
  expect(texts).not.toMatch(/(^|[^\w`])@[a-z0-9]/i);
  expectOpen(prose);
  // https://docs.gitlab.com/user/project/quick_actions/ : not in code of this form
  const obeyed = text.replace(/^```[^`].*?\n```$/gms, '');
  expect(obeyed).not.toMatch(/^\s*\/(merge|close|approve)\b/m);
  expectNothingHidden(text);
  expectNothingHidden(words);
}

/** Where nothing is code, and nothing is Markdown. */
function expectHarmlessMessage(text: string): void {
  const bare = text.replace(/https?:\/\/[^\s<>]+/gi, ' ');
  expect(bare).not.toMatch(/(^|\W)@(?:org\/)?[\w-]+(?![\w/-])/i);
  expect(bare).not.toMatch(/#\d|\bGH-\d/i);
  expectOpen(text);
  expect(text).not.toMatch(/^\s*\/(merge|close|approve)\b/m);
  expect(text.match(/^[\w-]+-by[ \t]*:/gim)).toBeNull();
  expectNothingHidden(text);
}

function expectOpen(text: string): void {
  expect(text).not.toMatch(/\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b:?\s+([\w.-]+\/[\w.-]+)?(#|GH-)\d/i);
  expect(text).not.toMatch(
    /\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b:?\s+https?:\/\/\S+\/(issues|pull)\/\d/i,
  );
}

/** But for the word joiner that the sanitising itself puts in. */
function expectNothingHidden(text: string): void {
  expect(text).not.toMatch(/[^\P{Default_Ignorable_Code_Point}\u2060]|[^\P{Cc}\n\t]/u);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(btoa(secret));
}

test.each([
  ['## **Explain** how to rotate', 'Explain how to rotate'],
  ['**Explain** how to `rotate`', 'Explain how to `rotate`'],
  ['__Explain__ *how* to _rotate_ `**keys**`', 'Explain how to rotate `**keys**`'],
  ['***Explain* how** to rotate', 'Explain how to rotate'],
  ['- **Explain how to rotate**', 'Explain how to rotate'],
  ['**Explain how to rotate', 'Explain how to rotate'],
  ['Match docs/*.md and src/*.md in snake_case_names', 'Match docs/*.md and src/*.md in snake_case_names'],
  ['Multiply 2 * 3 * 4', 'Multiply 2 * 3 * 4'],
  ['--docs-folder is explained', '--docs-folder is explained'],
])('the title %j has no marks of emphasis', (text, title) => {
  expect(sanitiseLine(text, sanitising)).toBe(title);
});

const hostilePieces = [
  '![x](https://evil.example/p.png)',
  '![x][ref]',
  '\n[ref]: https://evil.example/p.png\n',
  '!![',
  '<img src=x>',
  '<!-- hidden -->',
  '<!--',
  '<script>',
  '<details><summary>',
  '</p>',
  '<https://evil.example/?q=1>',
  '<?php',
  '&#33;[x](y)',
  '&lt;img&gt;',
  '&#64;octocat',
  '@octocat',
  '@org/team',
  '\\@octocat',
  '@\u200boctocat',
  'Fixes #12',
  'closes: org/repo#3',
  'resolves GH-7',
  'Closes https://github.com/org/repo/issues/9',
  'fix\u200bes #5',
  'close\n#8',
  '#&#49;',
  '\n/merge\n',
  '\n/approve',
  '\n```\n',
  '\n~~~html\n',
  '`',
  '``',
  '\\`',
  '|a|b|\n|-|-|\n|`x|`',
  '\n> ',
  '\n- ',
  '\n    ',
  '[^`a]: `b',
  '](',
  '](`',
  '[a](x)',
  '[`b]: `c\n',
  '][`b',
  '[[',
  ']]',
  '|',
  '\n|-|-|\n',
  '\n---\n',
  '<Note>',
  '</Note>',
  '@scope/name',
  '`<Note>`',
  '``a`b``',
  '\n```sh\nnpm i @scope/name\n```\n',
  '\n  ```html\n',
  '\n- ```\n',
  '$',
  '\\(',
  '\\',
  '#12',
  ')',
  '[',
  ']',
  '\r',
  '\u202e',
  '\u0000',
  '\u{e0041}',
  secret,
  btoa(secret),
  `!${secret}(https://evil.example/p.png)`,
  secret.slice(0, 9),
  secret.slice(9),
  'text ',
  '\n\n',
];
const hostileText = fc.array(
  fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: 'grapheme', maxLength: 5 })),
  {
    maxLength: 12,
  },
);

describe('sanitising', () => {
  test('leaves nothing that a forge would fetch, hide, run or do', () => {
    fc.assert(
      fc.property(hostileText, (pieces) => expectHarmless(clean(pieces.join('')))),
      {
        numRuns: 1_000,
        examples: [[['@', '![x](https://evil.example/p.png)']], [['@*octocat*', ' @_octocat_']]],
      },
    );
  });

  test('leaves nothing of that in a whole pull request and commit, whatever summary, prompt and paths hold', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (summary, prompt, path) => {
        const files = [{ path: path.join(''), change: 'edited' as const }];
        const hostile = { ...finished, summary: summary.join(''), prompt: prompt.join(''), files };
        const { title, body } = describePullRequest(hostile);
        expectHarmless(body);
        expectHarmless(title);
        expect(title).toMatch(/^[^\n]{1,71}$/);
        expect(body).toContain('Read it before you merge it.');
        expect(render(body).tags.filter((tag) => tag === 'h3').length).toBeGreaterThanOrEqual(2);
        expectHarmlessMessage(describeCommit(hostile));
      }),
      { numRuns: 300, examples: [[['``', 'ghs_9aZ+/', '``', 'Secret=Token&42'], [], []]] },
    );
  });

  test.each([
    '\n',
    ' ',
    '[',
    '<',
    '<!',
    '`',
    '@',
    '!',
    '&',
    '#',
    '*',
    'close ',
    '[skip',
    '\n/',
    '~~~\n',
    '<https://',
  ])('takes no time over many of %j', async (piece) => {
    const [summary, prompt] = [piece.repeat(20_000).slice(0, 20_000), piece.repeat(20_000)];
    const work = () => describePullRequest({ ...finished, summary, prompt });
    await expect.poll(() => longestTurn(work)).toBeLessThan(1_000);
  });

  test.each(['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', 'skip-checks: true', '***NO_CI***'])(
    '%s does not keep a build from running',
    (words) => {
      expect(clean(`Change ${words}`)).not.toContain(words);
      expect(describeCommit({ ...finished, summary: `Change ${words}` })).not.toContain(words);
    },
  );
});

describe('secrets', () => {
  const token = fc
    .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 })
    .filter((text) => text.trim() === text);

  test('are taken out of any text, plain, percent-encoded and in base64 at any place', () => {
    fc.assert(
      fc.property(token, fc.string(), fc.string(), (hidden, before, after) => {
        const hide = createRedactor([hidden]);
        const base64 = Buffer.from(before + hidden + after).toString('base64');
        const urlSafe = Buffer.from(before + hidden + after).toString('base64url');
        const text = [hidden, encodeURIComponent(hidden), `${before}${hidden}${after}`, base64, urlSafe].map(
          hide,
        );
        for (const clean of text) expect(clean).toContain('[secret]');
        for (const encoded of text.slice(3)) {
          const longest = Math.max(
            ...encoded.split('[secret]').map((part) => Buffer.from(part, 'base64').length),
          );
          expect(longest).toBeLessThanOrEqual(
            Math.max(Buffer.byteLength(before), Buffer.byteLength(after)) + 4,
          );
        }
      }),
    );
  });

  test('are found with white space and marks of Markdown between their characters, and short words are none', () => {
    expect(createRedactor(['abcdefgh'])('abc\ndef gh')).toBe('[secret]');
    expect(createRedactor(['abcdefgh'])('`ab`**c**d~e~f\\\\gh')).toBe('`[secret]');
    expect(createRedactor(['a*cd`f*gh'])('is a*cd`f*gh.')).toBe('is [secret].');
    expect(createRedactor(['abc', ''])('abc')).toBe('abc');
    expect(createRedactor(['token-12', 'token-1234'])('token-1234')).toBe('[secret]');
  });
});
