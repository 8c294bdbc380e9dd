import { readShipped } from '../files/shipped.ts';
import type { Command, Terminal } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';

const files = ['LICENSE', 'dist/THIRD-PARTY-LICENSES'];

async function run(args: string[], { print }: Terminal): Promise<void> {
  readOptions(args, {});
  // Only packages that were bundled are in it.
  for (const file of files) print(`${readShipped(file)?.toString().trim() ?? ''}\n\n`);
}

export const licensesCommand: Command = {
  help: `Usage: headcount licenses

Prints the licence of Headcount, and those of the packages that are bundled with it. Packages that npm installs have
theirs in their folders.
`,
  run,
};
