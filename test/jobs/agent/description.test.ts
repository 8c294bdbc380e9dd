import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import {
  describeCommit,
  describePullRequest,
  type FinishedTurn,
} from '../../../server/jobs/text/description.ts';
import { createRedactor } from '../../../server/jobs/text/redaction.ts';
import { sanitiseMarkdown } from '../../../server/jobs/text/sanitising.ts';

const secret = 'ghs_9aZ+/Secret=Token&42';
const redact = createRedactor([secret]);

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
  redact,
};

/** Everything that a forge would make of a text, as a real renderer sees it, raw HTML let through. */
function render(text: string): { tags: string[]; words: string } {
  const html = marked.parse(text, { async: false, gfm: true });
  const words = html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  return { tags: [...html.matchAll(/<(\/?[a-z0-9]+|!)/gi)].map(([, tag = '']) => tag.toLowerCase()), words };
}

const harmlessTags =
  /^\/?(p|a|strong|em|code|pre|ul|ol|li|h[1-6]|blockquote|hr|br|del|table|thead|tbody|tr|th|td)$/;

function expectHarmless(text: string): void {
  const { tags, words } = render(text);
  expect(tags.filter((tag) => !harmlessTags.test(tag) && tag !== 'input')).toEqual([]);
  expect(text).not.toMatch(/!\[|<!--|<[a-z/!?]|&#?\w+;/i);
  for (const each of [text, words]) {
    expect(each).not.toMatch(/(^|[^\w`])@[a-z0-9]/i);
    expect(each).not.toMatch(/\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b:?\s+([\w.-]+\/[\w.-]+)?(#|GH-)\d/i);
    expect(each).not.toMatch(
      /\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b:?\s+https?:\/\/\S+\/(issues|pull)\/\d/i,
    );
    expect(each).not.toMatch(/^\s*\/(merge|close|approve)\b/m);
    expect(each).not.toMatch(/#\d|\bGH-\d/i);
    // Nothing hidden, but for the word joiner that the cleaning itself puts in.
    expect(each).not.toMatch(/[^\P{Default_Ignorable_Code_Point}\u2060]|[^\P{Cc}\n\t]/u);
    expect(each).not.toContain(secret);
    expect(each).not.toContain(btoa(secret));
  }
}

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

describe('cleaning', () => {
  test('leaves nothing that a forge would fetch, hide, run or do', () => {
    fc.assert(
      fc.property(hostileText, (pieces) => expectHarmless(sanitiseMarkdown(pieces.join(''), redact))),
      { numRuns: 1_000 },
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
        expectHarmless(describeCommit(hostile));
      }),
      { numRuns: 300, examples: [[['``', 'ghs_9aZ+/', '``', 'Secret=Token&42'], [], []]] },
    );
  });

  test.each([
    ['A plain sentence, 5 < 6 and 7 > 3, a & b.', 'A plain sentence, 5 < 6 and 7 > 3, a & b.'],
    [
      '- a list\n- with `code` and **strong** [links](/docs)',
      '- a list\n- with `code` and **strong** [links](/docs)',
    ],
    ['Fixes typos in the FAQ', 'Fixes typos in the FAQ'],
    ['see <https://example.com/a>', 'see https://example.com/a'],
    ['the `<head>` tag', 'the `‹head›` tag'],
    ['![A chart](chart.png)', '!\u2060[A chart](chart.png)'],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['日本語 and émoji 🐎', '日本語 and émoji 🐎'],
  ])('keeps %j readable', (text, cleaned) => {
    expect(sanitiseMarkdown(text, redact)).toBe(cleaned);
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
  ])('takes no time over many of %j', (piece) => {
    const before = process.threadCpuUsage();
    describePullRequest({
      ...finished,
      summary: piece.repeat(20_000).slice(0, 20_000),
      prompt: piece.repeat(20_000),
    });
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  test.each(['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', 'skip-checks: true', '***NO_CI***'])(
    '%s does not keep a build from running',
    (words) => {
      expect(sanitiseMarkdown(`Change ${words}`, redact)).not.toContain(words);
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
