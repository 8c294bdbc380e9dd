// Builds what browsers and sites load; with --package also the server that `npm pack` packs, with --bundled the one that
// tests start, with --binary the one file, and with flags of Node the compile cache of a server that runs with them. Each
// only when it was not done yet for what is there now.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(import.meta.dirname);
const stampFolder = 'node_modules/.cache/done';

/** What is installed: package-lock.json may already ask for something else. */
const installed = 'node_modules/.package-lock.json';

/** What a server serves. */
const shipped = [
  'dist/client.tgz',
  'dist/connect.tgz',
  'dist/dashboard',
  'dist/hc.js',
  'dist/hc-debug.js',
  'dist/hc-events.js',
  'dist/THIRD-PARTY-LICENSES',
];

/** What addresses are in which country. */
const countries = 'dist/countries.bin';

const binary = `dist/headcount-${process.platform}-${process.arch}`;

/** A path that is not there has no files. */
function listFiles(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [path] : [];
  return readdirSync(path).flatMap((name) => listFiles(join(path, name)));
}

function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(listFiles).sort()) {
    const content = readFileSync(path);
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function readStamp(stamp) {
  return statSync(stamp, { throwIfNoEntry: false }) && readFileSync(stamp, 'utf8');
}

/** Runs Node, unless it ran the same before, from the same sources, and what it made is still there. */
function runOnce(name, args, { sources, made = [], cache }) {
  const stamp = join(stampFolder, name);
  const command = [process.version, cache, ...args].join(' ');
  const before = `${command}\n${fingerprint(sources)}\n`;
  if (readStamp(stamp) === before + fingerprint(made)) return;
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(stamp, before + fingerprint(made));
}

const rollup = 'node_modules/rollup/dist/bin/rollup';

function bundle(name, config, { sources, made }) {
  runOnce(name, [rollup, '--config', config, '--silent'], {
    sources: [...sources, config, 'rollup.plugins.mjs', installed],
    made,
  });
}

// What was built goes on without what it was built with: `npm ci --omit=dev`.
const canBuild = existsSync(rollup);
if (!canBuild && !existsSync('dist/hc.js')) {
  process.stderr.write(
    'Nothing has been built yet, and what builds is not installed: run "npm ci && npm run build" first, then "npm ci --omit=dev".\n',
  );
  process.exit(1);
}

const args = process.argv.slice(2);
const flags = args.filter((arg) => !['--package', '--bundled', '--binary'].includes(arg));
try {
  if (canBuild) {
    bundle('build', 'rollup.config.mjs', {
      sources: [
        ...['client', 'connect', 'dashboard', 'shared', 'tracker', 'LICENSE'],
        ...['rollup.connect.mjs', 'rollup.dashboard.mjs', 'binary/licenses.ts'],
      ],
      made: ['dist/client', 'dist/connect', 'dist/headcount.js', ...shipped],
    });
    const places = 'server/counting/places';
    runOnce('countries', [`${places}/write-country-table.ts`, countries], {
      sources: [places, 'server/net/address.ts', installed],
      made: [countries],
    });
  }
  if (canBuild && args.includes('--package')) {
    bundle('package', 'rollup.server.mjs', { sources: ['server', 'shared'], made: ['dist/server'] });
  }
  if (canBuild && args.includes('--bundled')) {
    const folder = 'dist/bundled';
    const script = 'test/support/machine/bundle-server.mjs';
    runOnce('bundled', [script, folder], {
      sources: [script, 'rollup.plugins.mjs', 'server', 'shared', installed],
      made: [folder],
    });
  }
  if (flags.length > 0) {
    runOnce('warm-up', [...flags, 'headcount.js', 'warm-up'], {
      sources: ['server', 'shared', 'headcount.js', 'package.json', installed],
      cache: process.env.NODE_COMPILE_CACHE,
    });
  }
  if (args.includes('--binary')) {
    runOnce('binary', ['binary/build.ts', binary], {
      sources: ['binary', 'server', 'shared', ...shipped, countries, 'LICENSE', 'package.json', installed],
      made: [binary],
    });
    process.stdout.write(`${binary}\n`);
  }
} catch (error) {
  // It has said why.
  process.exitCode = error.status ?? 1;
  if (error.status === undefined) throw error;
}
