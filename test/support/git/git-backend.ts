import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Launcher } from '../../../server/jobs/git/launcher/launcher.ts';
import type { ProgramCall } from '../../../server/jobs/git/launcher/program-run.ts';

/** A worker that runs tests is large, and starting git from it takes longer than what git does. */
const launcher = new Launcher();

const bounds = { maxBytes: 1024 ** 3, timeoutMs: 600_000 };

/** One request for `git http-backend`, as a CGI program (RFC 3875). */
export async function serveGit(root: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const protocol = String(req.headers['git-protocol'] ?? '');
  const input = await buffer(req);
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const env = {
    ...cleanEnvironment(),
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: protocol,
    HTTP_GIT_PROTOCOL: protocol,
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: req.method ?? 'GET',
    CONTENT_TYPE: req.headers['content-type'] ?? '',
    // The body goes on as it came: git unpacks it itself.
    HTTP_CONTENT_ENCODING: String(req.headers['content-encoding'] ?? ''),
    CONTENT_LENGTH: String(input.length),
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: 'git',
    GATEWAY_INTERFACE: 'CGI/1.1',
  };
  const ended = await launcher.run(git(root, ['http-backend'], input, env), gone.signal);
  if (ended.end !== 'exited') return void res.destroy();
  const answer = Buffer.from(ended.stdout);
  const end = answer.indexOf('\r\n\r\n');
  writeHead(res, answer.subarray(0, end).toString());
  res.end(answer.subarray(end + 4));
}

function git(
  cwd: string,
  args: string[],
  input: Buffer | string = '',
  env = cleanEnvironment(),
): ProgramCall {
  return { program: 'git', args, cwd, env, input, ...bounds };
}

function writeHead(res: ServerResponse, text: string): void {
  let status = 200;
  const headers: Record<string, string> = {};
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    if (/^status$/i.test(line.slice(0, colon))) status = Number.parseInt(value, 10);
    else headers[line.slice(0, colon)] = value;
  }
  res.writeHead(status, headers);
}

/** Without the settings of whoever runs the tests. */
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
  const ended = await launcher.run(git(cwd, args, input));
  if (ended.end === 'exited' && ended.code === 0) return Buffer.from(ended.stdout).toString();
  throw new Error(`git ${args.join(' ')}: ${ended.end === 'exited' ? ended.stderr : ended.end}`);
}
