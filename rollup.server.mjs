import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stripTypes } from './rollup.plugins.mjs';

const folder = 'dist/server';

const json = {
  name: 'json',
  transform: (code, id) =>
    id.endsWith('.json')
      ? { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(code)))});`, map: null }
      : null,
};

/** What a thread runs is a file of its own. */
const threads = {
  name: 'threads',
  transform(code, id) {
    const translated = code.replace(/new URL\('(\.[\w/-]+\.ts)', import\.meta\.url\)/g, (_all, file) => {
      const reference = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file) });
      return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
    });
    return { code: translated, map: null };
  },
};

/** Files of earlier builds have other names. */
const clean = { name: 'clean', buildStart: () => rmSync(folder, { recursive: true, force: true }) };

/** The server and the command line as JavaScript, as Node takes no TypeScript from below `node_modules`. */
export default {
  input: { main: 'server/main.ts' },
  // Packages come with npm.
  external: (id) => !/^[./]/.test(id),
  plugins: [stripTypes, json, threads, clean],
  output: { dir: folder, format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
};
