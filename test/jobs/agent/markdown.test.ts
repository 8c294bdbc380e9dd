import { describe, expect, test } from 'vitest';
import { sanitiseMarkdown } from '../../../server/jobs/text/markdown.ts';
import type { Sanitising } from '../../../server/jobs/text/sanitising.ts';

const clean = (text: string, options: Partial<Sanitising> = {}) =>
  sanitiseMarkdown(text, { redact: (same) => same, ...options });

describe('Markdown of a pull request', () => {
  test.each([
    'A plain sentence, 5 < 6 and 7 > 3, a & b.',
    '- a list\n- with `code` and **strong** [links](/docs)',
    'Fixes typos in the FAQ, as #42 asks',
    'the `<head>` tag, `@scope/name` and `Fixes #42`',
    'a [page](/docs/a "of docs"), a [note][1] and https://example.com/@ada?a=1&b=2',
    '| a | b |\n|---|---|\n| `x` | y |',
    '日本語 and émoji 🐎, ada@example.com',
  ])('leaves %j as it is', (text) => {
    expect(clean(text)).toBe(text);
  });

  test.each([
    ['uses <Note> and </Note>', 'uses `<Note>` and `</Note>`'],
    ['install @scope/name@2.1, @octocat.', 'install `@scope/name@2.1`, `@octocat`.'],
    ['Fixes #42 and org/repo#3', 'Fixes `#42` and org/repo`#3`'],
    ['closes https://github.com/o/r/issues/9', 'closes `https://github.com/o/r/issues/9`'],
    ['see <https://example.com/a>', 'see https://example.com/a'],
    ['![A chart](chart.png)', '[A chart](chart.png)'],
    ['a &nbsp; b', 'a &amp;nbsp; b'],
    ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
    ['| a |\n|-|\n| `x|y` |', '| a |\n|-|\n| `x\\|y` |'],
    ['a `stray tick', "a 'stray tick"],
  ])('makes of %j %j', (text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  test.each([
    ['```sh\nnpm i @scope/name # Fixes #42\n```', '```sh\nnpm i @scope/name # Fixes #42\n```'],
    ['~~~mdx\n<Note>\n```js\n```\n</Note>\n~~~', '````mdx\n<Note>\n```js\n```\n</Note>\n````'],
    [
      '- one\n\n  ```yaml\n  a: 1\n\n    b: 2\n  ```\n- two',
      '- one\n\n\n  ```yaml\n  a: 1\n\n    b: 2\n  ```\n\n- two',
    ],
    ['> ```sh\n> npm i @a/b\n> ```', '> ```sh\n> npm i @a/b\n> ```'],
    [
      'As @ada:\n> Note\n> ~~~\n> <a>\n>\n>  @x\n> ~~~\n> @bob\n@eve',
      'As `@ada`:\n> Note\n\n> ```\n> <a>\n>\n>  @x\n> ```\n\n> `@bob`\n`@eve`',
    ],
    ['> ````js\n> ```\n> @a\n@b', '> ````js\n> ```\n> @a\n> ````\n\n`@b`'],
    [
      'Run:\n\n    npm i @a/b\n\n      <Note>\n\nAs @ada.',
      'Run:\n\n\n```\nnpm i @a/b\n\n  <Note>\n```\n\n\nAs `@ada`.',
    ],
    ['- one\n\n    As @ada\n\ntwo\n    @bob', '- one\n\n    As `@ada`\n\ntwo\n    `@bob`'],
    ['```mermaid\ngraph\n', '```\ngraph\n\n```'],
  ])('keeps the code in %j', (text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  test('may close issues where the project allows it, and nothing else', () => {
    const text = 'Fixes #42, as @octocat asked.';
    expect(clean(text, { mayClose: true })).toBe('Fixes #42, as `@octocat` asked.');
  });
});
