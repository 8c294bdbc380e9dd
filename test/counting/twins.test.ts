import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHeadcount } from '../support/child.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const report = (path: string) => ({
  url: `https://example.com${path}`,
  ip: '198.51.100.1',
  userAgent: 'Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)',
});

describe('a text for machines that a server reports counts under the page it stands for', () => {
  test.each([
    ['/page.md', '/page'],
    ['/docs/page.md', '/docs/page'],
    ['/docs/page.mdx', '/docs/page'],
    ['/page.html.md', '/page.html'],
    ['/index.md', '/'],
    ['/index.html.md', '/'],
    ['/docs/index.md', '/docs'],
    ['/docs/index.html.md', '/docs'],
    ['/v1.2/notes.md', '/v1.2/notes'],
    ['/caf%C3%A9.md', '/caf%C3%A9'],
    ['/llms.txt', '/'],
    ['/llms-full.txt', '/'],
    ['/docs/llms.txt', '/docs'],
    ['/page.md?page=2', '/page?page=2'],
    // Pages of their own.
    ['/page', '/page'],
    ['/index.html', '/index.html'],
    ['/README.md', '/README.md'],
    ['/docs/AGENTS.md', '/docs/AGENTS.md'],
    ['/.md', '/.md'],
    ['/robots.txt', '/robots.txt'],
    ['/docs/my-llms.txt', '/docs/my-llms.txt'],
    ['/list?page=a.md', '/list?page=a.md'],
    ['/format.md/about', '/format.md/about'],
  ])('%s under %s', async (path, page) => {
    const project = await headcount.addProject({ keptParameters: ['page'] });
    await project.hits([report(path)]);
    expect(await project.views()).toEqual({ [page]: { human: 0, ai: 1, total: 1 } });
  });
});

test('who reads a page and its twin is one visitor of it, with two views', async () => {
  const project = await headcount.addProject();
  await project.hits([report('/docs'), report('/docs.md')]);
  expect(await project.visitors()).toEqual({ '/docs': { human: 0, ai: 1, total: 1 } });
  expect(await project.views()).toEqual({ '/docs': { human: 0, ai: 2, total: 2 } });
});

test('an excluded page has no twin that is counted', async () => {
  const project = await headcount.addProject({ excludedPaths: ['/secret'] });
  const reply = await project.hits([report('/secret.md')]);
  expect(await reply.json()).toEqual({ accepted: 0, dropped: [{ index: 0, reason: 'excluded_path' }] });
});

test('what a browser shows is a page, whatever its name ends with', async () => {
  const project = await headcount.addProject();
  await project.hit({ u: 'https://example.com/notes.md' });
  const pixel = new URLSearchParams({ p: project.projectId, u: 'https://example.com/llms.txt' });
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  await fetch(`${headcount.url}/v1/pixel.gif?${pixel}`, { headers });
  expect(Object.keys(await project.views()).sort()).toEqual(['/llms.txt', '/notes.md']);
});

test('a project can have them counted as files of their own, from the command line too', async () => {
  const { hits, projectId, views } = await headcount.addProject({ countTwinsAs: 'file' });
  await hits([report('/page.md'), report('/llms.txt')]);
  expect(Object.keys(await views()).sort()).toEqual(['/llms.txt', '/page.md']);

  const set = (value: string) =>
    runHeadcount(['project', 'set', projectId, '--count-twins-as', value], {
      HEADCOUNT_DATA_DIR: headcount.dataDir,
    });
  const refused = await set('yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--count-twins-as must be "page" or "file".');
  expect((await set('page')).code).toBe(0);
  await headcount.context.registry.refresh();
  await hits([report('/page.md')]);
  expect((await views())['/page']).toEqual({ human: 0, ai: 1, total: 1 });
});
