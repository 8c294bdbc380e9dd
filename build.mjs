// Builds what browsers and sites load, and with flags of Node fills the compile cache of a server that runs with them:
// each only when it was not done yet for what is there now.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(import.meta.dirname);
const stampFolder = 'node_modules/.cache/done';

/** What is installed: package-lock.json may already ask for something else. */
const installed = 'node_modules/.package-lock.json';

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
function runOnce(name, args, { sources, made = [] }) {
  const stamp = join(stampFolder, name);
  const command = [process.version, process.env.NODE_COMPILE_CACHE, ...args].join(' ');
  const before = `${command}\n${fingerprint(sources)}\n`;
  if (readStamp(stamp) === before + fingerprint(made)) return;
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(stamp, before + fingerprint(made));
}

const flags = process.argv.slice(2);
try {
  runOnce('build', ['node_modules/rollup/dist/bin/rollup', '--config', '--silent'], {
    sources: [
      'connect',
      'dashboard',
      'shared',
      'tracker',
      'rollup.config.mjs',
      'rollup.dashboard.mjs',
      installed,
    ],
    made: ['dist'],
  });
  if (flags.length > 0) {
    runOnce('warm-up', [...flags, 'headcount.js', 'warm-up'], {
      sources: ['server', 'shared', 'headcount.js', 'package.json', installed],
    });
  }
} catch (error) {
  // It has said why.
  process.exitCode = error.status ?? 1;
  if (error.status === undefined) throw error;
}
