/** A small site in the layout of each framework, with what pages of it usually hold. */
export const docsSites = {
  mintlify: {
    'docs.json': `${JSON.stringify(
      {
        name: 'Docs',
        navigation: {
          tabs: [
            {
              tab: 'Docs',
              groups: [
                {
                  group: 'Guides',
                  pages: [
                    'index',
                    'guides/start',
                    { group: 'API', root: 'api/keys', pages: ['api/keys', 'GET /users'] },
                  ],
                },
              ],
            },
          ],
        },
        redirects: [{ source: '/begin/:slug*', destination: '/guides/start' }],
      },
      null,
      2,
    )}\n`,
    'index.mdx':
      '---\ntitle: Welcome\n---\n\nSee [start](/guides/start), [keys](api/keys) and [what was](/begin/here).\n',
    'guides/start.mdx':
      '---\ntitle: Start\ndescription: "How to: start"\n---\n\nimport { Foo } from "/snippets/foo.mdx";\n\n<Steps>\n  <Step title="Get a key">\n    See [keys](../api/keys).\n  </Step>\n</Steps>\n\n[Back to the step](#get-a-key)\n',
    'api/keys.mdx':
      '---\ntitle: Keys\n---\n\n## Rotating keys\n\n```js\nconst a = b[0](c);\n// [not](a-link)\n```\n\n<ParamField body="key" type="string">\n  The `key`, see [rotating](#rotating-keys), [it](#param-key), [start](/guides/start#get-a-key).\n</ParamField>\n\n{/* [gone](/gone) */}\n\n| a | b |\n| - | - |\n| `a` | <br /> |\n',
    'snippets/foo.mdx': 'Some [text](./guides/start).\n',
    'images/plan.png': 'not a real image',
  },
  docusaurus: {
    'package.json': '{"name": "root"}\n',
    'website/docusaurus.config.ts':
      "export default {\n  title: 'Docs',\n  baseUrl: '/',\n  presets: [['classic', { docs: { path: 'docs', routeBasePath: 'docs' } }]],\n};\n",
    'website/sidebars.js': "module.exports = { docs: ['intro', 'guides/deploy', 'api', 'more/topics'] };\n",
    'website/docs/intro.md':
      '---\nslug: /welcome\n---\n\n# Intro {#start}\n\n[Roll back](./guides/deploy.md#roll-back)\n[Deploy](/docs/guides/deploy)\n[API](api.md)\n[Topics](/docs/more/topics)\n[Here](#start)\n[Blog](/blog)\n\n<!-- A comment with a [link](/gone). -->\n',
    'website/docs/guides/deploy.md':
      '# Deploy\n\n## Roll back\n\n[Intro](/docs/welcome), ![A plan](/img/plan.png), [the same](@site/docs/api.md)\n\n:::note\n\n[API](../api.md#get-apikeys)\n\n:::\n',
    'website/docs/api.md': '# API\n\n## `GET /api/keys`\n\n[up](./intro.md)\n',
    'website/docs/more/01-topics.md': '# Topics\n\n[Next](../api.md) and [again](../guides/deploy)\n',
    'website/blog/2026-11-23-hello.md': '# Hello\n\n[Docs](/docs/welcome)\n',
    'website/static/img/plan.png': 'not a real image',
  },
  'Docusaurus beside its pages': {
    'website/docusaurus.config.js':
      "module.exports = { baseUrl: '/', presets: [['classic', { docs: { path: '../docs' } }]] };\n",
    'website/sidebars.js': "module.exports = { docs: ['intro', 'api'] };\n",
    'docs/intro.md': '# Intro\n\n[API](api.md), [the same](/docs/api), [again](@site/../docs/api.md)\n',
    'docs/api.md': '# API\n\n[Up](/docs/intro)\n',
  },
  'MkDocs beside its pages': {
    'tools/mkdocs.yml': 'site_name: Docs\ndocs_dir: ../docs\nnav:\n  - index.md\n  - use.md\n',
    'docs/index.md': '# Home\n\n[Use](use.md)\n',
    'docs/use.md': '# Use\n',
  },
  starlight: {
    'astro.config.mjs':
      "import starlight from '@astrojs/starlight';\nexport default { integrations: [starlight({ title: 'Docs', sidebar: [{ slug: 'guides/first-steps' }] })] };\n",
    'src/content/docs/index.mdx':
      '---\ntitle: Home\nhero:\n  actions:\n    - text: Start\n      link: /guides/first-steps/\n---\n\nimport { Card } from "@astrojs/starlight/components";\n\n<Card title="Begin">[Begin](/guides/first-steps/#what-you-need)</Card>\n',
    'src/content/docs/guides/First Steps.md':
      '---\ntitle: First steps\n---\n\n## What you need\n\n### The `<Card>` component\n\n[It](#the-card-component)\n\n![A plan](../../../assets/plan.png)\n\n[Home](/), [home](../../)\n\n:::tip\nSee [this](#what-you-need).\n:::\n\nA <10ms wait is fine in Markdown.\n',
    'src/content/docs/fr/index.mdx': '---\ntitle: Accueil\n---\n\n[Pas traduit](/fr/guides/first-steps/)\n',
    'src/assets/plan.png': 'not a real image',
  },
  mkdocs: {
    'mkdocs.yml':
      'site_name: Docs\nsite_url: https://example.com/handbook/\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\nnav:\n  - Home: index.md\n  - setup.md\n  - API: api/index.md\n',
    'docs/index.md':
      '# Home\n\n[Set up](setup.md), [API](api/index.md#keys--tokens), [site](https://example.com)\n',
    'docs/setup.md':
      '# Set up\n\n!!! note\n    See [API](api/index.md).\n\n    ```sh\n    run {{ it }}\n    ```\n\n![A plan](img/plan.png){ width=300 } <img src="../img/plan.png">\n\n[Home](.)\n',
    'docs/api/index.md':
      '# API\n\n## Keys & tokens { #keys--tokens }\n\n[Set up](../setup.md)\n\n<a name="old"></a>\n[old](#old)\n',
    'docs/img/plan.png': 'not a real image',
  },
  vitepress: {
    'docs/.vitepress/config.mts':
      "export default { base: '/lib/', themeConfig: { sidebar: [{ text: 'Guide', link: '/guide/' }] } };\n",
    'docs/index.md':
      '---\nlayout: home\n---\n\n[Guide](/guide/), [API](./api#Options), [guide](./guide/index.md)\n',
    'docs/guide/index.md':
      '# Guide\n\n<script setup>\nimport X from "./X.vue"\n</script>\n\n{{ 1 + 1 }} ![Logo](/logo.png)\n\n[API](../api.html)\n',
    'docs/api.md':
      '# API\n\n## Options <Badge text="new" />\n\n::: details More\n[Guide](/guide/#guide)\n:::\n',
    'docs/public/logo.png': 'not a real image',
  },
  sphinx: {
    'docs/conf.py': "project = 'Docs'\nextensions = ['myst_parser']\n",
    'docs/index.rst':
      'Docs\n====\n\n.. toctree::\n   :maxdepth: 2\n\n   usage\n   Settings <settings>\nSee :doc:`usage` and :doc:`the settings <settings>`.\n',
    'docs/usage.rst': 'Usage\n=====\n\n.. image:: img/plan.png\n\n`Index <index.html>`_\n',
    'docs/settings.md': '# Settings\n\n[Usage](usage.rst), [index](index)\n',
    'docs/img/plan.png': 'not a real image',
  },
  hugo: {
    'hugo.toml': 'baseURL = "https://example.com/"\ntitle = "Docs"\n',
    'content/_index.md':
      '+++\ntitle = "Home"\n+++\n\n[Guide]({{< ref "guide" >}}), [guide](/guide/), [API](/reference/api/)\n',
    'content/guide/index.md':
      '---\ntitle: Guide\naliases: [/old-guide/]\n---\n\n![A plan](plan.png) ![Logo](/logo.png)\n\n[API](../reference/api) {{% note %}}[old](/old-guide/){{% /note %}}\n',
    'content/guide/plan.png': 'not a real image',
    'content/reference/API.en.md': '---\ntitle: API\n---\n\n[Guide](/guide/)\n',
    'static/logo.png': 'not a real image',
  },
  nextra: {
    'next.config.mjs': "import nextra from 'nextra';\nexport default nextra({})({});\n",
    'content/_meta.json':
      '{"index": "Home", "guide": "Guide", "---": {"type": "separator"}, "out": {"href": "https://example.com"}}\n',
    'content/index.mdx': '# Home\n\n[Guide](/guide), [deep](./guide/deep#a-b), [deep](/guide/deep.mdx)\n',
    'content/guide/index.mdx': '# Guide\n\n[Home](../), ![Logo](/logo.png)\n',
    'content/guide/deep.mdx': '# Deep\n\n## A & B\n\n[Guide](.)\n',
    'public/logo.png': 'not a real image',
  },
  'plain Markdown': {
    'README.md':
      '# Tool\n\n[Docs](docs/), [use](docs/use.md#run-it), [licence](LICENSE), ![Logo](./logo.png)\n',
    LICENSE: 'MIT\n',
    'docs/use.md':
      '# Use\n\n## Run it\n\n[Up](../README.md), [again](#run-it), [code](/src/main.ts)\n\n```md\n    ```\n    [not](a-link)\n```\n',
    'src/main.ts': 'export {};\n',
    'logo.png': 'not a real image',
  },
} satisfies Record<string, Record<string, string>>;
