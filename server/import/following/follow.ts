import { setTimeout as pause } from 'node:timers/promises';
import { rulesVersion } from '../../identity/rule-versions.ts';
import { ImportResult } from '../import-result.ts';
import { type ImportOptions, type ImportSession, startSession } from '../import-session.ts';
import { Changed } from '../importer.ts';
import { FollowedLog } from './followed-log.ts';

/** How often to look for new lines: they count within two seconds. */
const tickMs = 250;
const sealMs = 60_000;

/**
 * Imports logs as they are written, until the signal; unfinished lines are left to the next time.
 *
 * @param onCaughtUp called once, when all earlier lines are counted
 */
export async function followLogs(
  paths: readonly string[],
  options: ImportOptions,
  onCaughtUp: () => void,
): Promise<ImportResult> {
  const total = new ImportResult();
  let isBehind = true;
  const onTick = () => {
    if (isBehind) onCaughtUp();
    isBehind = false;
  };
  while (!options.signal.aborted) {
    const session = await startSession(options, total);
    const files = paths.map((path) => new FollowedLog(path, session));
    try {
      await follow(files, session, onTick);
    } catch (error) {
      // What was not committed is read again.
      if (!(error instanceof Changed)) throw error;
    } finally {
      for (const file of files) file.close();
    }
  }
  return total;
}

async function follow(
  files: readonly FollowedLog[],
  { importer, options }: ImportSession,
  onTick: () => void,
): Promise<void> {
  // Other rules classify every sender anew, and days note their version.
  const rules = rulesVersion;
  for (const file of files) await file.catchUp();
  let sealedAt = options.now();
  do {
    for (const file of files) await file.tick();
    await importer.commit();
    onTick();
    if (options.now() - sealedAt >= sealMs) {
      sealedAt = options.now();
      await options.sealDueDays();
    }
    await pause(tickMs, undefined, { signal: options.signal }).catch(() => undefined);
  } while (!options.signal.aborted && rules === rulesVersion);
  for (const file of files) await file.tick();
  await importer.commit();
}
