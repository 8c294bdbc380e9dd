import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's `nginx` lies in a folder that only the administrator looks in. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** The path of a program, if it is installed. */
export function findProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
