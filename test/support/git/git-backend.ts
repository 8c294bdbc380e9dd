import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Launcher } from '../../../server/jobs/git/launcher/launcher.ts';
import type { ProgramCall } from '../../../server/jobs/git/launcher/program-run.ts';

/** A worker that runs tests is large, and starting git from it takes longer than what git does. */
const launcher = new Launcher();

const bounds = { maxBytes: 1024 ** 3, timeoutMs: 600_000 };

/** One request to a repository, without `git http-backend`, which is two more programs for each. */
export async function serveGit(root: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
  const [, slug = '', what = ''] =
    /^\/(.+\.git)\/(info\/refs|git-(?:upload|receive)-pack)$/.exec(decodeURIComponent(pathname)) ?? [];
  const folder = join(root, slug);
  const settings = await readFile(join(folder, 'config'), 'utf8').catch(() => undefined);
  const service = what === 'info/refs' ? (searchParams.get('service') ?? '') : what;
  if (settings === undefined || !/^git-(?:upload|receive)-pack$/.test(service)) {
    return void res.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found');
  }
  const protocol = String(req.headers['git-protocol'] ?? '');
  const call = git(folder, [service.slice('git-'.length)], await bodyOf(req), protocol);
  if (what === 'info/refs') await advertise(call, settings, res);
  else await answer(call, res);
}

/**
 * What `upload-pack` says of itself in version 2 of the protocol, by the settings of a repository: they alone decide on it,
 * and it is asked for before all else.
 */
const abilities = new Map<string, Promise<Buffer>>();

async function advertise(call: ProgramCall, settings: string, res: ServerResponse): Promise<void> {
  const service = `git-${call.args[0]}`;
  const asked = () => outputOf({ ...call, args: [...call.args, '--http-backend-info-refs', '.'] });
  const isSame = service === 'git-upload-pack' && call.env.GIT_PROTOCOL === 'version=2';
  const output = (isSame && abilities.get(settings)) || asked();
  if (isSame) {
    abilities.set(settings, output);
    // What failed once may work the next time.
    output.catch(() => abilities.delete(settings));
  }
  const line = `# service=${service}\n`;
  const first = isSame ? '' : `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  const body = Buffer.concat([Buffer.from(first), await output]);
  res.writeHead(200, headersOf(`${service}-advertisement`)).end(body);
}

async function answer(call: ProgramCall, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const args = [...call.args, '--stateless-rpc', '.'];
  const ended = await launcher.run({ ...call, args }, gone.signal);
  if (ended.end !== 'exited') return void res.destroy();
  res.writeHead(200, headersOf(`git-${call.args[0]}-result`)).end(ended.stdout);
}

const headersOf = (type: string) => ({
  'Content-Type': `application/x-${type}`,
  'Cache-Control': 'no-cache',
});

async function outputOf(call: ProgramCall): Promise<Buffer> {
  const ended = await launcher.run(call);
  if (ended.end === 'exited' && ended.code === 0) return Buffer.from(ended.stdout);
  throw new Error(`git ${call.args.join(' ')}: ${ended.end === 'exited' ? ended.stderr : ended.end}`);
}

/** Git packs what is long. */
async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const body = await buffer(req);
  return req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

function git(cwd: string, args: string[], input: Buffer | string = '', protocol = ''): ProgramCall {
  const env = { ...cleanEnvironment(), GIT_PROTOCOL: protocol };
  return { program: 'git', args, cwd, env, input, ...bounds };
}

/** Without the settings of the user who runs the tests. */
function cleanEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C',
  };
}

/** Plain git, for tests to look at and prepare repositories with. @throws Error with what git said */
export async function runGit(cwd: string, args: string[], input?: Buffer | string): Promise<string> {
  return (await outputOf(git(cwd, args, input))).toString();
}
