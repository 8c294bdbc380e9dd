import { describe, expect, test } from 'vitest';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { edit, remove, write } from '../../support/jobs/agent/tool-calls.ts';
import { docsSites } from '../../support/jobs/docs-sites.ts';
import { startJobRun } from '../../support/jobs/job-run.ts';

const { mintlify, docusaurus, mkdocs, sphinx, hugo, vitepress } = docsSites;

/** Each in a page of its own, PAGE. */
const pages: [content: string, finding: string][] = [
  ['---\ntitle: a: b\n---\n\nText.\n', ':2: the front matter is not YAML: "'],
  ['---\ntitle: Start\n\nText.\n', ':1: the front matter has no end'],
  ['---\n- a\n---\n', ':1: the front matter is not a list of keys and values.'],
  ['Text.\n\n<Note>\n', ':3: it does not compile as MDX: "'],
  ['A `key.\n\nMap<a, b>\n', ':3: it does not compile as MDX: "'],
  ['- <Note>\n\n</Note>\n', ':1: it does not compile as MDX: "'],
  ['<Tab a={1 2} />\n', ':1: it does not compile as MDX: "'],
  ['{/* @jsx h */}\n', ': it does not compile as MDX: "'],
  ['<!-- A comment. -->\n', ':1: it does not compile as MDX: "'],
  ['[a](/api/keys#none)\n', 'the link to "/api/keys#none" names a heading that api/keys.mdx does not have.'],
  ['# A\n\n[a](#b)\n', ':3: the link to "#b" names a heading that PAGE does not have.'],
  ['![a](/images/none.png)\n', ':1: the image "/images/none.png" leads to no file of the site.'],
  ['<Card title="A" href="/none">A</Card>\n', 'the link to "/none" leads to no page or file of the site.'],
  ['[a]\n\n[a]: ./none.mdx\n', ':3: the link to "./none.mdx" leads to no page'],
];

test('code in MDX that does not compile is named', async () => {
  const project = { agentPaths: ['**/*.mdx'] };
  const { jobs } = await startJobRun({ script: scripted, files: mintlify, project });
  const { findings: rounds } = await runScripted(jobs, [
    write('index.mdx', 'export default A\n\nexport { B as default } from "b"\n'),
    write('guides/late.mdx', 'Text.\n\n<Note {...a} key="b" />\n'),
    write('guides/inner.mdx', '{a.map((b) => <Note {...b} key={b} />)}\n'),
    write('guides/tags.mdx', 'Text.\n\nexport const a = <b></c>\n'),
    write('guides/two.mdx', '{a}\n\n{b c}\n'),
    write('guides/sound.mdx', 'export default A\n\n<Note key="b" {...a}>\n  {/* c */}\n</Note>\n'),
  ]);
  const found = rounds.flat().filter((finding) => finding.includes('MDX'));
  expect(found.toSorted()).toEqual([
    'guides/inner.mdx:1: it does not compile as MDX: "Expected `key` to come before any spread expressions"',
    'guides/late.mdx:3: it does not compile as MDX: "Expected `key` to come before any spread expressions"',
    'guides/tags.mdx:3: it does not compile as MDX: "Could not parse import/exports with acorn"',
    'guides/two.mdx:3: it does not compile as MDX: "Could not parse expression with acorn"',
    'index.mdx:3: it does not compile as MDX: "Unexpected duplicate layout, expected a single layout"',
  ]);
});

