import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request for `git http-backend`, as a CGI program (RFC 3875). */
export async function serveGit(root: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  const protocol = String(req.headers['git-protocol'] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
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
      ...(req.headers['content-length'] ? { CONTENT_LENGTH: req.headers['content-length'] } : {}),
      REMOTE_ADDR: '127.0.0.1',
      REMOTE_USER: 'git',
      GATEWAY_INTERFACE: 'CGI/1.1',
    },
  });
  child.stdin.on('error', () => undefined);
  req.pipe(child.stdin);
  res.on('close', () => child.kill());
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (!head) res.write(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      writeHead(res, head.subarray(0, end).toString());
      res.write(head.subarray(end + 4));
      head = undefined;
    }
  }
  res.end();
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
export function runGit(cwd: string, args: string[], input?: Buffer | string): Promise<string> {
  const child = spawn('git', args, { cwd, env: cleanEnvironment(), stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`git ${args.join(' ')}: ${Buffer.concat(err)}`));
    });
  });
}
