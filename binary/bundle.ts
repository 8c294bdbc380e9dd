import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

const home = join(import.meta.dirname, '..');

/** The package looks for its machine code beside itself. */
const ownAddon: Plugin = {
  name: 'own-addon',
  load: (id) =>
    id.endsWith('better-sqlite3/lib/binding.js')
      ? `export { getBinding } from ${JSON.stringify(join(home, 'binary/addon.ts'))};`
      : null,
};

export interface Bundle {
  /** For `loader.cjs`, by name. */
  scripts: Map<string, string>;
  /** The files that they were made of. */
  modules: string[];
}

/** The server and all it needs. What is imported when it is needed stays a part by itself. */
export async function bundleServer(): Promise<Bundle> {
  const bundle = await rolldown({
    cwd: home,
    // Besides the server, what its threads and processes run: `server/process/` asks for them so.
    input: {
      main: 'server/main.ts',
      worker: 'server/store/sqlite/thread/worker.ts',
      check: 'server/jobs/site/check/worker.ts',
      launcher: 'server/jobs/git/launcher/launcher-process.ts',
    },
    platform: 'node',
    plugins: [ownAddon],
    // Some packages have empty texts where a directive could be.
    onLog: (level, log, handle) => {
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
    },
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    // Functions keep their names, for the log.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
  });
  await bundle.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  return {
    scripts: new Map(chunks.map(({ fileName, code }) => [fileName, toScript(code)])),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

/** A function that `loader.cjs` calls. */
function toScript(code: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${toOneByte(code)}\n})`;
}

/** V8 keeps text of one byte a character in half the room. Regular expressions and texts may have all others escaped. */
function toOneByte(code: string): string {
  return code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
