import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from '../../server/identity/loaded/catalogue-document.ts';
import { parseRangeFile } from '../../server/identity/proof/range-file.ts';
import { htmlToMarkdown } from '../../server/jobs/agent/tools/html-text.ts';
import { sectionOf } from '../../server/jobs/automation/trigger/releases.ts';
import { findRequest } from '../../server/jobs/comments/hearing.ts';
import { boundFetch } from '../../server/jobs/forge/call.ts';
import { githubOwners, gitlabOwners, listOwners } from '../../server/jobs/forge/code-owners.ts';
import { readEntriesOf, readLinksOf } from '../../server/jobs/site/check/checks.ts';
import { cut } from '../../server/jobs/text/cut.ts';
import { sanitiseLine, sanitiseMarkdown } from '../../server/jobs/text/markdown.ts';
import { sitePages } from '../../server/sitefiles/sitemap/site-pages.ts';
import { packPages } from '../../server/sitefiles/sitemap/sitemap-copy.ts';
import { parseBoundedJson } from '../../server/text/bounded-json.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { longestTurn, maxTurnMs } from '../support/machine/longest-turn.ts';

const fill = (text: string, size: number) => text.repeat(Math.floor(size / text.length));
const nested = (size: number) => fill('[', size / 2) + fill(']', size / 2);
const shapes = (size: number) => `[${Array.from({ length: size / 12 }, (_, i) => `{"k${i}":1}`).join(',')}]`;
const url = new URL('https://docs.example.com/');
const plain = { redact: (text: string) => text };

async function read(json: string) {
  const fetch = boundFetch({ fetch: async () => new Response(json), signal: undefined });
  return (await fetch('https://forge.example/')).json();
}

interface Parser {
  size: number;
  /** Besides those that all parsers get. */
  texts: readonly string[];
  run: (text: string) => unknown;
}

/** Each as large as it may be; the sizes are those of the readers. */
const parsers: Record<string, Parser> = {
  'what a code host answers': { size: 8_000_000, texts: ['[],', '{"a":', '"\\"",'], run: read },
  'a list of addresses': { size: 2_000_000, texts: ['{"a":1},', '<a>', '&quot;'], run: parseRangeFile },
  'a catalogue': { size: 500_000, texts: ['[]', '{},'], run: parseDocument },
  'a page of the web': {
    size: 2_000_000,
    texts: ['<a href=x>', '<a href="', '<ul><li>', '&amp;', '<br>', '<p>', '</p>', '<!--', 'aA', 'İ'],
    run: (text) => htmlToMarkdown(text, url),
  },
  'a CODEOWNERS of GitHub': {
    size: 1_000_000,
    texts: ['#\n', 'a @b\n', '/** @a\n', 'a*b*c*d @x\n', '\\ ', '*a'],
    run: async (text) => listOwners(await githubOwners.parse(text), ['docs/a.md']),
  },
  'a CODEOWNERS of GitLab': {
    size: 1_000_000,
    texts: ['a @b\n', '[a]\n', '[a-z]*b @x\n', '^[a][1] '],
    run: async (text) => listOwners(await gitlabOwners.parse(text), ['docs/a.md']),
  },
  'what a model wrote': {
    size: 8_000,
    texts: ['`a` ', '`` ` ', '@', '!', '![', '<a>', 'fixes #1 ', '|-|\n', '\\', '$'],
    run: (text) => [
      sanitiseMarkdown(text, plain),
      sanitiseLine(text, plain),
      sanitiseLine(`${text}x`, plain),
      cut(text, 7_000),
    ],
  },
  'a comment': {
    size: 66_000,
    texts: ['<!--', '```\n', '- - ', '>```\n'],
    run: (text) => findRequest(text, 'me'),
  },
  'a navigation': {
    size: 300_000,
    texts: ['&a ', '- a.md\n', '{', '|\n'],
    run: (text) => readEntriesOf({ root: '', base: '' }, 'mkdocs.yml', `nav:\n${text}`),
  },
  'a page of a repository': {
    size: 1_000_000,
    texts: ['`a` ', '[a](b) ', '```\n', '[a]: b\n'],
    run: (text) => readLinksOf('a.md', text),
  },
  'a changelog': {
    size: 2_000_000,
    texts: ['# ', '# 1.2.3\n', '# 1.2.3 ', '# 9.9.9.9\n', '1.', '1.1\n', '\r\n'],
    run: (text) => sectionOf(text, 'v9.9.9'),
  },
};

describe.each(Object.entries(parsers))('%s', (_, { size, texts, run }) => {
  const all = ['nested', 'shapes', '[', '{', '"', '<', ' ', '\n', '1,', 'a', ...texts];
  test.each(all)('holds up no hit, of %j', async (text) => {
    const whole = text === 'nested' ? nested(size) : text === 'shapes' ? shapes(size) : fill(text, size);
    const work = async () => {
      try {
        await run(whole);
      } catch {
        // Most are none of what is read.
      }
    };
    await expect.poll(() => longestTurn(work)).toBeLessThan(maxTurnMs);
  });
});

test('50,000 pages of a sitemap are kept, read and sorted without holding up hits', async () => {
  const host = 'docs.example.com';
  const path = (i: number) => `https://${host}/${'a'.repeat(900)}/${(i * 7919) % 50_000}`;
  const pages = Array.from({ length: 50_000 }, (_, i) => ({
    url: path(i),
    lastmod: i % 2 ? '2026-11-20' : null,
  }));
  const { context, projectId } = headcount;
  const project = context.registry.project(projectId);
  if (!project) throw new Error('There is no such project.');
  let found: Awaited<ReturnType<typeof sitePages>> = [];
  const work = async () => {
    found = await sitePages({ projectId, host, fetchedAt: 0, pages: await packPages(pages, host) }, project);
  };
  await expect.poll(() => longestTurn(work)).toBeLessThan(maxTurnMs);
  const sorted = found.toSorted(
    (a, b) => (b.lastmod ?? -1) - (a.lastmod ?? -1) || (a.path < b.path ? -1 : 1),
  );
  expect(found).toHaveLength(50_000);
  expect(found).toEqual(sorted);
});

test('JSON is bounded by depth and values, not in its texts', async () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  await expect(parseBoundedJson(deep(101))).rejects.toThrow('more than 100 lists or objects');
  expect(await parseBoundedJson(deep(100))).toBeInstanceOf(Array);
  await expect(parseBoundedJson(`[${fill('1,', 300_000)}1]`)).rejects.toThrow('more than 100000 values');
  const text = `\\"${'[{,'.repeat(100_000)}\\\\`;
  expect(await parseBoundedJson(`["${text}", 1]`)).toEqual([JSON.parse(`"${text}"`), 1]);
});

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

test('a body of lists in one another is refused in words', async () => {
  const answer = await fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: `{"hosts":${nested(200_000)}}`,
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('more than 100 lists or objects in one another');
});