test('a fence that was left open, and data that is no data, are named with their places', async () => {
  const { jobs } = await startJobRun({ script: scripted, files: mkdocs });
  const { findings: rounds } = await runScripted(jobs, [
    write('docs/index.md', '# Home\n\n- a\n  ```sh\n  run\n'),
    edit('mkdocs.yml', '  - Home: index.md', '  - Home: index.md\n - API'),
  ]);
  expect(rounds).toEqual([
    [
      'docs/index.md:4: the code fence that begins here is never closed.',
      expect.stringMatching(/^mkdocs\.yml:\d+: it is not YAML: "/),
    ],
  ]);
});

test('front matter and data in TOML that cannot be read are named with their places', async () => {
  const project = { agentPaths: ['data/*.toml'] };
  const { jobs } = await startJobRun({ script: scripted, files: hugo, project });
  const { findings: rounds } = await runScripted(jobs, [
    write('content/_index.md', '+++\ntitle = "Home"\ndate = 2026-11-27\ntitle = "Again"\n+++\n\nText.\n'),
    write('content/new.md', '+++\ntitle: New\n+++\n'),
    write('data/menu.toml', '[[menu]]\nname = "Docs"\nweight = \n'),
    write('content/sound.md', "+++\ntitle = 'Sound'\ntags = ['a', 'b']\n[params]\ndraft = false\n+++\n"),
  ]);
  expect(rounds).toEqual([
    [
      expect.stringMatching(/^content\/_index\.md:4: the front matter is not TOML: "/),
      expect.stringMatching(/^content\/new\.md:2: the front matter is not TOML: "/),
      expect.stringMatching(/^data\/menu\.toml:3: it is not TOML: "/),
    ],
  ]);
});

test('titles, images, includes and references of reStructuredText are checked where the change made them', async () => {
  const old = 'Usage\n=====\n\nAn old title\n------\n\n.. image:: gone.png\n';
  const { jobs } = await startJobRun({ script: scripted, files: { ...sphinx, 'docs/usage.rst': old } });
  const page = `${old}
A newer title
------

日本語の題
~~~~~~

=====
Above
=====

======
Too long
======

.. code-block:: text

   Not a title
   ----

A paragraph that
goes on
----

.. figure:: img/none.png
.. include:: /parts/none.txt
.. literalinclude:: /conf.py
.. image:: img/plan.*
.. image:: img/none.*

:download:\`one </conf.py>\` and :download:\`none.zip\`

See :doc:\`none\`, :doc:\`it </settings>\` and :doc:\`/index\`.
`;
  const { findings: rounds } = await runScripted(jobs, [write('docs/usage.rst', page)]);
  expect(rounds).toEqual([
    [
      'docs/usage.rst:9: the line that marks the title "A newer title" is shorter than it.',
      'docs/usage.rst:12: the line that marks the title "日本語の題" is shorter than it.',
      'docs/usage.rst:20: the line that marks the title "Too long" is shorter than it.',
      'docs/usage.rst:32: the image "img/none.png" leads to no file of the site.',
      'docs/usage.rst:33: the link to "/parts/none.txt" leads to no page or file of the site.',
      'docs/usage.rst:36: the image "img/none.*" leads to no file of the site.',
      'docs/usage.rst:38: the link to "none.zip" leads to no page or file of the site.',
      'docs/usage.rst:40: the link to "none" leads to no page or file of the site.',
    ],
  ]);
});

test('references of Sphinx to labels are checked, of other pages too', async () => {
  const { jobs } = await startJobRun({
    script: scripted,
    files: {
      ...sphinx,
      'docs/usage.rst': '.. _usage:\n\nUsage\n=====\n\n.. _Set up:\n\nSet up\n------\n\n:ref:`never-there`\n',
      'docs/index.rst': ':ref:`set  up`, :ref:`it <usage>`, :ref:`search`\n',
      'docs/settings.md': '(own)=\n# Settings\n\n{ref}`usage`\n',
    },
  });
  const { findings: rounds } = await runScripted(jobs, [
    edit('docs/usage.rst', '.. _usage:\n\n', ''),
    edit(
      'docs/usage.rst',
      ':ref:`never-there`',
      ':ref:`never-there`, :ref:`none`, :ref:`own`, :ref:`python:x`',
    ),
  ]);
  expect(rounds).toEqual([
    [
      'docs/usage.rst:9: the reference to "none" names a label that no page has.',
      'docs/index.rst:1: the reference to "usage" names a label that no page has.',
      'docs/settings.md:4: the reference to "usage" names a label that no page has.',
    ],
  ]);
});

describe('it is told of', () => {
  test('each thing that can be wrong with a page', async () => {
    const names = pages.map((_, n) => `page-${n}.mdx`);
    const files = { ...mintlify, ...Object.fromEntries(names.map((name) => [name, 'Text.\n'])) };
    const { jobs } = await startJobRun({ script: scripted, files });
    const calls = pages.map(([content], n) => write(String(names[n]), content));
    const found = (await runScripted(jobs, calls)).findings.flat();
    expect(names.map((name) => found.filter((finding) => finding.startsWith(`${name}:`)))).toEqual(
      pages.map(([, finding], n) => [expect.stringContaining(finding.replace('PAGE', String(names[n])))]),
    );
    expect(found).toHaveLength(pages.length);
  });

  test('navigation that is no JSON, names what is not there, or lacks a new page', async () => {
    const project = { agentPaths: ['docs.json'] };
    const { jobs } = await startJobRun({ script: scripted, files: mintlify, project });
    const { findings: rounds } = await runScripted(
      jobs,
      [write('docs.json', '{"navigation": }\n')],
      [
        write('docs.json', String(mintlify['docs.json']).replace('guides/start', 'guides/begin')),
        write('guides/new.mdx', 'New.\n'),
      ],
    );
    expect(rounds).toEqual([
      [expect.stringMatching(/^docs\.json: it is not JSON/)],
      [
        'docs.json: the navigation names "guides/begin", and there is no such page.',
        'guides/new.mdx: no navigation names this new page: add it to docs.json.',
      ],
    ]);
  });

  test('links of other pages to a page that was deleted, or lost a heading', async () => {
    const { jobs } = await startJobRun({ script: scripted, files: docusaurus });
    const { findings: rounds } = await runScripted(
      jobs,
      [remove('website/docs/guides/deploy.md')],
      [write('website/docs/guides/deploy.md', '# Other\n')],
      [write('website/docs/guides/deploy.md', '# Deploy\n\n## Roll back\n'), remove('website/docs/api.md')],
    );
    expect(rounds).toEqual([
      [
        'website/sidebars.js: the navigation still names "guides/deploy", whose page website/docs/guides/deploy.md is gone.',
        'website/docs/intro.md:7: the link to "./guides/deploy.md#roll-back" leads to no page or file of the site.',
        'website/docs/intro.md:8: the link to "/docs/guides/deploy" leads to no page or file of the site.',
        'website/docs/more/01-topics.md:3: the link to "../guides/deploy" leads to no page or file of the site.',
      ],
      [
        'website/docs/intro.md:7: the link to "./guides/deploy.md#roll-back" names a heading that website/docs/guides/deploy.md does not have.',
      ],
      [
        'website/sidebars.js: the navigation still names "api", whose page website/docs/api.md is gone.',
        'website/docs/intro.md:9: the link to "api.md" leads to no page or file of the site.',
        'website/docs/more/01-topics.md:3: the link to "../api.md" leads to no page or file of the site.',
      ],
    ]);
  });

  test('entries of MkDocs and of Sphinx whose pages are gone', async () => {
    const mk = await startJobRun({ script: scripted, files: mkdocs });
    expect(
      (await runScripted(mk.jobs, [remove('docs/setup.md'), write('docs/install.md', '# Install\n')]))
        .findings[0],
    ).toEqual([
      'mkdocs.yml: the navigation names "setup.md", and there is no such page.',
      'docs/install.md: no navigation names this new page: add it to mkdocs.yml.',
      'docs/api/index.md:5: the link to "../setup.md" leads to no page or file of the site.',
      'docs/index.md:3: the link to "setup.md" leads to no page or file of the site.',
    ]);
    const sp = await startJobRun({ script: scripted, files: sphinx });
    expect((await runScripted(sp.jobs, [remove('docs/usage.rst')])).findings[0]).toEqual([
      'docs/index.rst: the navigation names "usage", and there is no such page.',
      'docs/index.rst:9: the link to "usage" leads to no page or file of the site.',
      'docs/settings.md:3: the link to "usage.rst" leads to no page or file of the site.',
    ]);
  });

  test('a page that is gone where the settings stand beside the pages', async () => {
    const { jobs } = await startJobRun({ script: scripted, files: docsSites['Docusaurus beside its pages'] });
    const [found] = (await runScripted(jobs, [remove('docs/api.md')])).findings;
    expect(found?.[0]).toBe(
      'website/sidebars.js: the navigation still names "api", whose page docs/api.md is gone.',
    );
  });

  test('nothing where a page beside the site is deleted, whatever its settings hold', async () => {
    const settings = "export default { base: '', themeConfig: { text: 'NEWS', link: '/lib/NEWS' } };\n";
    const files = {
      ...vitepress,
      'docs/.vitepress/config.mts': settings,
      'a.md': '# A\n',
      'NEWS.md': '# News\n',
    };
    const { jobs } = await startJobRun({ script: scripted, files });
    expect((await runScripted(jobs, [remove('a.md'), remove('NEWS.md')])).findings).toEqual([]);
  });
});
