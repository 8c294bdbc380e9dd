import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// What is built contains packages of others, whose authors ask for their licence to go with it.

const rule = `${'='.repeat(80)}\n`;
/** The whole text of this licence is the same for everybody. */
const standard = 'Apache-2.0';

const lead = `Headcount contains the packages that follow, or parts of them. Here are the notices that their authors ask for.

`;

/** The folders of the packages that these modules come from. */
export function packagesOf(modules: Iterable<string>): string[] {
  const folders = Array.from(modules, (path) =>
    // Written by the bundler itself.
    path.startsWith('\0rolldown/')
      ? join('node_modules', 'rolldown')
      : /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(path)?.[0],
  );
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/**
 * The licences of packages, each with its name, one after the other.
 *
 * @param before the same of other packages
 * @throws Error for a package that comes without one
 */
export function formatLicenses(folders: readonly string[], before = ''): string {
  const sections = new Set([...before.split(rule).slice(1), ...folders.map(describePackage)]);
  return (
    lead +
    [...sections]
      .sort()
      .map((section) => rule + section)
      .join('')
  );
}

/** Node's own and those of all that it is made of, from where it was installed. @throws Error */
export function nodeLicense(): string {
  const path = join(process.execPath, '..', '..', 'LICENSE');
  if (existsSync(path))
    return `${rule}Node.js ${process.version}\n\n${readFileSync(path, 'utf8').trim()}\n\n`;
  throw new Error(
    `The licence of Node is not at ${path}, and the one file may not go without it: build it with a Node from npm or from nodejs.org.`,
  );
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

function describePackage(folder: string): string {
  const {
    name,
    version,
    license = '',
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = [...textsIn(folder), ...textOfRepository(name)];
  if (texts.length === 0 && license !== standard) {
    throw new Error(`${name} comes without the text of its licence, in ${folder}.`);
  }
  const printed =
    texts.length > 0 ? texts : [`Under the licence ${standard}, which stands here in full elsewhere.`];
  return `${name} ${version} (${license})\n\n${printed.join('\n\n')}\n\n`;
}

/** For packages that leave it out, though their repository has it. */
function textOfRepository(name: string): string[] {
  const path = join(import.meta.dirname, 'licenses', `${name}.txt`);
  return existsSync(path) ? [readFileSync(path, 'utf8').trim()] : [];
}

function textsIn(folder: string): string[] {
  const names = readdirSync(folder);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  const texts = names.filter((name) => /^(\w+_)?(licen[cs]e|copying|notice)/i.test(name)).map(read);
  if (texts.length > 0) return texts;
  return names
    .filter((name) => /^readme/i.test(name))
    .flatMap((name) => /^#+ *licen[cs]e\s+([^#]*copyright[^#]*)/im.exec(read(name))?.[1]?.trim() ?? []);
}
