import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../log.ts';
import type { Terminal } from './command.ts';

const runningServer = z.object({ url: z.url() });

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'server.json');

/** Writes the address of the server for commands on this data folder, which do not know its settings. */
export function writeServerUrl(config: Config, url: string, log: Log): void {
  try {
    // The file of a killed server may belong to another user.
    rmSync(fileOf(config), { force: true });
    writeFileSync(fileOf(config), `${JSON.stringify({ url })}\n`, { mode: 0o600 });
  } catch (error) {
    log.warn(`Cannot write down the address of the server for commands: ${(error as Error).message}.`);
  }
}

export function removeServerUrl(config: Config): void {
  rmSync(fileOf(config), { force: true });
}

/** Address of the server that runs on the data folder; where none does, that of one with these settings. */
export async function findServerUrl({ config, isServed }: Terminal): Promise<string> {
  // A killed server leaves its file, but no lock.
  return ((await isServed()) && readServerUrl(config)) || config.baseUrl;
}

function readServerUrl(config: Config): string | undefined {
  try {
    return runningServer.parse(JSON.parse(readFileSync(fileOf(config), 'utf8'))).url;
  } catch {
    return undefined;
  }
}
