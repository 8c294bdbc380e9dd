/** How a site is made with a framework, as the framework's own guide tells; what reports comes from docs/connect.md. */
export interface Framework {
  name: string;
  /** The section with its snippet. */
  heading: string;
  /** Of the docs; otherwise `connect.md`. */
  page?: string;
  /** From the npm registry. */
  packages: string[];
  /** Packages whose versions are told; the first is the framework. */
  versions: string[];
  /** Left out: those of strict TypeScript, with Node's types. */
  typescript?: object;
  files?: Record<string, string>;
  /** Run one after the other before it starts. */
  prepare: string[][];
  /** Left out by what runs on its platform alone. */
  start?(port: string): string[];
  env?: Record<string, string>;
}

const tsc = ['tsc', '--noEmit'];
const hello = '<h1>Hello</h1>';
/** A site is often built where its keys are not. */
const withoutKey = ['env', '-u', 'HEADCOUNT_KEY'];

/** Those of strict TypeScript. */
export const settings = (types: string[], more: object = {}) => ({
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types,
    ...more,
  },
});

/** @param version of the package `nitro`; @param folder the setting that names the folder of the server's code */
const nitroSite = (name: string, version: string, folder: string): Framework => ({
  name,
  heading: 'Nitro',
  packages: [`nitro@${version}`],
  versions: ['nitro'],
  typescript: settings(['node'], { exactOptionalPropertyTypes: true }),
  files: {
    'nitro.config.ts': `export default { ${folder}: './server' };\n`,
    'server/routes/index.ts': `import { defineHandler, html } from 'nitro/h3';\nexport default defineHandler(() => html('${hello}'));\n`,
  },
  prepare: [tsc, [...withoutKey, 'nitro', 'build']],
  start: () => ['node', '.output/server/index.mjs'],
});

/** Those that are one file which Node runs as it is. */
const nodeSite = (name: string, heading: string, packages: string[]): Framework => ({
  name,
  heading,
  packages,
  versions: [String(packages[0])],
  prepare: [tsc],
  start: () => ['node', 'site.ts'],
});

