import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../log.ts';

/** Of the group and of everybody else. */
const others = 0o077;

/** Makes an empty file that its owner alone can read, if there is none. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Makes a folder that its owner alone can use, and those above it, if there is none. */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  // One by one: Node's `recursive` never ends where a folder above is there and takes none, as /proc.
  makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Takes a file that is there from everybody but its owner, and says so where it was not. */
export function keepPrivate(path: string, log: Log | undefined): void {
  const mode = modeOf(path);
  if (mode === undefined || (mode & others) === 0) return;
  const found = `${path} could be used by others (mode ${octal(mode)})`;
  try {
    chmodSync(path, 0o600);
    log?.warn(`${found}: it is its owner's alone now (mode 600).`);
  } catch (error) {
    log?.warn(`${found}, which cannot be changed: ${(error as Error).message}. Give it the mode 600.`);
  }
}

/** A folder is as its owner set it up, and others may be meant to come in: there is only a warning. */
export function warnOfOpenFolder(path: string, log: Log): void {
  const mode = modeOf(path);
  if (mode === undefined || (mode & others) === 0) return;
  log.warn(
    `Others can look into the data folder ${path} (mode ${octal(mode)}): unless you want that, "chmod 700 ${path}".`,
  );
}

/** Reads a file that holds a secret, and warns where others can read it, too. @throws Error of the file system */
export function readSecretFile(path: string, log: Log): string {
  const text = readFileSync(path, 'utf8');
  const { mode } = statSync(path);
  const isOpen = (mode & 0o170000) === 0o100000 && (mode & 0o044) !== 0;
  if (isOpen) {
    log.warn(
      `Others can read the file ${path} (mode ${octal(mode & 0o7777)}), which holds a secret: "chmod 600 ${path}".`,
    );
  }
  return text;
}

/** Undefined: there is nothing, or nothing that can be looked at. */
function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o7777;
  } catch {
    return undefined;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}
