import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import { runTool } from '../../../server/jobs/agent/tools/tool.ts';
import { createToolbox } from '../../../server/jobs/agent/tools/toolbox.ts';
import { learnSite } from '../../../server/jobs/site/known-site.ts';
import { makeSite } from '../../support/jobs/agent/agent-site.ts';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { edit, write } from '../../support/jobs/agent/tool-calls.ts';
import { eventsOf, finish, sendMessage, startJobRun } from '../../support/jobs/job-run.ts';

const hugoUnsafe = '[markup.goldmark.renderer]\nunsafe = true\n';
const macros = 'plugins:\n  - macros\nmarkdown_extensions:\n  - pymdownx.snippets\n';

/** Sites by what they are made with: their settings, where a page is, and what lies beside it. */
const sites = {
  Docusaurus: { 'website/docusaurus.config.js': 'module.exports = {};\n', 'website/docs/part.md': 'Text.\n' },
  'Docusaurus with format detect': {
    'docusaurus.config.js': "module.exports = { markdown: { format: 'detect' } };\n",
    'docs/part.md': 'Text.\n',
  },
  Mintlify: { 'docs.json': '{"navigation": {"pages": ["a"]}}\n', 'docs/part.md': 'Text.\n' },
  Nextra: { 'next.config.mjs': "import nextra from 'nextra';\n", 'content/part.md': 'Text.\n' },
  'Next.js': {
    'next.config.js': "module.exports = { pageExtensions: ['tsx', 'md', 'mdx'] };\n",
    'docs/part.md': '',
  },
  Gatsby: { 'gatsby-config.js': "module.exports = { extensions: ['.mdx', '.md'] };\n", 'docs/part.md': '' },
  Starlight: {
    'astro.config.mjs': "import s from '@astrojs/starlight';\n",
    'src/content/docs/part.md': '',
    'src/content/docs/part.mdoc': '',
  },
  VitePress: {
    'docs/.vitepress/config.ts': 'export default {};\n',
    'docs/part.md': 'Text.\n',
    'docs/a.ts': '',
  },
  VuePress: { 'docs/.vuepress/config.js': 'module.exports = {};\n', 'docs/part.md': 'Text.\n' },
  Sphinx: {
    'docs/conf.py': "project = 'a'\nmyst_enable_extensions = ['substitution']\n",
    'docs/part.rst': 'Text.\n',
    'docs/part.md': 'Text.\n',
    'docs/part.txt': 'Text.\n',
    'docs/code.py': 'a = 1\n',
    'docs/.env': 'A=1\n',
    'secret.py': 'a = 1\n',
  },
  Hugo: {
    'hugo.toml': `baseURL = "/"\n${hugoUnsafe}`,
    'content/part.md': 'Text.\n',
    'content/code.py': 'a = 1\n',
  },
  Jekyll: { '_config.yml': 'theme: minima\n', 'docs/part.md': 'Text.\n', '_includes/note.html': 'Text.\n' },
  MkDocs: { 'mkdocs.yml': `site_name: a\n${macros}`, 'docs/part.md': 'Text.\n', 'docs/part.txt': 'Text.\n' },
  'MkDocs with modules': { 'mkdocs.yml': 'plugins:\n  - mkdocstrings\n', 'docs/part.md': 'Text.\n' },
  Antora: {
    'docs/antora.yml': 'name: a\n',
    'docs/modules/ROOT/pages/part.adoc': 'Text.\n',
    'docs/modules/ROOT/pages/code.py': '',
  },
  mdBook: { 'book.toml': '[book]\n', 'src/part.md': 'Text.\n', 'src/code.rs': 'fn main() {}\n' },
  Docsify: { 'docs/index.html': '<script src="//cdn/docsify"></script>\n', 'docs/part.md': 'Text.\n' },
  'Nuxt Content': { 'nuxt.config.ts': "modules: ['@nuxt/content']\n", 'content/part.md': 'Text.\n' },
  DocFX: { 'docs/docfx.json': '{}\n', 'docs/part.md': 'Text.\n', 'docs/code.cs': 'a\n' },
  GitBook: { '.gitbook.yaml': 'root: ./docs\n', 'docs/part.md': 'Text.\n' },
  HonKit: { 'book.json': '{}\n', 'docs/part.md': 'Text.\n' },
  Bridgetown: { 'config/initializers.rb': 'Bridgetown.configure do |config|\n', 'src/part.md': 'Text.\n' },
  'Middleman and Slate': { 'config.rb': 'set :markdown_engine, :redcarpet\n', 'source/part.md': 'Text.\n' },
  Lume: { '_config.ts': "import lume from 'lume/mod.ts';\n", 'src/part.md': 'Text.\n' },
  Doxygen: { Doxyfile: 'PROJECT_NAME = a\n', 'docs/part.md': 'Text.\n', 'examples/a.cpp': 'a\n' },
  'Next.js with Markdoc': { 'next.config.js': "require('@markdoc/next.js')\n", 'docs/part.md': 'Text.\n' },
  'Zensical with macros': { 'zensical.toml': '[project.plugins.macros]\n', 'docs/part.md': 'Text.\n' },
  Eleventy: { 'eleventy.config.js': 'export default {};\n', 'docs/part.md': 'Text.\n' },
  'Eleventy without settings': {
    'package.json': '{"devDependencies": {"@11ty/eleventy": "3"}}\n',
    'docs/part.md': 'Text.\n',
  },
  Rspress: { 'rspress.config.ts': 'export default {};\n', 'docs/part.md': 'Text.\n' },
  Fumadocs: { 'source.config.ts': "import 'fumadocs-mdx/config';\n", 'content/docs/part.md': 'Text.\n' },
  Zensical: { 'zensical.toml': '[project]\n', 'docs/part.md': 'Text.\n' },
  Quarto: { '_quarto.yml': 'project:\n  type: website\n', 'docs/part.md': 'Text.\n' },
  'plain AsciiDoc': { 'docs/part.adoc': 'Text.\n' },
  Hexo: { '_config.yml': 'skip_render:\n', 'source/part.md': 'Text.\n' },
  Zola: { 'config.toml': 'base_url = "/"\n', 'content/part.md': 'Text.\n' },
  Pelican: {
    'pelicanconf.py': "PLUGINS = ['jinja2content']\n",
    'content/part.rst': 'Text.\n',
    'content/part.md': '',
  },
  'Jupyter Book': { '_config.yml': 'execute:\n  execute_notebooks: auto\n', 'docs/part.md': 'Text.\n' },
} satisfies Record<string, Record<string, string>>;

