import { globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { leaveOut } from './left-out.ts';

/** Sets the clock of processes that are started with `env`, also while they run. */
export interface FakeClock {
  env: Record<string, string>;
  /** Goes on from this moment. */
  set(time: string): void;
  /** So many seconds ahead of what was set last. */
  shift(seconds: number): void;
}

const libraries = ['/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib/faketime/libfaketime.so.1'];

/** By libfaketime (https://github.com/wolfcw/libfaketime), of which Debian's package is called faketime. */
export function fakeClock(context: TestContext): FakeClock {
  const [library] = libraries.flatMap((pattern) => globSync(pattern));
  if (library === undefined) leaveOut(context, 'libfaketime is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'headcount-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'offset');
  let base = 0;
  const write = (seconds: number) => {
    // Whole at any moment, as it is read all the time.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds.toFixed(3)}\n`);
    renameSync(`${file}.new`, file);
  };
  write(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    set: (time) => {
      base = (Date.parse(time) - Date.now()) / 1000;
      write(base);
    },
    shift: (seconds) => write(base + seconds),
  };
}
