import { dirname, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

// Makes of the server and all it needs a few files, for `build.mjs`. Tests start a thousand processes, and from sources
// each would look for as many files.

/** What a thread or a process runs is a file of its own. */
const parts: Plugin = {
  name: 'parts',
  transform: {
    filter: { id: /\/server\// },
    handler(code, id) {
      return code.replace(/new URL\('(\.[\w/-]+\.ts)', import\.meta\.url\)/g, (_all, file: string) => {
        const part = this.emitFile({ type: 'chunk', id: resolve(dirname(id), file) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${part})`;
      });
    },
  },
};

const bundle = await rolldown({
  cwd: resolve(import.meta.dirname, '../../..'),
  input: 'server/main.ts',
  platform: 'node',
  // It looks for its machine code beside itself, and pg for a package that nobody needs.
  external: ['better-sqlite3', 'pg-native'],
  plugins: [parts],
  onLog: (level, log, tell) => {
    if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
  },
});
await bundle.write({ dir: String(process.argv[2]), cleanDir: true });
await bundle.close();