type Name = keyof typeof sites;

async function open(name: Name, more: Record<string, string> = {}) {
  const files: Record<string, string> = { ...sites[name], ...more };
  const site = await makeSite(files);
  const read = async (path: string) => files[path];
  const readAll = (paths: readonly string[]) => Promise.all(paths.map(read));
  const known = await learnSite({ paths: Object.keys(files), read, readAll, find: async () => [] }, '');
  const folder = new Folder(site.directory, defaultLimits, { knownSite: known });
  const tools = createToolbox(folder, '/usr/bin:/bin');
  const call = (tool: string, input: object) =>
    runTool(tools, { name: tool, input }, new AbortController().signal);
  const beside = Object.keys(sites[name]).find((path) => /part\.(md|rst|adoc)$/.test(path)) ?? '';
  return { call, page: (end: string) => beside.replace(/part\.\w+$/, end) };
}

const refused: [Name, page: string, texts: string[]][] = [
  [
    'MkDocs',
    'd.md',
    [
      '[a](java&#115;cript:evil())',
      '[a](javascript&colon;evil())',
      '<a href="java&#x0A;script:evil()">a</a>',
      '<a href="java\tscript:evil()">a</a>',
    ],
  ],
  [
    'Sphinx',
    'd.rst',
    [
      '`a <javascript:evil()>`_',
      '.. _a: javascript:evil()',
      '.. figure:: a.png\n   :target: javascript:evil()',
      '.. button-link:: javascript:evil()',
    ],
  ],
  ['DocFX', 'd.md', ['[!VIDEO javascript:evil()]', '> [!Video java&#115;cript:evil()]']],
  ['Jupyter Book', 'd.md', ['```{iframe} javascript:evil()\n```']],
  ['Eleventy', 'd.md', ['---\npermalink: ../../evil.js\n---\n', '---\n{permalink: "a/../../b"}\n---\n']],
  ['Antora', 'd.adoc', ['ifdef::a[include::/etc/passwd[]]', 'ifndef::a,b[include::../../../../../.env[]]']],
  [
    'Quarto',
    'd.md',
    [
      '```{=html}\n<script>evil()</script>\n```',
      '~~~~ {=html}\n<img src=x onerror=evil()>\n~~~~',
      'A `<script>evil()</script>`{=html} b',
      '---\nformat:\n  html:\n    embed-resources: true\n---\n',
    ],
  ],
  ['Fumadocs', 'd.md', ['```json doc-gen:file\n{"file": "/etc/passwd"}\n```']],
  [
    'Doxygen',
    'd.md',
    [
      '\\image html ../../.env',
      '@image{inline} html "/etc/passwd"',
      '\\dot\ndigraph { a [image="/etc/passwd"] }\n\\enddot',
      '@startuml\n!include /etc/passwd\n@enduml',
    ],
  ],
  [
    'Jupyter Book',
    'c.md',
    [
      '```{glue:figure} a\n```\n```{include} /etc/passwd\n```',
      '````{note}\n```{tip}\n```\n```{literalinclude} ../.env\n```\n````',
      '{raw:html}`<script>`',
      '{raw:html}`<img src=x onerror=evil()>`',
      '```{anywidget} evil.js\n```',
      '```{image} ../../.env\n```',
    ],
  ],
  [
    'Sphinx',
    'c.rst',
    [
      '.. image:: ../../.env',
      '.. figure:: /.env',
      '.. |a| image:: ../secret.py',
      '.. image:: ../../../a.png',
      ':raw-html:`<script>`',
    ],
  ],
  ['Sphinx', 'c.md', ['![a](../../.env)', '![a](%2E./.env)', '<img src="../.env">']],
  ['Hexo', 'c.md', ['<% evil() %>', '<%- process.env.A %>']],
  [
    'Starlight',
    'c.mdoc',
    [
      '{% include file="/etc/passwd" /%}',
      '{% partial file="../../../../.env" /%}',
      '```\n{% partial file="/etc/passwd" /%}\n```',
      '{% partial variables={a: 1} file="/etc/passwd" /%}',
    ],
  ],
  ['Next.js with Markdoc', 'c.md', ['{% partial file="/etc/passwd" /%}']],
  [
    'Docusaurus',
    'c.md',
    [
      '```js live\nevil()\n```',
      '- a\n\n  ~~~jsx title="a" live noInline\n  evil()\n  ~~~',
      '```mdx-code-block\nexport const a = evil()\n```',
      '````mdx-code-block\n{evil()}\n````',
      '![a](../../.env)',
    ],
  ],
  ['Docusaurus with format detect', 'c.md', ['```mdx-code-block\n<script>evil()</script>\n```']],
  [
    'Mintlify',
    'c.mdx',
    [
      '---\nopenapi: ../../.env.json GET /a\n---\n',
      '---\nopenapi: "https://evil.example/a.json GET /a"\n---\n',
      '---\ntitle: a\nasyncapi: /none.yaml a\n---\n',
    ],
  ],
  [
    'Fumadocs',
    'c.md',
    [
      '<include>../../../.env</include>',
      "<include cwd lang='md'>/etc/passwd</include>",
      '::include[/etc/passwd]',
      '<auto-type-table path="../../../a.ts" name="A" />',
    ],
  ],
  [
    'Quarto',
    'c.md',
    [
      '---\ninclude-in-header: /etc/passwd\n---\n',
      '---\nformat:\n  html:\n    include-before-body:\n      - text: <script>evil()</script>\n---\n',
      '---\nfilters: [evil.lua]\n---\n',
      '---\nfilters:\n  - ../evil.lua\n---\n',
      '---\nformat: { html: { "include-after-body": "/etc/passwd" } }\n---\n',
      'Text.\n\n---\nfilters: evil.lua\n---',
      '---\n"include\\x2din-header": /etc/passwd\n---\n',
    ],
  ],
  ['Zensical with macros', 'c.md', ['{{ config }}', '{% include "/etc/passwd" %}']],
  ['Rspress', 'c.md', ['```tsx file="../../.env"\n```', "```ts title='a' file=/etc/passwd\n```"]],
  [
    'Nuxt Content',
    'c.md',
    ['<script>evil()</script>', '::script{src="https://evil.example"}\n::', '[a]{onclick="evil()"}'],
  ],
  [
    'DocFX',
    'c.md',
    [
      '[!INCLUDE [a](../../.env)]',
      '[!include[a](/etc/passwd)]',
      '[!code-csharp[](~/../a.cs#L1-L2)]',
      '[!Code[a](../../.env "a")]',
      ':::code language="csharp" source="/etc/passwd":::',
    ],
  ],
  [
    'GitBook',
    'c.md',
    ['{% include "../../.env" %}', '{{ evil() }}', '{% openapi src="https://evil.example" %}'],
  ],
  ['HonKit', 'c.md', ['{% include "/etc/passwd" %}', '```\n{{ evil() }}\n```']],
  [
    'Bridgetown',
    'c.md',
    ['<%= ENV %>', '```\n<% evil %>\n```', '---\ntemplate_engine: serbea\n---\n', '{% evil %}'],
  ],
  ['Middleman and Slate', 'c.md', ['---\nincludes:\n  - ../../secret\n---\n', '<script>evil()</script>']],
  ['Lume', 'c.md', ['{{ Deno.env }}', '```\n{{> evil() }}\n```']],
  [
    'Doxygen',
    'c.md',
    [
      '\\include /etc/passwd',
      '@htmlinclude ../../.env',
      '\\snippet{doc} ../../a.cpp a',
      '@include{lineno} none.cpp',
      '\\dotfile "/etc/passwd"',
    ],
  ],
  ['VitePress', 'b.md', ['# T {onclick="evil()"}', '[x](y){.a onmouseover=evil()}']],
  ['MkDocs', 'b.md', ['# T { onclick="evil()" }', '[x](y){: .a onclick="evil()" }']],
  ['Jekyll', 'b.md', ['Text.\n{: onclick="evil()"}', '{::options template="/etc/passwd" /}']],
  ['Eleventy without settings', 'b.md', ['{% renderFile "/etc/passwd" %}']],
  ['Rspress', 'b.md', ["import fs from 'fs'", '{process.env.SECRET}']],
  ['Fumadocs', 'b.md', ['{process.env.SECRET}']],
  ['Zensical', 'b.md', ['--8<-- "/etc/passwd"', '```python exec="1"\nevil()\n```']],
  ['Quarto', 'b.md', ['{{< include /etc/passwd >}}', '{{< env HOME >}}', '<script>evil()</script>']],
  ['plain AsciiDoc', 'b.adoc', ['include::/etc/passwd[]', 'include::https://evil.example/a[]']],
  ['mdBook', 'b.md', ['{{ #include ../../.env }}', '{{\t#rustdoc_include ../../a.rs}}']],
  ['Jupyter Book', 'b.md', ['{eval}`1 + 1`', 'A {eval:text}`x` here']],
  ['Sphinx', 'b.rst', [':math:`\\input{/etc/passwd}`']],
  ['Sphinx', 'b.md', ['$$\n\\input{/etc/passwd}\n$$']],
  [
    'Antora',
    'b.adoc',
    [
      '|===\na|include::/etc/passwd[]\n|===',
      '[pass]\n<script>evil()</script>',
      '[pass]\n--\n\n<img src=x onerror=evil()>\n--',
      'link:++javascript:evil()++[x]',
      'image:a.png[link="javascript:evil()"]',
      '[graphviz]\n....\nshapefile="/etc/passwd"\n....',
    ],
  ],
  [
    'Docusaurus',
    'a.md',
    [
      "import fs from 'fs'\n\nText.",
      'export const env = JSON.stringify(process.env)\n',
      "{require('child_process').execSync('id').toString()}",
      'export const x = (() => {fetch(process.env.A)})()',
      '<script src="https://evil.example/a.js"></script>',
    ],
  ],
  ['Mintlify', 'a.md', ['{process.env.SECRET}', 'export const a = 1']],
  ['Nextra', 'a.md', ['{process.env.SECRET}']],
  ['Next.js', 'a.md', ['{process.env.SECRET}']],
  ['Gatsby', 'a.md', ['{process.env.SECRET}', '`embed:../../.env`']],
  ['Starlight', 'a.mdx', ['{process.env.SECRET}']],
  [
    'Starlight',
    'a.md',
    [
      '<script>evil()</script>',
      '---\ntitle: a\nhead:\n  - tag: script\n---\n\nText.',
      '<img src=x onerror="evil()">',
    ],
  ],
  [
    'VitePress',
    'a.md',
    [
      '<script setup>\nimport fs from "node:fs"\n</script>',
      '{{ process.env.SECRET }}',
      '<p :title="evil()">a</p>',
      '<p v-html="evil()">a</p>',
      '<p @click="evil()">a</p>',
      '<style>@import "../../.env"</style>',
      '<<< @/../.env',
      '<<< ../../../etc/passwd{1,2}',
      '<!--@include: ../../.env-->',
      '```md\n<!--@include: /etc/passwd-->\n```',
      '```js-vue\n{{ evil() }}\n```',
      '<div>\n```\n<script>evil()</script>\n```\n</div>',
      '<pre>\n\n```\n{{ evil() }}\n```\n\n</pre>',
      'a `b\nc` {{ evil() }} `d',
      '---\nhead:\n  - - script\n    - src: https://evil.example\n---\n',
    ],
  ],
  ['VuePress', 'a.md', ['{{ evil() }}', '@[code](../../.env)']],
  [
    'Sphinx',
    'a.rst',
    [
      '.. literalinclude:: /etc/passwd',
      '.. literalinclude:: ../secret.py',
      '.. include:: ../../../.env',
      '.. include:: .env',
      '.. include:: part.md\n   :parser: myst_parser.sphinx_',
      '- .. include:: /../secret.py',
      '| .. include:: ../secret.py |',
      '.. raw:: html\n   :url: https://evil.example',
      '.. raw:: html\n   :file: /etc/passwd',
      '.. raw:: html\n\n   <script>evil()</script>',
      '.. role:: evil(raw)\n   :format: html',
      '.. csv-table:: A\n   :file: /etc/passwd',
      '.. csv-table:: A\n   :url: https://evil.example',
      '.. automodule:: antigravity',
      '.. autoclass:: os.path',
      '.. jupyter-execute::\n\n   evil()',
      '.. ipython:: python\n\n   evil()',
      '.. plot::\n\n   evil()',
      '.. program-output:: id',
      '.. graphviz:: ../../evil.dot',
      '.. graphviz::\n\n   digraph { a [image="/etc/passwd"] }',
      '.. uml::\n\n   !include /etc/passwd',
      '.. math::\n\n   \\input{/etc/passwd}',
      '.. ifconfig:: evil()',
      ':download:`a <../../.env>`',
      '.. literalinclude:: code.py\n   :diff: /etc/passwd',
    ],
  ],
  [
    'Sphinx',
    'a.md',
    [
      '```{literalinclude} /etc/passwd\n```',
      '```{include} ../secret.py\n```',
      ':::{include} /../secret.py\n:::',
      '```{eval-rst}\n.. include:: /etc/passwd\n```',
      '```{eval-rst}\n.. automodule:: os\n```',
      '```{code-cell} python\nevil()\n```',
      '```{raw} html\n:url: https://evil.example\n```',
      '```{csv-table} A\n---\nfile: /etc/passwd\n---\n```',
      '- a\n\n  ```{include} /etc/passwd\n  ```',
      '{{ env.config }}',
      '{download}`a </../secret.py>`',
      '---\nfile_format: mystnb\n---\n',
    ],
  ],
  ['Sphinx', 'a.txt', ['```\n.. literalinclude:: /etc/passwd\n```']],
  ['Jupyter Book', 'a.md', ['```{code-cell}\nevil()\n```']],
  [
    'Hugo',
    'a.md',
    [
      '{{< readfile "/etc/passwd" >}}',
      '{{% readfile file="../../.env" %}}',
      '{{< include "https://evil.example/a.md" >}}',
      '{{< evil.inline >}}{{ os.Getenv "A" }}{{< /evil.inline >}}',
      '{{< any "../../../.env" >}}',
      '```\n{{< readfile "none.txt" >}}\n```',
      '<script>evil()</script>',
    ],
  ],
  ['Hugo', 'a.rst', ['.. include:: /etc/passwd']],
  ['Hugo', 'a.adoc', ['include::/etc/passwd[]']],
  [
    'Jekyll',
    'a.md',
    [
      '{% include_relative ../../.env %}',
      '{% include_relative none.md %}',
      '{% include ../secret %}',
      '{% include {{ page.file }} %}',
      '{% raw %}a{% endraw %}{% exec id %}',
      '{% remote_include https://evil.example %}',
      '```\n{% plantuml %}\n```',
      '<script>evil()</script>',
    ],
  ],
  [
    'MkDocs',
    'a.md',
    [
      "{{ ''.__class__ }}",
      '{{ config }}',
      '```\n{{ env }}\n```',
      '{% include "/etc/passwd" %}',
      '{# {% raw %} #}{{ evil }}{# {% endraw %} #}',
      '--8<-- "../.env"',
      '--8<-- "/etc/passwd"',
      '--8<-- "https://evil.example/a.md"',
      '```\n--8<-- "mkdocs.yml"\n```',
      '--8<--\n../.env\n--8<--',
      '```python exec="on"\nevil()\n```',
      '<a href="javascript:evil()">a</a>',
      '[a](javascript:evil())',
    ],
  ],
  [
    'MkDocs with modules',
    'a.md',
    ['::: antigravity', '::: os.path\n    options:\n      force_inspection: true'],
  ],
  [
    'Antora',
    'a.adoc',
    [
      'include::/etc/passwd[]',
      'include::https://evil.example/a.adoc[]',
      'include::../../../../../.env[]',
      'include::{docdir}/../a[]',
      '----\ninclude::/etc/passwd[]\n----',
      'include::example$../../../.env[]',
      'plantuml::/etc/passwd[]',
      '[plantuml]\n----\n!include /etc/passwd\n----',
      '++++\n<script>evil()</script>\n++++',
      'pass:[<script>evil()</script>]',
      ':allow-uri-read:',
      'link:javascript:evil()[a]',
    ],
  ],
  [
    'mdBook',
    'a.md',
    [
      '{{#include ../../.env}}',
      '```rust\n{{#playground /etc/passwd}}\n```',
      '<!-- cmdrun id -->',
      '{{#rustdoc_include none.rs}}',
    ],
  ],
  [
    'Docsify',
    'a.md',
    ['<script>evil()</script>', '{{ evil() }}', "[a](https://evil.example/a.md ':include')"],
  ],
  ['Eleventy', 'a.md', ['{{ evil }}', '{% renderFile "/etc/passwd" %}', '```\n{{ evil }}\n```']],
  ['Hexo', 'a.md', ['{{ evil() }}', '{% include_code /etc/passwd %}']],
  ['Zola', 'a.md', ['{{ load(path="../../.env") }}', '{{ readfile(name="a") }}']],
  ['Pelican', 'a.rst', ['.. include:: /etc/passwd', '.. include:: /part.txt']],
  ['Pelican', 'a.md', ['{% include "/etc/passwd" %}']],
];

