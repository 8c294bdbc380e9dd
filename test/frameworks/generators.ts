import type { Framework } from './frameworks.ts';

const page = 'where-to-paste.md';
const markdown = (title: string, other: string) => `# ${title}\n\n[Go on](${other})\n`;

interface Generator extends Framework {
  /** What is installed otherwise than from the npm registry. */
  program?: string;
  /** Path of the second page, where it is not `/two`. */
  second?: string;
}

/** What makes sites of two pages that link to each other, with the script's line; that comes from docs/where-to-paste.md. */
export const generators: Generator[] = [
  {
    name: 'Docusaurus',
    heading: 'Docusaurus',
    page,
    packages: ['@docusaurus/core', '@docusaurus/preset-classic', 'react', 'react-dom'],
    versions: ['@docusaurus/core'],
    files: {
      // Its own code is not for packages that are modules.
      'package.json': '{"private": true}',
      'docs/index.md': `---\nslug: /\n---\n${markdown('One', './two.md')}`,
      'docs/two.md': markdown('Two', './index.md'),
    },
    prepare: [['docusaurus', 'build']],
    start: (port) => ['docusaurus', 'serve', '--port', port, '--no-open'],
    env: { DOCUSAURUS_NO_TELEMETRY: '1' },
  },
  {
    name: 'VitePress',
    heading: 'VitePress',
    page,
    packages: ['vitepress'],
    second: '/two.html',
    versions: ['vitepress'],
    files: { 'index.md': markdown('One', './two'), 'two.md': markdown('Two', './') },
    prepare: [['vitepress', 'build']],
    start: (port) => ['vitepress', 'preview', '--port', port],
  },
  {
    name: 'Astro Starlight',
    heading: 'Astro Starlight',
    page,
    packages: ['astro', '@astrojs/starlight', 'sharp'],
    versions: ['@astrojs/starlight'],
    files: {
      'src/content.config.ts':
        "import { docsLoader } from '@astrojs/starlight/loaders';\nimport { docsSchema } from '@astrojs/starlight/schema';\nimport { defineCollection } from 'astro:content';\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };\n",
      'src/content/docs/index.md': '---\ntitle: One\n---\n[Go on](/two/)\n',
      'src/content/docs/two.md': '---\ntitle: Two\n---\n[Go on](/)\n',
    },
    prepare: [['astro', 'build']],
    start: (port) => ['astro', 'preview', '--port', port],
    env: { ASTRO_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'Next.js',
    heading: 'Next.js',
    page,
    packages: ['next', 'react', 'react-dom', '@types/react'],
    versions: ['next'],
    files: {
      'app/page.tsx': `import Link from 'next/link';\nexport default function Page() {\n  return <Link href="/two">Go on</Link>;\n}\n`,
      'app/two/page.tsx': `import Link from 'next/link';\nexport default function Page() {\n  return <Link href="/">Go on</Link>;\n}\n`,
    },
    prepare: [['next', 'build']],
    start: (port) => ['next', 'start', '--port', port],
    env: { NEXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'MkDocs',
    heading: 'MkDocs',
    page,
    program: 'mkdocs',
    packages: [],
    versions: [],
    files: { 'docs/index.md': markdown('One', 'two.md'), 'docs/two.md': markdown('Two', 'index.md') },
    prepare: [['mkdocs', 'build']],
    start: (port) => ['mkdocs', 'serve', '--dev-addr', `localhost:${port}`],
  },
];
