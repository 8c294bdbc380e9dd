import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Names the folder for what one test file makes and others of the run go on with; without it each makes its own. */
export const folderVariable = 'TEST_KEPT_FOLDER';

/** For the run that this process is. */
export const keptFolder = join(tmpdir(), `headcount-kept-${process.pid}`);

export function setup(): () => void {
  const folder = process.env[folderVariable] as string;
  mkdirSync(folder, { recursive: true });
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * The folder of this name, which the first process makes while others wait.
 *
 * @param make fills the folder that it is given
 */
export async function keptOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(String(process.env[folderVariable]), name);
  const begun = `${folder}-begun`;
  while (!existsSync(folder)) {
    const isFirst = await mkdir(begun).then(
      () => true,
      () => false,
    );
    if (!isFirst) await pause(100);
    // It may have been made between the two looks.
    else if (existsSync(folder)) await rm(begun, { recursive: true });
    else await makeIn(begun, folder, make);
  }
  return folder;
}

/** After a failure the next one tries anew. */
async function makeIn(begun: string, folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  try {
    await make(begun);
    await rename(begun, folder);
  } catch (error) {
    await rm(begun, { recursive: true, force: true });
    throw error;
  }
}
