import { rmSync } from 'node:fs';
import { stripTypes, threads } from './rollup.plugins.mjs';

const folder = 'dist/server';

const json = {
  name: 'json',
  transform: (code, id) =>
    id.endsWith('.json')
      ? { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(code)))});`, map: null }
      : null,
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