describe.each(refused)(
  'an agent adds to a page of %s, %s, nothing that runs or reads',
  (name, path, texts) => {
    test.each(texts)('%j', async (text) => {
      const { call, page } = await open(name);
      const { ok, output } = await call('write', {
        path: page(path),
        content: `# A\n\n${text}\n`.replace('# A\n\n---', '---'),
      });
      expect([ok, output]).toEqual([false, expect.stringMatching(/a build .*would run/)]);
    });
  },
);

test('front matter names no other engine for a page of Eleventy or Lume', async () => {
  const { call, page } = await open('Eleventy');
  for (const key of ['templateEngineOverride: ejs', 'templateEngine: [vto, md]']) {
    const content = `---\ntitle: a\n${key}\n---\n<%= process.env.A %>\n`;
    const { ok, output } = await call('write', { path: page('c.md'), content });
    expect([ok, output]).toEqual([false, expect.stringContaining('names one for the page')]);
  }
});

const taken: [Name, page: string, texts: string[]][] = [
  [
    'MkDocs',
    'd.md',
    [
      '[a](a.md) &amp; JavaScript&#58; text',
      '| javascript\n| script: a',
      'The `javascript:` scheme, (java)\nscript.',
    ],
  ],
  ['Sphinx', 'd.rst', ['Languages: JavaScript: yes.', '.. code-block:: javascript\n\n   a', '`a <b>`_']],
  ['Eleventy', 'd.md', ['---\npermalink: /a/b/\n---\n', '---\ntitle: see ../a\n---\n']],
  [
    'Antora',
    'd.adoc',
    ['ifdef::a[include::partial$b.adoc[]]', 'ifdef::a[Text.]', 'ifdef::a[]\nText.\nendif::[]'],
  ],
  ['Quarto', 'd.md', ['```{=html}\n<b>a</b>\n```', '`<br>`{=html}', '```html\n<script>\n```']],
  [
    'Doxygen',
    'd.md',
    ['\\image html a.png "A"', '@startuml\na -> b: hi\n@enduml', '\\dot\ndigraph { a }\n\\enddot'],
  ],
  [
    'Jupyter Book',
    'c.md',
    [
      '```{glue:figure} a\n```\n```js\n<script>\n```',
      '````{note}\n```html\n<script>\n```\n````',
      '````{code-block} md\n```{include} /etc/passwd\n```\n````',
      '{raw:html}`<br>`',
      '```{image} images/a.png\n:alt: A\n```',
    ],
  ],
  [
    'Sphinx',
    'c.rst',
    [
      '.. image:: ../images/logo.png\n   :alt: A',
      '.. image:: https://img.example/badge?a=b',
      '.. figure:: /_static/a b (1).svg',
      '.. image:: a.*',
      '.. |a| image:: a.png',
    ],
  ],
  ['Sphinx', 'c.md', ['![a](../a.png)', '![a](.gitbook/assets/a.png)', '[.env](../.env.example)']],
  ['Hexo', 'c.md', ['```ejs\n<%= a %>\n```', 'Use `<%= a %>`.']],
  [
    'Starlight',
    'c.mdoc',
    [
      '{% callout type="note" %}\nText.\n{% /callout %}',
      '{% partial file="part.mdoc" /%}',
      '{% if $a %}b{% /if %}',
    ],
  ],
  [
    'Docusaurus',
    'c.md',
    [
      '```bash title="go live now"\nrun\n```',
      '```js title="a.js" {1}\nlive()\n```',
      '![a](./img/a.png)',
      '![a](/img/a)',
    ],
  ],
  [
    'Mintlify',
    'c.mdx',
    ['---\ntitle: a\nopenapi: "GET /users/{id}"\n---\n', '---\nopenapi: docs.json GET /a\n---\n'],
  ],
  ['Fumadocs', 'c.md', ['<include>./part.md</include>', '<Callout>Text.</Callout>']],
  [
    'Quarto',
    'c.md',
    [
      '---\ntitle: "Filters: a guide"\nformat:\n  html:\n    toc: true\nexecute:\n  echo: false\n---\n',
      '---\ntitle: a\n---\n\n```yaml\nfilters:\n  - a.lua\n```',
    ],
  ],
  ['Zensical', 'c.md', ['Say {{ name }}.']],
  ['Rspress', 'c.md', ['```tsx file="./part.md"\n```', '```tsx title="file"\na\n```']],
  ['Nuxt Content', 'c.md', ['::alert{type="info"}\nText.\n::', 'A :badge[new] and {{ $doc.title }}.']],
  [
    'DocFX',
    'c.md',
    [
      '[!INCLUDE [a](part.md)]',
      '[!code-csharp[](~/code.cs#L1)]',
      '> [!NOTE]\n> Text.',
      '[!Video https://a.example/b]',
    ],
  ],
  [
    'GitBook',
    'c.md',
    [
      '{% hint style="info" %}\nText.\n{% endhint %}',
      '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n{% endtabs %}',
      '{% include "../.gitbook/includes/a.md" %}',
      '{% embed url="https://a.example" %}',
      '```yaml\na: {{ include "b" . }}\n```',
      '![](../.gitbook/assets/a.png)',
    ],
  ],
  ['Bridgetown', 'c.md', ['Text with `code`, 1 < 2 %.']],
  [
    'Middleman and Slate',
    'c.md',
    ['---\ntitle: a\nincludes:\n  - errors\nsearch: true\n---\n', 'Use `<%= a %>`.'],
  ],
  ['Lume', 'c.md', ['```ts\nconst a = { b: {} };\n```']],
  [
    'Doxygen',
    'c.md',
    [
      '# A {#a}',
      '\\include examples/a.cpp',
      'Mail a@include.example',
      '```scss\n@include a b;\n```',
      '\\ref a and @param b',
    ],
  ],
  [
    'Docusaurus',
    'a.md',
    [
      '# Start {#start}\n\nText with `{code}`.',
      '```js\nimport fs from "fs"\n```',
      '<br />',
      ':::note\nText.\n:::',
    ],
  ],
  ['Docusaurus with format detect', 'a.md', ['Say {name} here.']],
  ['Starlight', 'a.md', ['Say {name} here, and `<script>`.', '```html\n<script>\n</script>\n```']],
  [
    'VitePress',
    'a.md',
    [
      '```js\na = {{ b }}\n```',
      'Say `{{ a }}` and `<script setup>`.',
      '<<< ./a.ts',
      '<<< @/a.ts{1,2}',
      '<!--@include: ./part.md-->',
      '<Badge text="new" />',
    ],
  ],
  [
    'Sphinx',
    'a.rst',
    [
      '.. include:: part.rst',
      '.. include:: /part.txt',
      '.. include:: none.rst',
      '.. literalinclude:: code.py\n   :lines: 1',
      '.. note::\n\n   Text.',
      '.. py:function:: a(b)',
      '.. toctree::\n\n   part',
      '.. graphviz::\n\n   digraph { a -> b }',
      ':download:`a <code.py>`',
    ],
  ],
  [
    'Sphinx',
    'a.md',
    [
      '```{include} part.md\n```',
      '```{literalinclude} /code.py\n```',
      '```{note}\nText.\n```',
      '````md\n```{include} /etc/passwd\n```\n````',
    ],
  ],
  [
    'Hugo',
    'a.md',
    [
      '{{< ref "part.md" >}}',
      '{{< readfile "code.py" >}}',
      '{{% note %}}Text.{{% /note %}}',
      '{{</* readfile "/etc/passwd" */>}}',
      '{{< figure src="/a.png" >}}',
      '```yaml\na: {{ .Values.b }}\n```',
    ],
  ],
  [
    'Jekyll',
    'a.md',
    [
      '{% include note.html %}',
      '{% include_relative part.md %}',
      '{% raw %}{% exec id %}{% endraw %}',
      '{{ site.title }}',
      '{% link docs/part.md %}',
      '{% if a %}b{% endif %}',
    ],
  ],
  [
    'MkDocs',
    'a.md',
    ['--8<-- "docs/part.md"', '--8<-- "part.txt:1:2"', '{% raw %}{{ a }}{% endraw %}', '# A { #a }'],
  ],
  [
    'Antora',
    'a.adoc',
    ['include::part.adoc[]', 'include::code.py[]', 'include::partial$a.adoc[]', 'image::a.png[]'],
  ],
  ['mdBook', 'a.md', ['{{#include part.md}}', '{{#include code.rs:1:2}}', '\\{{#include /etc/passwd}}']],
  ['Zola', 'a.md', ['{{ note(text="a") }}', '{{/* load(path="/a") */}}']],
];