export const frameworks: Framework[] = [
  nodeSite('Express', 'Express and node:http', ['express', '@types/express']),
  nodeSite('Fastify', 'Fastify', ['fastify']),
  nodeSite('Koa', 'Koa', ['koa', '@types/koa']),
  nodeSite('Hono', 'Hono', ['hono', '@hono/node-server']),
  {
    name: 'Next.js',
    heading: 'Next.js',
    packages: ['next', 'react', 'react-dom', '@types/react'],
    versions: ['next'],
    typescript: settings(['node'], {
      jsx: 'preserve',
      lib: ['esnext', 'dom'],
      allowJs: true,
      incremental: true,
    }),
    files: {
      'app/layout.tsx':
        "import type { ReactNode } from 'react';\nexport default function Layout({ children }: { children: ReactNode }) {\n  return <html><body>{children}</body></html>;\n}\n",
      'app/page.tsx': 'export default function Page() {\n  return <h1>Hello</h1>;\n}\n',
    },
    prepare: [['next', 'build'], tsc],
    start: (port) => ['next', 'start', '--port', port],
    env: { NEXT_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'Nuxt',
    heading: 'Nuxt',
    packages: ['nuxt', 'vue', 'vue-router', 'vue-tsc'],
    versions: ['nuxt'],
    typescript: {
      files: [],
      references: ['app', 'server', 'shared', 'node'].map((name) => ({
        path: `./.nuxt/tsconfig.${name}.json`,
      })),
    },
    files: {
      'nuxt.config.ts':
        'export default defineNuxtConfig({ telemetry: false, typescript: { strict: true } });\n',
      'app/app.vue': `<template>${hello}</template>\n`,
    },
    prepare: [
      ['nuxt', 'prepare'],
      ['vue-tsc', '-b', '--noEmit'],
      ['nuxt', 'build'],
    ],
    start: () => ['node', '.output/server/index.mjs'],
  },
  nitroSite('Nitro', 'latest', 'srcDir'),
  // Beside the release there are previews, named after their day.
  nitroSite('Nitro, preview', '3.0.260903-beta', 'serverDir'),
  {
    name: 'Astro',
    heading: 'Astro',
    packages: ['astro', '@astrojs/node', '@astrojs/check'],
    versions: ['astro'],
    typescript: {
      extends: 'astro/tsconfigs/strict',
      include: ['.astro/types.d.ts', '**/*'],
      exclude: ['dist'],
    },
    files: {
      'astro.config.ts':
        "import node from '@astrojs/node';\nimport { defineConfig } from 'astro/config';\nexport default defineConfig({ output: 'server', adapter: node({ mode: 'standalone' }) });\n",
      'src/pages/index.astro': `${hello}\n`,
    },
    prepare: [
      ['astro', 'check'],
      ['astro', 'build'],
    ],
    start: () => ['node', 'dist/server/entry.mjs'],
    env: { ASTRO_TELEMETRY_DISABLED: '1' },
  },
  {
    name: 'SvelteKit',
    heading: 'SvelteKit',
    packages: [
      '@sveltejs/kit',
      '@sveltejs/adapter-node',
      '@sveltejs/vite-plugin-svelte',
      'svelte',
      'svelte-check',
      'vite',
    ],
    versions: ['@sveltejs/kit'],
    typescript: {
      extends: '$app/tsconfig',
      compilerOptions: { strict: true },
      include: ['src', '*'],
      exclude: ['src/service-worker'],
    },
    files: {
      'vite.config.ts':
        "import adapter from '@sveltejs/adapter-node';\nimport { sveltekit } from '@sveltejs/kit/vite';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] });\n",
      'src/app.html':
        '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
      'src/routes/+page.svelte': `${hello}\n`,
    },
    prepare: [
      ['svelte-kit', 'sync'],
      ['svelte-check', '--fail-on-warnings'],
      [...withoutKey, 'vite', 'build'],
    ],
    start: () => ['node', 'build'],
  },
  {
    name: 'Deno',
    heading: 'Deno',
    packages: ['deno'],
    versions: ['deno'],
    prepare: [['deno', 'check', 'site.ts']],
    start: () => ['deno', 'run', '--allow-net', '--allow-env', 'site.ts'],
  },
  {
    name: 'Bun',
    heading: 'Bun',
    packages: ['bun', '@types/bun'],
    versions: ['bun'],
    typescript: settings(['bun']),
    // npm may be set up to run no scripts.
    prepare: [['node', 'node_modules/bun/install.js'], tsc],
    start: () => ['bun', 'site.ts'],
  },
  {
    name: 'Cloudflare Workers',
    heading: 'Cloudflare Workers',
    packages: ['wrangler'],
    versions: ['wrangler', 'workerd'],
    typescript: settings(['./worker-configuration.d.ts'], { lib: ['esnext'] }),
    files: {
      'wrangler.jsonc': JSON.stringify({
        name: 'site',
        main: 'src/index.ts',
        compatibility_date: '2026-04-01',
        assets: { directory: './public', binding: 'ASSETS', run_worker_first: true },
      }),
      'public/index.html': hello,
      '.dev.vars': 'HEADCOUNT_KEY=%HEADCOUNT_KEY%\n',
    },
    prepare: [['wrangler', 'types'], tsc],
    start: (port) => ['wrangler', 'dev', '--local', '--port', port, '--show-interactive-dev-session=false'],
    env: { WRANGLER_SEND_METRICS: 'false' },
  },
  {
    name: 'Netlify edge functions',
    heading: 'Netlify edge functions',
    packages: ['@netlify/edge-functions'],
    versions: ['@netlify/edge-functions'],
    prepare: [tsc],
  },
  {
    name: 'Vercel without Next.js',
    heading: 'Vercel without Next.js',
    packages: ['@vercel/functions'],
    versions: ['@vercel/functions'],
    prepare: [tsc],
  },
];
