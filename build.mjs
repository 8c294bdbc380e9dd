// Builds what browsers and sites load; with --package also the server that `npm pack` packs, with --bundled the one that
// tests start, with --binary the one file, and with --warm-up the compile cache of the server that `npm start` starts.
// Each only when it was not done yet for what is there now, and what is due at the same time.
import './own-node.js';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

process.chdir(import.meta.dirname);
const stampFolder = 'node_modules/.cache/done';

/** What is installed: package-lock.json may already ask for something else. */
const installed = 'node_modules/.package-lock.json';

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

const stampOf = (name) => join(stampFolder, name);

function readStamp(name) {
  return existsSync(stampOf(name)) && readFileSync(stampOf(name), 'utf8');
}

/** What Node is run with, on which sources, and what that makes. */
function describe({ args, cache, sources, made }) {
  return `${[process.version, cache, ...args].join(' ')}\n${fingerprint(sources)}\n${fingerprint(made)}`;
}

/** @returns the exit code */
function run(task) {
  return new Promise((resolve, reject) => {
    // Some list what they wrote; what goes wrong is on the other stream.
    const child = spawn(process.execPath, task.args, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('error', reject).on('close', (code) => {
      if (code === 0) writeFileSync(stampOf(task.name), describe(task));
      resolve(code ?? 1);
    });
  });
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Does those that are due. It ends the process where one fails, which has said why. */
async function build(...tasks) {
  const due = tasks
    .filter((task) => readStamp(task.name) !== describe(task))
    // What makes nothing makes a start faster, and no more.
    .filter(({ made }) => made.length > 0 || isWritable(stampFolder));
  if (due.length === 0) return;
  const closed = ['dist', stampFolder].find((folder) => !isWritable(folder));
  if (closed !== undefined) {
    refuse(
      `There is something to build, and the folder ${join(process.cwd(), closed)} cannot be written to: run "npm run build" as the user whose folder it is.`,
    );
  }
  const isFirst = due.every(({ name }) => readStamp(name) === false);
  const reason = isFirst ? 'the first time only' : 'as something has changed';
  process.stderr.write(`Building ${due.map(({ label }) => label).join(', ')} (${reason}) …\n`);
  const codes = await Promise.all(due.map(run));
  if (codes.some((code) => code !== 0)) process.exit(Math.max(...codes));
}

const rollup = 'node_modules/rollup/dist/bin/rollup';

// What was built goes on without what it was built with: `npm ci --omit=dev`.
const canBuild = existsSync(rollup);
if (!canBuild && !existsSync('dist/hc.js')) {
  refuse(
    'Nothing has been built yet, and what builds is not installed: run "npm ci && npm run build" first, then "npm ci --omit=dev".',
  );
}
// Their machine code is in optional packages, one for each kind of machine.
const hasMachineCode = (scope) =>
  readdirSync(`node_modules/${scope}`).some((name) => name.includes(process.platform));
if (canBuild && !['@rollup', '@rolldown'].every(hasMachineCode)) {
  refuse('npm has left out what builds: run "npm ci" without --omit=optional.');
}

const { config } = JSON.parse(readFileSync('package.json', 'utf8'));
const places = 'server/counting/places';
const bundler = 'test/support/machine/bundle-server.mjs';

const clientTypes = {
  name: 'client-types',
  label: 'the types of the client',
  args: ['server/description/write-client-types.ts'],
  sources: ['server', 'shared', installed],
  made: ['client/operations.d.cts'],
};
const scripts = {
  name: 'build',
  label: 'the script and the packages for sites',
  args: [rollup, '--config', 'rollup.config.mjs', '--silent'],
  sources: [...['client', 'connect', 'shared', 'tracker', 'LICENSE'], ...['rollup.config.mjs', installed]],
  made: [
    ...['dist/client', 'dist/client.tgz', 'dist/connect', 'dist/connect.tgz', 'dist/headcount.js'],
    ...['dist/hc.js', 'dist/hc-debug.js', 'dist/hc-events.js'],
  ],
};
const dashboard = {
  name: 'dashboard',
  label: 'the dashboard',
  args: ['rolldown.dashboard.mjs'],
  sources: [
    'dashboard',
    'shared',
    'tsconfig.json',
    'rolldown.dashboard.mjs',
    'binary/licenses.ts',
    installed,
  ],
  made: ['dist/dashboard', 'dist/THIRD-PARTY-LICENSES'],
};
const docs = {
  name: 'docs',
  label: 'the documentation',
  args: ['node_modules/@11ty/eleventy/cmd.cjs', '--config=site/eleventy.config.js', '--quiet'],
  sources: [
    // Without the pictures of all views.
    ...listFiles('docs').filter((file) => /^docs.[^/]+\.(?:md|png)$/.test(file)),
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'LICENSE'],
    ...['bench/README.md', 'client/README.md', 'connect/README.md', 'package.json'],
    ...['site', 'server', 'shared', 'dashboard/style/1-tokens.css', 'dashboard/icon.svg', installed],
  ],
  made: ['dist/docs'],
};
const countryTable = {
  name: 'countries',
  label: 'the table of countries',
  args: [`${places}/write-country-table.ts`, countries],
  sources: [places, 'server/net/address.ts', installed],
  made: [countries],
};
const serverPackage = {
  name: 'package',
  label: 'the server',
  args: [rollup, '--config', 'rollup.config.mjs', '--configServer', '--silent'],
  sources: ['server', 'shared', 'rollup.config.mjs', installed],
  made: ['dist/server'],
};
const bundled = {
  name: 'bundled',
  label: 'the server for tests',
  args: [bundler, 'dist/bundled'],
  sources: [bundler, 'rollup.config.mjs', 'server', 'shared', 'test/support/described', installed],
  made: ['dist/bundled'],
};
const warmUp = {
  name: 'warm-up',
  label: 'the compile cache',
  args: [...config.flags.split(' '), 'headcount.js', 'warm-up'],
  cache: process.env.NODE_COMPILE_CACHE,
  sources: ['server', 'shared', 'headcount.js', 'package.json', installed],
  made: [],
};
const oneFile = {
  name: 'binary',
  label: 'the one file',
  args: ['binary/build.ts', binary],
  sources: [
    ...['binary', 'server', 'shared', ...scripts.made, ...dashboard.made, ...docs.made, countries],
    ...['LICENSE', 'package.json', installed],
  ],
  made: [binary],
};

const asked = new Set(process.argv.slice(2));
// The package of the client has them.
if (canBuild) await build(clientTypes);
await build(
  ...(canBuild ? [dashboard, scripts, countryTable, docs] : []),
  ...(canBuild && asked.has('--package') ? [serverPackage] : []),
  ...(canBuild && asked.has('--bundled') ? [bundled] : []),
  ...(asked.has('--warm-up') ? [warmUp] : []),
);
if (asked.has('--package')) mkdirSync('dist/made-by-npm-run-build', { recursive: true });
if (asked.has('--binary')) {
  await build(oneFile);
  process.stdout.write(`${binary}\n`);
}
