import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { bring } from './brought.ts';
import { findProgram } from './program.ts';

export interface Chromium {
  executablePath: string;
  env: Record<string, string | undefined>;
  /** Whether it keeps pages to come back to, which the packaged one, a shell without windows, does not. */
  hasBackForwardCache: boolean;
}

const shell = '@sparticuz/chromium';

/** The one named by CHROMIUM, or the one that is installed, or else a shell from the npm registry. */
export async function findChromium(): Promise<Chromium> {
  return findInstalled() ?? shellIn(await bringShell());
}

/**
 * For pages of ours, which need no tabs and no history: the one named by CHROMIUM, or the shell, which opens a page for a
 * quarter of the work, or the one that is installed where the shell cannot be had.
 */
export async function findShell(): Promise<Chromium> {
  if (process.env.CHROMIUM !== undefined) return findChromium();
  const installed = findInstalled();
  return installed ? bringShell().then(shellIn, () => installed) : shellIn(await bringShell());
}

function findInstalled(): Chromium | undefined {
  const installed = process.env.CHROMIUM ?? findProgram('chromium');
  return installed === undefined
    ? undefined
    : { executablePath: installed, env: process.env, hasBackForwardCache: true };
}

function shellIn(folder: string): Chromium {
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
    hasBackForwardCache: false,
  };
}

/** @throws Error on machines that it is not made for, and where it cannot be had */
async function bringShell(): Promise<string> {
  const instead = 'Install a Chromium, or name its program in CHROMIUM.';
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`There is no Chromium. ${instead}`);
  }
  return await bring(shell, { reason: 'tests of pages need a browser', instead, prepare: unpack });
}

/** What the package itself does, with three packages more: https://github.com/Sparticuz/chromium */
async function unpack(folder: string, later: string): Promise<void> {
  const inflate = async (name: string) =>
    await promisify(brotliDecompress)(await readFile(join(folder, 'bin', name)));
  const program = join(folder, 'chromium');
  await writeFile(program, await inflate('chromium.br'));
  await chmod(program, 0o755);
  for (const [name, target] of [
    ['al2023', 'al2023'],
    ['fonts', 'fonts'],
    ['swiftshader', '.'],
  ] as const) {
    const archive = join(folder, `${name}.tar`);
    await writeFile(archive, await inflate(`${name}.tar.br`));
    await mkdir(join(folder, target), { recursive: true });
    await promisify(execFile)('tar', ['-xf', archive, '-C', join(folder, target)]);
    await rm(archive);
  }
  await rm(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'fonts.conf'), fontSettings(later));
}

/** A machine may have neither fonts nor settings of them, without which no text can be shown. */
const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts', 'fonts')}</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
</fontconfig>
`;
