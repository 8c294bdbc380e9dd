import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { normalizeTarget } from '../../server/sitefiles/robots/pattern.ts';
import { allows, maxRobotsBytes, parseRobots, rulesFor } from '../../server/sitefiles/robots/robots-file.ts';
import { fetchSitemaps, sitemapLimits } from '../../server/sitefiles/site-look.ts';
import { readSitemapFile } from '../../server/sitefiles/sitemap/sitemap-file.ts';
import type { FreshnessReply } from '../../shared/reports/sites.ts';
import { createClock } from '../support/clock.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { longestTurn, maxTurnMs } from '../support/machine/longest-turn.ts';
import { offlineProofs } from '../support/proof/offline-proofs.ts';
import { type PublicSite, startPublicSite } from '../support/sites/public-site.ts';

/** As much as may be read. */
const fill = (text: string, size = sitemapLimits.bytes - 100) => text.repeat(Math.floor(size / text.length));

describe('a sitemap as large as it may be never holds up hits', () => {
  const files: [name: string, text: () => string][] = [
    ['elements in one another', () => '<a>'.repeat(7_000_000)],
    ['empty elements', () => `<urlset>${fill('<url/>')}</urlset>`],
    ['one text', () => `<urlset><url><loc>${fill('a')}</loc></url></urlset>`],
    ['references', () => `<urlset><url><loc>${fill('&amp;')}</loc></url></urlset>`],
    ['texts in pieces', () => `<urlset><url>${fill('<![CDATA[x]]>')}</url></urlset>`],
    ['attributes', () => `<urlset ${Array.from({ length: 500_000 }, (_, i) => `a${i}="b"`).join(' ')}/>`],
    ['one comment', () => `<!--${fill('-a')}-->`],
    ['entities', () => `<!DOCTYPE a [${fill('<!ENTITY a "b">')}]><urlset/>`],
    ['sitemaps', () => `<sitemapindex>${fill('<sitemap><loc>https://a.b/c</loc></sitemap>')}</sitemapindex>`],
    ['empty lines', () => fill('\n')],
    ['short lines', () => fill('x\n')],
    ['one line', () => fill('x')],
  ];
  test.each(files)('with %s', async (_, text) => {
    const bytes = gzipSync(text(), { level: 1 });
    const read = () => readSitemapFile(bytes, sitemapLimits).catch(() => {});
    await expect.poll(() => longestTurn(read)).toBeLessThan(maxTurnMs);
  });

  test('and elements more than 8 deep make it none', async () => {
    const nested = (depth: number) => Buffer.from('<a>'.repeat(depth) + '</a>'.repeat(depth));
    expect(await readSitemapFile(nested(8), sitemapLimits)).toMatchObject({ pages: [] });
    await expect(readSitemapFile(nested(9), sitemapLimits)).rejects.toThrow('more than 8 elements');
  });

  test('nor does an index of a hundred thousand addresses', async () => {
    const address = (i: number) => `<sitemap><loc>https://docs.example.com/${i}.xml</loc></sitemap>`;
    const index = Buffer.from(
      `<sitemapindex>${Array.from({ length: 100_000 }, (_, i) => address(i)).join('')}</sitemapindex>`,
    );
    let asked = 0;
    const get = async () => ({ status: asked++ === 0 ? 200 : 404, headers: {}, bytes: index });
    const { signal } = new AbortController();
    const parts = { host: 'docs.example.com', get, signal };
    const work = () => {
      asked = 0;
      return fetchSitemaps([], parts);
    };
    await expect.poll(() => longestTurn(work)).toBeLessThan(maxTurnMs);
    expect(asked).toBe(sitemapLimits.files);
  });
});