describe.each(taken)('an agent may add to a page of %s, %s,', (name, path, texts) => {
  test.each(texts)('%j', async (text) => {
    const { call, page } = await open(name);
    const content = `# A\n\n${text}\n`.replace('# A\n\n---', '---');
    expect(await call('write', { path: page(path), content })).toMatchObject({ ok: true });
  });
});

test('what a page had before may stay', async () => {
  const old = '# A\n\n.. automodule:: a.b\n\n.. include:: ../../x\n\nText.\n';
  const { call, page } = await open('Sphinx', { 'docs/old.rst': old });
  const path = page('old.rst');
  expect(await call('edit', { path, old: 'Text.', new: 'More.' })).toMatchObject({ ok: true });
  expect(await call('move', { from: path, to: page('sub/new.rst') })).toMatchObject({ ok: true });
  expect(await call('edit', { path: page('sub/new.rst'), old: 'a.b', new: 'a.c' })).toMatchObject({
    ok: false,
  });
});

test('a page that the agent made can be put into another, and one that it deleted cannot', async () => {
  const { call, page } = await open('Sphinx');
  await call('write', { path: page('made.rst'), content: 'Text.\n' });
  await call('delete', { path: page('part.txt') });
  await call('delete', { path: page('part.rst') });
  const include = (name: string) => call('write', { path: page('a.rst'), content: `.. include:: ${name}\n` });
  const inMarkdown = (name: string) =>
    call('write', { path: page('a.md'), content: `\`\`\`{include} ${name}\n\`\`\`\n` });
  expect(await inMarkdown('part.txt')).toMatchObject({ ok: false });
  await call('write', { path: page('part.txt'), content: 'Text.\n' });
  expect(await inMarkdown('part.txt')).toMatchObject({ ok: true });
  expect(await include('made.rst')).toMatchObject({ ok: true });
});

