import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { bundleServer } from './bundle.ts';
import { formatLicenses, nodeLicense, packagesOf } from './licenses.ts';
import { recordCaches } from './record.ts';

// Makes the one file: Node, and as assets of it (https://nodejs.org/api/single-executable-applications.html) the bundled
// server, what V8 made of it, SQLite's machine code, and whatever else the server reads.

const home = join(import.meta.dirname, '..');
const { platform, arch } = process;
/** What `npm start` runs Node with. */
const flags = manifest.config.flags.split(' ');
/** At first those of the dashboard alone. */
const licenses = 'dist/THIRD-PARTY-LICENSES';

process.chdir(home);
mkdirSync('node_modules/.cache', { recursive: true });
/** Of this build alone, as two may run at once. */
const work = mkdtempSync(join(home, 'node_modules/.cache/binary-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const folder = join(work, 'assets');
const { scripts, modules } = await bundleServer();
writeParts(new Map());
for (const file of shippedFiles()) writeAsset(file, readFileSync(file));
writeAsset(
  licenses,
  Buffer.from(formatLicenses(packagesOf(modules), readFileSync(licenses, 'utf8') + nodeLicense())),
);
const addon = readFileSync(`node_modules/better-sqlite3/prebuilds/${platform}-${arch}.node`);
writeAsset(`addon/${createHash('sha256').update(addon).digest('hex')}.node`, addon);
writeParts(await recordCaches(folder, flags));
buildExecutable(String(process.argv[2]));

function writeAsset(name: string, content: Buffer): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** The scripts and what V8 made of them, for `loader.cjs`. Side by side lie those that every start reads. */
function writeParts(caches: Map<string, Buffer>): void {
  const pieces: Buffer[] = [];
  let end = 0;
  const add = (piece: Buffer) => {
    pieces.push(piece);
    end += piece.length;
    return [end - piece.length, piece.length];
  };
  const names = new Set([...caches.keys(), ...scripts.keys()]);
  const places = Array.from(names, (name) => {
    const code = add(Buffer.from(String(scripts.get(name)), 'latin1'));
    return [name, { code, cache: add(caches.get(name) ?? Buffer.alloc(0)) }];
  });
  writeAsset('parts', Buffer.concat(pieces));
  writeAsset('parts.json', Buffer.from(JSON.stringify(Object.fromEntries(places))));
}

/** What `readShipped` is asked for. */
function shippedFiles(): string[] {
  const files = listFiles([
    'dist/{client.tgz,connect.tgz,countries.bin,hc{,-debug,-events}.js,dashboard/**,docs/**}',
    'server/store/{sqlite,postgres}/{migrations,functions}/*.sql',
    'binary/loader.cjs',
    'LICENSE',
  ]);
  return files.filter((file) => !file.startsWith('dist/headcount-'));
}

function listFiles(pattern: string[], cwd = '.'): string[] {
  const entries = globSync(pattern, { cwd, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => relative(cwd, join(entry.parentPath, entry.name)));
}

function buildExecutable(output: string): void {
  const config = join(work, 'config.json');
  const built = join(work, 'built');
  const settings = {
    main: 'binary/loader.cjs',
    output: built,
    disableExperimentalSEAWarning: true,
    execArgv: flags,
    assets: Object.fromEntries(listFiles(['**'], folder).map((name) => [name, join(folder, name)])),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  // macOS runs no program without a signature.
  if (platform === 'darwin') execFileSync('codesign', ['--sign', '-', built]);
  // Written at once, a file lies in Linux's memory in such large pieces that a process that runs it has twice as much of it.
  const copy = `${output}.${process.pid}.new`;
  copyFileSync(built, copy);
  renameSync(copy, output);
}
