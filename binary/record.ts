import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runServer, type Served, useServer } from './short-life.ts';

const recorder = join(import.meta.dirname, 'recorder.cjs');
/** Longer than the recorder waits between two times. */
const settleMs = 600;

/**
 * Runs a server out of a folder of assets, as the one file will, and answers what V8 made of its scripts, those that every
 * server runs first: a start that finds the functions it needs already compiled is faster.
 *
 * @param flags of V8, which only takes what it made with the same
 */
export async function recordCaches(assets: string, flags: string[]): Promise<Map<string, Buffer>> {
  const loader = join(assets, 'binary/loader.cjs');
  const plain = readFileSync(loader);
  writeFileSync(loader, `{${readFileSync(recorder, 'utf8')}}\n${plain}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'headcount-binary-'));
  const caches = mkdtempSync(join(tmpdir(), 'headcount-caches-'));
  try {
    const env = { ASSETS: assets, CACHES: caches, HEADCOUNT_DATA_DIR: dataDir };
    await runServer([...flags, loader], env, useSlowly);
    return readCaches(caches);
  } finally {
    for (const folder of [dataDir, caches]) rmSync(folder, { recursive: true, force: true });
    writeFileSync(loader, plain);
  }
}

/** What several threads load is kept as the first has it. */
function readCaches(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  // The threads' numbers come before `others`.
  for (const kind of readdirSync(folder).sort()) {
    for (const name of readdirSync(join(folder, kind)).sort()) {
      if (!found.has(name) && !name.endsWith('.new')) found.set(name, readFileSync(join(folder, kind, name)));
    }
  }
  return found;
}

async function useSlowly(served: Served): Promise<void> {
  await pause(settleMs);
  await useServer(served);
  await pause(settleMs);
}