describe('a robots.txt as large as it may be is read and asked in one turn', () => {
  const files: [name: string, line: string][] = [
    ['wildcards', 'Allow:*a*a\n'],
    ['long patterns', `Disallow:/${'*a'.repeat(2_000)}b\n`],
    ['parts that are never found', `Disallow:/*b${'a'.repeat(20)}\n`],
    ['escapes', 'Allow:/%41%41%41\n'],
    ['letters beyond ASCII', 'Allow:/é\n'],
    ['paths', 'Allow:/a\n'],
    ['groups', 'user-agent:*\nallow:/a\n'],
    ['clients', 'user-agent:a\n'],
    ['sitemaps', 'sitemap:x\n'],
    ['empty lines', '\n'],
    ['other line ends', '\r'],
    ['what is no rule', 'a:\n'],
  ];
  const target = normalizeTarget(new URL(`https://site.example/${'a'.repeat(8_000)}`));
  test.each(files)('with %s', async (_, line) => {
    const text = `user-agent: *\n${fill(line, maxRobotsBytes - 20)}`;
    const read = () => rulesFor(parseRobots(text), ['gptbot']);
    await expect.poll(() => longestTurn(read)).toBeLessThan(maxTurnMs);
    const rules = read();
    await expect.poll(() => longestTurn(() => allows(rules, target))).toBeLessThan(maxTurnMs / 10);
  });

  test('and all is allowed that cannot be looked up in time, even by a rule that is shorter', () => {
    const rules = fill(`Allow:/*b${'a'.repeat(20)}\n`, maxRobotsBytes - 100);
    const of = rulesFor(parseRobots(`user-agent: *\ndisallow: /\n${rules}`), ['gptbot']);
    expect(allows(of, target)).toBe(true);
    expect(allows(of, normalizeTarget(new URL('https://site.example/a')))).toBe(false);
  });

  test('which leaves rules as people write them alone', () => {
    const rules = Array.from({ length: 3_000 }, (_, i) => `Disallow: /*/${i}/*.html$`);
    const file = parseRobots(['User-agent: *', ...rules].join('\n'));
    const of = rulesFor(file, ['gptbot']);
    const ask = (path: string) => allows(of, normalizeTarget(new URL(path, 'https://site.example')));
    expect(['/a/0/b.html', '/a/2999/b.html', '/a/3000/b.html'].map(ask)).toEqual([false, false, true]);
  });
});

describe('slow sites', () => {
  const clock = createClock('2026-11-10T10:00:00Z');
  const hosts = ['a', 'b', 'c'].map((name) => `${name}.example.com`);
  let slow: PublicSite;
  let quick: PublicSite;
  let headcount: Headcount;

  beforeAll(async () => {
    slow = await startPublicSite(hosts[0], hosts.slice(1));
    quick = await startPublicSite();
    // Robots.txt comes, and then the first of two hundred sitemaps, byte by byte for ever.
    slow.answers['/robots.txt'] = Array.from({ length: 200 }, (_, i) => `Sitemap: /${i}.xml`).join('\n');
    for (let i = 0; i < 200; i++) {
      slow.answers[`/${i}.xml`] = (_, response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      };
    }
    quick.answers['/robots.txt'] = `user-agent: *\n${'disallow: /a\n'.repeat(10_001)}`;
    quick.answers['/sitemap.xml'] = '<urlset><url><loc>https://docs.example.com/page</loc></url></urlset>';
    headcount = await startHeadcount({
      now: clock.now,
      env: { HEADCOUNT_OFFLINE: '0' },
      project: { siteHost: hosts[0] ?? null },
      siteOptions: {
        get: (address, options) =>
          (new URL(address).hostname === quick.host ? quick : slow).get(address, options),
        everyMs: 10,
        siteTimeoutMs: 3_000,
      },
      proofs: offlineProofs(clock.now),
    });
    await headcount.addProject({ siteHost: hosts[1] ?? null });
    await headcount.addProject({ siteHost: hosts[2] ?? null });
  });
  afterAll(async () => {
    await headcount.stop();
    await slow.close();
    await quick.close();
  });

  test('end after their time, and hold up no other', { timeout: 60_000 }, async () => {
    await expect
      .poll(() => slow.asked.filter((path) => path === '/0.xml').length, { timeout: 20_000 })
      .toBe(3);
    const project = await headcount.addProject({ siteHost: quick.host });
    const siteOf = async (client: Pick<Headcount, 'get'>, projectId: string) =>
      (await client.get<FreshnessReply>(`/v1/analytics/${projectId}/freshness`)).site;
    await expect
      .poll(async () => (await siteOf(project, project.projectId))?.pages, { timeout: 20_000 })
      .toBe(1);
    await expect
      .poll(async () => (await siteOf(project, project.projectId))?.trouble, { timeout: 20_000 })
      .toBe('Its robots.txt has more than 10000 rules: what comes after them is passed over.');
    await expect
      .poll(async () => (await siteOf(headcount, headcount.projectId))?.trouble ?? '', { timeout: 20_000 })
      .toContain('more than 3 seconds in all');
    expect(slow.asked).not.toContain('/1.xml');
  });
});
