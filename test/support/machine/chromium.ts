import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './program.ts';

export interface Chromium {
  executablePath: string;
  env: Record<string, string | undefined>;
  /** Whether it keeps pages to come back to, which the packaged one, a shell without windows, does not. */
  hasBackForwardCache: boolean;
}

const packageFolder = join(import.meta.dirname, '..', '..', '..', 'node_modules', '@sparticuz', 'chromium');
/** Goes with the version it is of. */
const folder = join(packageFolder, 'unpacked');

/** The one named by CHROMIUM, or the one that is installed, or else the one that `npm ci` brought. */
export async function findChromium(): Promise<Chromium> {
  const installed = findInstalled() ?? (await findPackaged());
  if (installed) return installed;
  throw new Error('There is no Chromium: install one, and name its program in CHROMIUM.');
}

/**
 * For pages of ours, which need no tabs and no history: the one named by CHROMIUM, or the one that `npm ci` brought, which
 * opens a page for a quarter of the work.
 */
export async function findShell(): Promise<Chromium> {
  if (process.env.CHROMIUM !== undefined) return findChromium();
  return (await findPackaged()) ?? findChromium();
}

function findInstalled(): Chromium | undefined {
  const installed = process.env.CHROMIUM ?? findProgram('chromium');
  return installed === undefined
    ? undefined
    : { executablePath: installed, env: process.env, hasBackForwardCache: true };
}

/** Undefined on machines that it is not made for. */
async function findPackaged(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  if (!existsSync(folder)) await unpack();
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

/** Before the tests, whose time limits are not made for it. */
export async function setup(): Promise<void> {
  await findShell();
  await findChromium();
}

/** Beside others that may be at it too: the first to be ready wins. */
async function unpack(): Promise<void> {
  const fresh = await mkdtemp(`${folder}-`);
  try {
    // The variable has it unpack the libraries too: https://github.com/Sparticuz/chromium/blob/master/source/helper.ts
    const env = { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };
    const script = "await (await import('@sparticuz/chromium')).default.executablePath()";
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: packageFolder,
      env,
    });
    await writeFile(join(fresh, 'fonts.conf'), fontSettings);
    await rename(fresh, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** A machine may have neither fonts nor settings of them, without which no text can be shown. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts', 'fonts')}</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
</fontconfig>
`;
