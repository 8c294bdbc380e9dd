import { expect, test } from 'vitest';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { remove } from '../../support/jobs/agent/tool-calls.ts';
import { eventsOf, startJobRun } from '../../support/jobs/job-run.ts';

const page = (head = '') => (head === '' ? 'Text.\n' : `---\n${head}\n---\n\nText.\n`);
const docusaurus = (more = '') =>
  `module.exports = { baseUrl: '/', ${more} presets: [['classic', { docs: { routeBasePath: 'docs' }, blog: { routeBasePath: 'blog' } }]] };\n`;

/** Sites, with the addresses at which visitors see their pages. */
const sites: [name: string, files: Record<string, string>, pages: [file: string, address: string][]][] = [
  [
    'Docusaurus',
    {
      'docusaurus.config.js': docusaurus(),
      'docs/intro.md': page('slug: /start'),
      'docs/guide/first.md': page("slug: 'begin' # a note"),
      'docs/guide/named.md': page('id: other'),
      'docs/02-more/01-topics.md': page(),
      'blog/2026-11-23-hello.md': page('slug: hi'),
      'i18n/fr/docusaurus-plugin-content-docs/current/guide/first.md': page(),
      'src/pages/about.md': page(),
    },
    [
      ['docs/intro.md', '/docs/start'],
      ['docs/guide/first.md', '/docs/guide/begin'],
      ['docs/guide/named.md', '/docs/guide/other'],
      ['docs/02-more/01-topics.md', '/docs/more/topics'],
      ['blog/2026-11-23-hello.md', '/blog/hi'],
      ['i18n/fr/docusaurus-plugin-content-docs/current/guide/first.md', '/fr/docs/guide/first'],
      ['src/pages/about.md', '/about'],
    ],
  ],
  [
    'Docusaurus with versions',
    {
      'website/docusaurus.config.js': docusaurus(),
      'website/versions.json': '["2.0", "1.0"]\n',
      'website/docs/intro.md': page(),
      'website/versioned_docs/version-2.0/intro.md': page(),
      'website/versioned_docs/version-1.0/intro.md': page('slug: /start'),
    },
    [
      ['website/docs/intro.md', '/docs/next/intro'],
      ['website/versioned_docs/version-2.0/intro.md', '/docs/intro'],
      ['website/versioned_docs/version-1.0/intro.md', '/docs/1.0/start'],
    ],
  ],
  [
    'Docusaurus at the top',
    {
      'docusaurus.config.js':
        "module.exports = { presets: [['classic', { docs: { routeBasePath: '/' } }]] };\n",
      'docs/intro.md': page('slug: /'),
      'docs/guide.md': page(),
    },
    [
      ['docs/intro.md', '/'],
      ['docs/guide.md', '/guide'],
    ],
  ],
  [
    'Hugo',
    {
      'hugo.toml': 'baseURL = "https://example.com/"\n',
      'content/a.md': page('url: /elsewhere/a/'),
      'content/guide/b.md': '+++\nslug = "bee"\n+++\n\nText.\n',
      'content/guide/c/index.md': page('slug: sea\naliases:\n  - /old/c/'),
    },
    [
      ['content/a.md', '/elsewhere/a'],
      ['content/guide/b.md', '/guide/bee'],
      ['content/guide/c/index.md', '/guide/sea'],
    ],
  ],
  [
    'Jekyll',
    {
      '_config.yml': 'theme: minima\nbaseurl: /site\n',
      '_posts/2026-11-23-hello.md': page('layout: post'),
      'about.md': page('permalink: /about-us/'),
      '_docs/use.md': page(),
    },
    [
      ['_posts/2026-11-23-hello.md', '/site/2026/11/23/hello'],
      ['about.md', '/site/about-us'],
      ['_docs/use.md', '/site/docs/use'],
    ],
  ],
  [
    'VitePress',
    {
      'docs/.vitepress/config.ts':
        "export default { rewrites: { 'old/a.md': 'new/b.md', 'packages/:pkg/src/:slug*': ':pkg/:slug*' } };\n",
      'docs/old/a.md': page(),
      'docs/packages/one/src/deep/c.md': page(),
    },
    [
      ['docs/old/a.md', '/new/b'],
      ['docs/packages/one/src/deep/c.md', '/one/deep/c'],
    ],
  ],
  [
    'Starlight',
    {
      'astro.config.mjs': "import starlight from '@astrojs/starlight';\n",
      'src/content/docs/guide/a.md': page('title: A\nslug: other/a'),
    },
    [['src/content/docs/guide/a.md', '/other/a']],
  ],
  [
    'Sphinx',
    { 'docs/conf.py': "project = 'a'\n", 'docs/use.rst': 'Use\n===\n', 'docs/index.rst': 'Docs\n====\n' },
    [['docs/use.rst', '/use']],
  ],
];

test.each(sites)('of %s, files lead to addresses, and addresses to files', async (_name, files, pages) => {
  const { jobs } = await startJobRun({ script: scripted, files });
  const { job } = await runScripted(
    jobs,
    pages.flatMap(([file, address]) => [
      { tool: 'pages', input: { file } },
      { tool: 'pages', input: { address } },
    ]),
  );
  const tools = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'tool');
  expect(tools.map(({ data }) => data.output)).toEqual(
    pages.flatMap(([file, address]) =>
      Array(2).fill(`${JSON.stringify(file)} is at ${JSON.stringify(address)}`),
    ),
  );
});

test('analytics name the file of an address that a page sets, and a link to it is dead without the page', async () => {
  const files = {
    'docusaurus.config.js': docusaurus(),
    'docs/intro.md': page('slug: /start'),
    'docs/other.md': '[Start](/docs/start)\n',
  };
  const { jobs, headcount } = await startJobRun({ script: scripted, files });
  await headcount.hit({ u: 'https://site.example/docs/start' });
  const { job, findings: rounds } = await runScripted(jobs, [
    { tool: 'visitors', input: {} },
    remove('docs/intro.md'),
  ]);
  const [visitors] = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'tool');
  expect(String(visitors?.data.output)).toContain(
    '"path":"/docs/start","human":1,"ai":0,"total":1,"file":"docs/intro.md"',
  );
  expect(rounds[0]).toEqual([
    'docs/other.md:1: the link to "/docs/start" leads to no page or file of the site.',
  ]);
});