const inJobs: [Name, string, string][] = [
  ['Docusaurus', 'website/docs/a.md', "{require('child_process').execSync('id').toString()}"],
  ['VitePress', 'docs/a.md', '<script setup>\nimport fs from "fs"\n</script>'],
  ['Sphinx', 'docs/a.rst', '.. literalinclude:: /etc/passwd'],
  ['Hugo', 'content/a.md', '{{< readfile "/etc/passwd" >}}'],
  ['MkDocs', 'docs/a.md', '{{ config }}'],
  ['Antora', 'docs/modules/ROOT/pages/a.adoc', 'include::/etc/passwd[]'],
];

test.each(inJobs)('a job in a repository of %s delivers no such page', async (name, path, text) => {
  const { jobs, forge } = await startJobRun({ script: scripted, files: sites[name] });
  const { job } = await runScripted(jobs, [
    write(path, `${text}\n`),
    write(path.replace('/a.', '/b.'), 'Text.\n'),
  ]);
  const tools = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'tool');
  expect(String(tools[0]?.data.output)).toMatch(/a build .*would run/);
  const branch = String(job.branch);
  expect(await forge.git.read('ada/site', branch, path.replace('/a.', '/b.'))).toBe('Text.\n');
  await expect(forge.git.read('ada/site', branch, path)).rejects.toThrow();
  // What the first turn made does not make the second blind.
  await sendMessage(jobs, job.id, JSON.stringify([[edit(path.replace('/a.', '/b.'), 'Text.', text)]]));
  await finish(jobs, job.id);
  expect(await forge.git.read('ada/site', branch, path.replace('/a.', '/b.'))).toBe('Text.\n');
});
