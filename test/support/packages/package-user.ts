import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseTarGzip } from 'nanotar';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

/** How TypeScript may look for a package: `module`, `type` of the package that asks, `moduleResolution`. */
export const resolutions: readonly (readonly [module: string, type: string, resolution: string])[] = [
  ['nodenext', 'module', 'nodenext'],
  ['nodenext', 'commonjs', 'nodenext'],
  ['node16', 'commonjs', 'node16'],
  ['esnext', 'module', 'bundler'],
];

/** A folder of somebody who installs a package that a Headcount serves at this address. */
export async function makePackageUser(address: string) {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-package-user-'));
  const cache = await mkdtemp(join(tmpdir(), 'headcount-package-cache-'));
  await writeFile(join(folder, 'package.json'), '{"private": true}');
  const readJson = async (...path: string[]) => JSON.parse(await readFile(join(folder, ...path), 'utf8'));

  /** With a cache of its own and no way to a registry. */
  const npm = (...command: string[]) => {
    const options = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', cache];
    return run('npm', [...command, ...options, '--registry', 'http://127.0.0.1:9'], { cwd: folder });
  };

  return {
    install: () => npm('install', address),
    installAgain: () => npm('ci'),
    dependencies: async () => (await readJson('package.json')).dependencies,
    /** Whatever npm has put here. */
    installed: async () => Object.keys((await readJson('node_modules', '.package-lock.json')).packages),
    manifestOf: (name: string) => readJson('node_modules', name, 'package.json'),

    async tarball() {
      const response = await fetch(address);
      const bytes = Buffer.from(await response.arrayBuffer());
      const names = (await parseTarGzip(bytes)).map(({ name }) => name.replace('package/', ''));
      return { response, bytes, names: names.sort() };
    },

    /** What a script prints. */
    async runScript(name: string, text: string): Promise<string> {
      await writeFile(join(folder, name), text);
      return (await run(process.execPath, [name], { cwd: folder })).stdout;
    },

    /** What the compiler says to texts, each of which is a file of its own: `0.ts`, `1.ts`. */
    async compile(
      texts: string[],
      [module, type, resolution]: (typeof resolutions)[number],
    ): Promise<string> {
      const typed = await mkdtemp(join(folder, 'typed-'));
      await cp(join(folder, 'node_modules'), join(typed, 'node_modules'), { recursive: true });
      await symlink(join(root, 'node_modules', '@types'), join(typed, 'node_modules', '@types'));
      await writeFile(join(typed, 'package.json'), JSON.stringify({ type }));
      const files = texts.map((_, index) => `${index}.ts`);
      await Promise.all(texts.map((text, index) => writeFile(join(typed, `${index}.ts`), text)));
      const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--types', 'node'];
      const kinds = ['--module', module, '--moduleResolution', resolution];
      const compiler = join(root, 'node_modules', '.bin', 'tsc');
      return run(compiler, [...strict, ...kinds, ...files], { cwd: typed }).then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout as string,
      );
    },

    async remove() {
      for (const made of [folder, cache]) await rm(made, { recursive: true });
    },
  };
}

export type PackageUser = Awaited<ReturnType<typeof makePackageUser>>;
