import { describe, expect, test } from 'vitest';
import { normalizeTarget } from '../../server/sitefiles/robots/pattern.ts';
import { allows, parseRobots, rulesFor } from '../../server/sitefiles/robots/robots-file.ts';
import { longestTurn, maxTurnMs } from '../support/machine/longest-turn.ts';

/** Whether a client with this product token may ask for this path. */
function mayRead(text: string, path: string, token = 'gptbot'): boolean {
  return allows(rulesFor(parseRobots(text), [token]), normalizeTarget(new URL(path, 'https://site.example')));
}

const forAll = (...lines: string[]) => ['User-agent: *', ...lines].join('\n');

describe('a rule of robots.txt (RFC 9309, section 2.2)', () => {
  test.each([
    // The examples of section 2.2.2, and of 2.2.3.
    ['Disallow: /fish', '/fish', false],
    ['Disallow: /fish', '/fishheads/yummy.html', false],
    ['Disallow: /fish', '/Fish.asp', true],
    ['Disallow: /fish', '/catfish', true],
    ['Disallow: /fish/', '/fish', true],
    ['Disallow: /fish/', '/fish/?id=anything', false],
    ['Disallow: /*.php', '/folder/filename.php?parameters', false],
    ['Disallow: /*.php', '/windows.PHP', true],
    ['Disallow: /*.php$', '/filename.php', false],
    ['Disallow: /*.php$', '/filename.php?parameters', true],
    ['Disallow: /*.php$', '/filename.php5', true],
    ['Disallow: /fish*.php', '/fishheads/catfish.php?parameters', false],
    ['Disallow: /a*b*c$', '/aXbYc', false],
    ['Disallow: /a*b*c$', '/aXcYb', true],
    ['Disallow: /*', '/', false],
    ['Disallow: *.pdf', '/x/y.pdf', false],
    ['Disallow: /x$', '/x', false],
    ['Disallow: /x$', '/xy', true],
    ['Disallow: /ab*$', '/abc', false],
    ['Disallow: /a*a$', '/a', true],
    ['Disallow: ', '/anything', true],
    ['Disallow: /', '/robots.txt', true],
    // Octets are compared, in one spelling.
    ['Disallow: /foo/bar?baz=quz', '/foo/bar?baz=quz', false],
    ['Disallow: /foo/bar/ツ', '/foo/bar/%E3%83%84', false],
    ['Disallow: /foo/bar/%E3%83%84', '/foo/bar/ツ', false],
    ['Disallow: /foo/bar/%62%61%7A', '/foo/bar/baz', false],
    ['Disallow: /foo%2fbar', '/foo%2Fbar', false],
    ['Disallow: /foo%2fbar', '/foo/bar', true],
    ['Disallow: /file-with-a-%2A.html', '/file-with-a-*.html', false],
    ['Disallow: /file-with-a-%2A.html', '/file-with-a-b.html', true],
    ['Disallow: /foo-%24', '/foo-$', false],
  ])('%s makes %s readable: %s', (rule, path, isAllowed) => {
    expect(mayRead(forAll(rule), path)).toBe(isAllowed);
  });

  test.each([
    [['Allow: /p', 'Disallow: /'], '/page', true],
    [['Allow: /folder', 'Disallow: /folder'], '/folder/page', true],
    [['Disallow: /folder', 'Allow: /folder'], '/folder/page', true],
    [['Allow: /page', 'Disallow: /*.htm'], '/page.htm', false],
    [['Allow: /page', 'Disallow: /*.ph'], '/page.php5', true],
    [['Allow: /$', 'Disallow: /'], '/', true],
    [['Allow: /$', 'Disallow: /'], '/page.htm', false],
    [
      ['Allow: /example/page/', 'Disallow: /example/page/disallowed.gif'],
      '/example/page/disallowed.gif',
      false,
    ],
  ])('%j make %s readable: %s, as the longest holds and allowing wins a tie', (rules, path, isAllowed) => {
    expect(mayRead(forAll(...rules), path)).toBe(isAllowed);
    expect(mayRead(forAll(...rules.toReversed()), path)).toBe(isAllowed);
  });
});

describe('the groups of robots.txt', () => {
  const text = `\uFEFFDisallow: /before-any-group
Sitemap: https://site.example/a.xml
user-AGENT : GPTBot # ours
Sitemap: /b.xml
User-agent: ClaudeBot/1.0
Crawl-delay: 4
Disallow: /both\r
User-agent: *
Disallow: /others
\rUser-agent: gptbot
Disallow: /only-gpt
User-agent: EmptyBot
`;

  test.each([
    ['gptbot', '/both', false],
    ['gptbot', '/only-gpt', false],
    ['gptbot', '/others', true],
    ['claudebot', '/both', false],
    ['claudebot', '/only-gpt', true],
    ['ccbot', '/others', false],
    ['ccbot', '/both', true],
    ['emptybot', '/others', true],
    ['gpt', '/both', true],
    ['ccbot', '/before-any-group', true],
  ])('let %s read %s: %s', (token, path, isAllowed) => {
    expect(mayRead(text, path, token)).toBe(isAllowed);
  });

  test('hold for any of several tokens of a client', () => {
    const rules = rulesFor(parseRobots(text), ['claude-code', 'claudebot']);
    expect([allows(rules, '/both'), allows(rules, '/others')]).toEqual([false, true]);
  });

  test('do not end where sitemaps are named', () => {
    expect(parseRobots(text).sitemaps).toEqual(['https://site.example/a.xml', '/b.xml']);
  });
});

test('a hostile file and a hostile address take no time', async () => {
  const star = forAll(...Array.from({ length: 300 }, (_, i) => `Disallow: /${'a*'.repeat(200)}b${i}$`));
  const agents = Array.from({ length: 20_000 }, (_, i) => `User-agent: b${i}`).join('\n');
  const ask = () => {
    expect(mayRead(star, `/${'a'.repeat(8_000)}`)).toBe(true);
    expect(mayRead(`${agents}\nDisallow: /x`, '/x', 'b19999')).toBe(false);
    expect(mayRead('<html>\0\uD800: : :\n::\nnot a file at all', '/x')).toBe(true);
  };
  await expect.poll(() => longestTurn(ask)).toBeLessThan(maxTurnMs);
});
