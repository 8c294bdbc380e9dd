import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { threads } from '../../../rollup.config.mjs';

// Makes of the server and all it needs a few files, and of what records its answers another, for `build.mjs`. Tests start
// a thousand processes, and from sources each would look for as many files.
const bundle = await rolldown({
  cwd: resolve(import.meta.dirname, '../../..'),
  input: { main: 'server/main.ts', recorder: 'test/support/described/child.ts' },
  platform: 'node',
  // It looks for its machine code in its own folder, and pg for a package that nobody needs.
  external: ['better-sqlite3', 'pg-native'],
  plugins: [threads],
  onLog: (level, log, handle) => {
    if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
  },
});
await bundle.write({
  dir: String(process.argv[2]),
  cleanDir: true,
  // An ES module that imports one of Node's asks for all that it exports, and `node:http` exports parts of a client for
  // which Node loads 400 kilobytes of code.
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
});
await bundle.close();
