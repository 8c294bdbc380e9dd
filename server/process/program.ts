import { basename, dirname, join, relative } from 'node:path';
import { isSea } from 'node:sea';
import manifest from '../../package.json' with { type: 'json' };

export const version = manifest.version;

/** How a process was started, as far as that decides what to type. */
export interface Started {
  /** The program's name as it was typed, and its script. */
  argv: readonly [typed: string, script?: string | undefined];
  isBinary: boolean;
  folder: string;
  /** What npm says about the process: https://docs.npmjs.com/cli/using-npm/scripts#environment */
  env: Readonly<Record<string, string | undefined>>;
}

/** What the reader of a message types before the name of a command, by how this process was started. */
export function programOf({ argv: [typed, script = ''], isBinary, folder, env }: Started): string {
  if (isBinary) return typed;
  if (basename(script) === 'headcount.js') {
    const isScript = ['headcount', 'start'].includes(env.npm_lifecycle_event ?? '');
    if (!isScript) return `node ${nearest(folder, script)}`;
    const root = dirname(script);
    const elsewhere = relative(root, folder).startsWith('..') ? ` --prefix '${root}'` : '';
    return `npm${elsewhere} run -s headcount --`;
  }
  return script.endsWith(join('node_modules', '.bin', 'headcount')) ? 'npx headcount' : 'headcount';
}

function nearest(folder: string, script: string): string {
  const path = relative(folder, script);
  return path.startsWith('..') ? script : path;
}

/** As fixed as the process itself. */
export const program = programOf({
  argv: [process.argv0, process.argv[1]],
  isBinary: isSea(),
  folder: process.cwd(),
  env: process.env,
});

/** As strangers may read it, for whom the folder that it lies in is nothing. */
export const programForStrangers = program.replace(/ --prefix '.*'/, '').replace(/^(node )?.*\//, '$1');
