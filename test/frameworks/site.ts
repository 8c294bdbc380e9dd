import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { type Framework, settings } from './frameworks.ts';
import { noteRun, snippetsOf } from './snippets.ts';

const run = promisify(execFile);

/** A site in a folder of its own, with what its framework's own guide says to install and to write, and our snippet. */
export class FrameworkSite {
  readonly #framework: Framework;
  readonly #folder: string;
  readonly #env: Record<string, string | undefined>;
  #server: ChildProcess | undefined;
  output = '';

  private constructor(framework: Framework, folder: string, env: Record<string, string>) {
    this.#framework = framework;
    this.#folder = folder;
    const path = [join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH];
    // Settings of npm are in the home folder of whoever runs this; those of vitest are not for a site.
    const { VITEST: _, NODE_ENV: __, ...own } = process.env;
    this.#env = {
      ...own,
      PATH: path.join(delimiter),
      CI: '1',
      ...env,
    };
  }

  static async make(
    framework: Framework,
    server: string,
    env: Record<string, string>,
    projectId?: string,
  ): Promise<FrameworkSite> {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-framework-'));
    const site = new FrameworkSite(framework, folder, env);
    await site.#write({
      'package.json': JSON.stringify({ private: true, type: 'module' }),
      'tsconfig.json': JSON.stringify(framework.typescript ?? settings(['node'])),
      ...framework.files,
      ...snippetsOf(framework, server, projectId),
    });
    const packages = ['typescript@6', '@types/node@26', ...framework.packages, `${server}/connect.tgz`];
    await site.run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages);
    return site;
  }

  get folder(): string {
    return this.#folder;
  }

  async #write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.#folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text.replaceAll('%HEADCOUNT_KEY%', String(this.#env.HEADCOUNT_KEY)));
    }
  }

  async run(program: string, ...args: string[]): Promise<void> {
    try {
      await run(program, args, { cwd: this.#folder, env: this.#env, maxBuffer: 1e8 });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
    }
  }

  /** What npm installed, without what is in the name already. */
  async versions(): Promise<string> {
    const read = async (name: string) => {
      const manifest = await readFile(join(this.#folder, 'node_modules', name, 'package.json'), 'utf8');
      return JSON.parse(manifest).version as string;
    };
    const named = this.#framework.versions.map(async (name, index) =>
      index === 0 ? read(name) : `${name} ${await read(name)}`,
    );
    return (await Promise.all(named)).join(', ');
  }

  /** @returns its address, once it answers */
  async start(): Promise<string> {
    const port = await freePort();
    const [program = '', ...args] = this.#framework.start?.(String(port)) ?? [];
    const env = { ...this.#env, PORT: String(port), ...this.#framework.env };
    // In a group of its own, as many of them start others.
    const server = spawn(program, args, { cwd: this.#folder, env, detached: true });
    this.#server = server;
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    const url = `http://localhost:${port}`;
    for (let tries = 0; tries < 300; tries++) {
      // A request that nobody counts.
      if (await fetch(url, { method: 'OPTIONS' }).catch(() => undefined)) return url;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`The site did not start:\n${this.output}`);
  }

  async stop(): Promise<void> {
    const { pid, exitCode } = this.#server ?? {};
    if (pid === undefined || exitCode !== null) return;
    process.kill(-pid, 'SIGKILL');
    await new Promise((resolve) => this.#server?.once('close', resolve));
  }
}

/** Installed, checked and built; removed when the test is over. */
export async function makeSite(
  framework: Framework,
  server: string,
  { env = {}, projectId }: { env?: Record<string, string>; projectId?: string },
): Promise<FrameworkSite> {
  const site = await FrameworkSite.make(framework, server, env, projectId);
  onTestFinished(async () => {
    await site.stop();
    await rm(site.folder, { recursive: true });
  });
  for (const [program = '', ...args] of framework.prepare) await site.run(program, ...args);
  return site;
}

/** Where versions are to be noted, those that this site was run with. */
export async function note({ name, page }: Framework, site: FrameworkSite): Promise<void> {
  if (process.env.HEADCOUNT_NOTE_VERSIONS === '1') noteRun(name, await site.versions(), page);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
