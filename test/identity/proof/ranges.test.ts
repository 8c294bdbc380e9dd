import { describe, expect, it } from 'vitest';
import { feeds as publishedFeeds } from '../../../server/identity/proof/feeds.ts';
import { shippedRanges } from '../../../server/identity/proof/range-copy.ts';
import { parseRangeFile } from '../../../server/identity/proof/range-file.ts';
import { createRangeBook } from '../../../server/identity/proof/ranges.ts';
import shipped from '../../../server/identity/proof/shipped-ranges.json' with { type: 'json' };

const dayMs = 86_400_000;
const prefixes = (...ranges: string[]) =>
  JSON.stringify({
    creationTime: '2026-11-20T00:00:00',
    prefixes: ranges.map((range) => (range.includes(':') ? { ipv6Prefix: range } : { ipv4Prefix: range })),
  });

describe('a list of published addresses', () => {
  it.each([
    ['ipv4Prefix and ipv6Prefix', prefixes('74.7.175.128/25', '2600:1f28:365:80b0::/60')],
    ['ip_prefix', '{"prefixes":[{"ip_prefix":"74.7.175.128/25"},{"ipv6_prefix":"2600:1f28:365:80b0::/60"}]}'],
    ['plain strings', '{"prefixes":["74.7.175.128/25","2600:1f28:365:80b0::/60"]}'],
    ['ip_address', '{"ips":[{"ip_address":"74.7.175.128/25"},{"ip_address":"2600:1f28:365:80b0::/60"}]}'],
    ['a bare list', '["2600:1f28:365:80b0::/60","74.7.175.128/25","74.7.175.128/25"]'],
    [
      'a page that shows JSON',
      '<!doctype html>\n<script>if (a < b) { x = {} }</script><pre><code>{ &quot;creationTime&quot;: &quot;2026&quot;,\n &quot;prefixes&quot;: [ {&quot;ip_prefix&quot;: &quot;74.7.175.128/25&quot;}, {"ipv6Prefix":"2600:1f28:365:80b0::/60"} ] }</code></pre>',
    ],
  ])('is read in the form %s', async (_, text) => {
    expect(await parseRangeFile(text)).toEqual(['2600:1f28:365:80b0::/60', '74.7.175.128/25']);
  });

  it('counts a single address as a range of one and clears host bits', async () => {
    expect(await parseRangeFile(prefixes('3.89.170.186', '20.171.206.77/23', '2001:4860:4801::7'))).toEqual([
      '20.171.206.0/23',
      '2001:4860:4801::7/128',
      '3.89.170.186/32',
    ]);
  });

  it.each([
    ['no JSON', '<html><body>Please sign in</body></html>'],
    ['cut off', prefixes('74.7.175.128/25').slice(0, 60)],
    ['empty', '{"prefixes":[]}'],
    ['another document', '{"error":"not found"}'],
    ['an entry without an address', '{"prefixes":[{"ipv4Prefix":"74.7.175.128/25"},{"region":"eu"}]}'],
    ['a bad octet', prefixes('74.7.175.128/25', '74.7.256.0/24')],
    ['a bad length', prefixes('74.7.175.128/25', '74.7.1.0/33')],
    ['a length that is no number', prefixes('74.7.1.0/2x')],
    ['a short form', prefixes('74.7/16')],
    ['a zone', prefixes('fe80::1%eth0/64')],
    ['everybody', prefixes('74.7.175.128/25', '0.0.0.0/0')],
    ['half of everybody', prefixes('128.0.0.0/1')],
    ['everybody of IPv6', prefixes('::/0')],
  ])('is refused whole when it has %s', async (_, text) => {
    await expect(parseRangeFile(text)).rejects.toThrow(/\.$/);
  });
});

describe('the range book', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  const copy = { source: 'a test', asOf: new Date(now - dayMs).toISOString() };

  it('answers for both versions of IP, at the edges of ranges and for the mapped form', () => {
    const book = createRangeBook(() => now);
    book.put('a', { ...copy, ranges: ['20.171.206.0/23', '3.89.170.186/32', '2600:1f28:365:80b0::/60'] });
    for (const ip of [
      '20.171.206.0',
      '20.171.207.255',
      '3.89.170.186',
      '2600:1f28:365:80bf:ffff::',
      '::ffff:20.171.206.1',
    ])
      expect([ip, book.lookup('a', ip)]).toEqual([ip, 'inside']);
    for (const ip of ['20.171.205.255', '20.171.208.0', '3.89.170.187', '2600:1f28:365:80c0::', '::1'])
      expect([ip, book.lookup('a', ip)]).toEqual([ip, 'outside']);
  });

  it('says unknown for a feed it holds nothing of and for what is no address', () => {
    const book = createRangeBook(() => now);
    book.put('a', { ...copy, ranges: ['20.171.206.0/23'] });
    expect(book.lookup('b', '20.171.206.1')).toBe('unknown');
    for (const text of ['', 'localhost', '20.171.206', '1'.repeat(9000)])
      expect(book.lookup('a', text)).toBe('unknown');
  });

  it('vouches with an old copy but accuses nobody with it', () => {
    let time = now;
    const book = createRangeBook(() => time);
    book.put('a', { ...copy, ranges: ['20.171.206.0/23'] });
    time += 29 * dayMs;
    expect(book.lookup('a', '203.0.113.9')).toBe('outside');
    time += 2 * dayMs;
    expect(book.lookup('a', '203.0.113.9')).toBe('unknown');
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
  });

  it('never goes back to an older copy', () => {
    const book = createRangeBook(() => now);
    book.put('a', { ...copy, ranges: ['20.171.206.0/23'] });
    book.put('a', { source: 'older', asOf: new Date(now - 2 * dayMs).toISOString(), ranges: ['8.8.8.0/24'] });
    expect(book.lookup('a', '8.8.8.8')).toBe('outside');
  });
});

describe('the copies that come with the package', () => {
  it('are of known feeds, say where they are from and when, and hold proper ranges', async () => {
    const { feeds } = shippedRanges.parse(shipped);
    expect(Object.keys(feeds)).toEqual(
      expect.arrayContaining([
        'openai-chatgpt-user',
        'anthropic',
        'perplexity-bot',
        'amazon-amazonbot',
        'bing',
      ]),
    );
    for (const [id, copy] of Object.entries(feeds)) {
      expect(publishedFeeds.map((feed) => feed.id)).toContain(id);
      expect(copy.source).toContain('https://');
      expect(await parseRangeFile(JSON.stringify(copy.ranges))).toEqual([...copy.ranges].sort());
    }
  });

  it('belong to feeds with different ids, over https, each for somebody', () => {
    expect(new Set(publishedFeeds.map(({ id }) => id)).size).toBe(publishedFeeds.length);
    for (const { url, tokens, alsoElsewhere = [] } of publishedFeeds) {
      expect(new URL(url).protocol).toBe('https:');
      expect(tokens.length).toBeGreaterThan(0);
      expect(tokens).toEqual(expect.arrayContaining([...alsoElsewhere]));
    }
  });
});
