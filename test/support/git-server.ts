import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a file of a commit may be: text, bytes, either with a mode, or null to delete it. */
export type SeedFile =
  | string
  | Buffer
  | { mode: '100644' | '100755' | '120000' | '160000'; content: string }
  | null;
export type SeedFiles = Record<string, SeedFile>;

export interface SeedCommit {
  message?: string;
  author?: string;
  branch?: string;
}

export interface LogEntry {
  hash: string;
  parents: string[];
  author: string;
  email: string;
  message: string;
}

/** Something to go wrong, once, for the first request whose "METHOD /path?query" matches. */
export interface GitFault {
  on: RegExp;
  /** Answers with this status instead of asking git. */
  status?: number;
  headers?: Record<string, string>;
  /** Lets git do its work, then drops the connection without an answer. */
  dropAfter?: boolean;
  /** Drops the connection at once. */
  drop?: boolean;
  /** Never answers. */
  hang?: boolean;
  /** Runs before git sees the request. */
  before?: () => Promise<unknown>;
}

export interface GitServerOptions {
  /** Without it in the Authorization header, every request is answered with 401. */
  token?: string;
  /** Takes a request before git does; true: it was answered. */
  handle?: (req: IncomingMessage, res: ServerResponse) => Promise<boolean>;
  /** An existing port, so that a server can come back after it was closed. */
  port?: number;
}

/** Real git behind HTTP: `git http-backend` as a CGI program, as https://git-scm.com/docs/git-http-backend describes it. */
export class GitServer {
  readonly root: string;
  readonly faults: GitFault[] = [];
  /** Every request as "METHOD /path?query". */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #options: GitServerOptions;
  #clock = 1_700_000_000;

  constructor(root: string, server: Server, options: GitServerOptions) {
    this.root = root;
    this.#server = server;
    this.#options = options;
    server.on('request', (req, res) => {
      this.#serve(req, res).catch(() => res.destroy());
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  urlOf(slug: string): string {
    return `${this.origin}/${slug}.git`;
  }

  pathOf(slug: string): string {
    return join(this.root, `${slug}.git`);
  }

  /** Makes a bare repository, with one commit on `main` unless there are no files. */
  async createRepository(slug: string, files: SeedFiles = {}, format = 'sha1'): Promise<string> {
    const init = ['init', '--quiet', '--bare', '--initial-branch=main', `--object-format=${format}`];
    await runGit(this.root, [...init, this.pathOf(slug)]);
    for (const key of ['http.receivepack', 'uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant']) {
      await this.git(slug, ['config', key, 'true']);
    }
    if (Object.keys(files).length > 0) await this.commit(slug, files);
    return this.urlOf(slug);
  }

  /** Adds a commit to a branch, as a person with push rights would. @returns its hash */
  async commit(slug: string, files: SeedFiles, options: SeedCommit = {}): Promise<string> {
    const { branch = 'main', message = 'Change', author = 'Ada <ada@example.com>' } = options;
    const ref = `refs/heads/${branch}`;
    const known = (await this.refs(slug))[ref];
    this.#clock += 60;
    const who = `${author} ${this.#clock} +0000`;
    const head = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${block(Buffer.from(message))}`;
    const parts: Buffer[] = [Buffer.from(head), Buffer.from(known ? `from ${ref}^0\n` : '')];
    for (const [path, file] of Object.entries(files)) parts.push(fileCommand(path, file));
    await this.git(slug, ['fast-import', '--quiet', '--force'], Buffer.concat(parts));
    return (await this.refs(slug))[ref] ?? '';
  }

  async refs(slug: string): Promise<Record<string, string>> {
    const text = await this.git(slug, ['for-each-ref', '--format=%(refname) %(objectname)']);
    return Object.fromEntries(linesOf(text).map((line) => line.split(' ') as [string, string]));
  }

  async read(slug: string, ref: string, path: string): Promise<string> {
    return await this.git(slug, ['cat-file', 'blob', `${ref}:${path}`]);
  }

  async files(slug: string, ref: string): Promise<string[]> {
    return linesOf(await this.git(slug, ['ls-tree', '-r', '--name-only', ref]));
  }

  async log(slug: string, ref: string): Promise<LogEntry[]> {
    const text = await this.git(slug, ['log', '-z', '--format=%H%n%P%n%an%n%ae%n%B', ref]);
    return text
      .split('\0')
      .filter((record) => record !== '')
      .map((record) => {
        const [hash = '', parents = '', author = '', email = '', ...message] = record.split('\n');
        return {
          hash,
          parents: parents.split(' ').filter(Boolean),
          author,
          email,
          message: message.join('\n').trim(),
        };
      });
  }

  /** A hook of the server, such as `pre-receive`. */
  async addHook(slug: string, name: string, script: string): Promise<void> {
    await writeFile(join(this.pathOf(slug), 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Runs git on the bare repository itself. @returns its output, untrimmed */
  async git(slug: string, args: string[], input?: Buffer | string): Promise<string> {
    return await runGit(this.pathOf(slug), args, input);
  }

  /** Ends the server and removes its repositories. */
  async close(): Promise<void> {
    await this.stop();
    await rm(this.root, { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = `${req.method} ${req.url}`;
    this.requests.push(request);
    const at = this.faults.findIndex(({ on }) => on.test(request));
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1);
    await fault?.before?.();
    if (fault?.hang) return;
    if (fault?.drop) return void req.socket.destroy();
    if (fault?.status)
      return void res.writeHead(fault.status, fault.headers ?? {}).end('A fault that a test asked for.');
    if (fault?.dropAfter) {
      // What is written from here on goes nowhere.
      res.write = () => true;
      res.end = () => res.destroy();
      res.writeHead = () => res;
    }
    if (await this.#options.handle?.(req, res)) return;
    if (!this.#isAllowed(req)) {
      return void res.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end('Wrong token.');
    }
    await serveGit(this.root, req, res);
  }

  #isAllowed(req: IncomingMessage): boolean {
    const { token } = this.#options;
    return token === undefined || secretOf(req) === token;
  }
}

/** The token of a Basic or Bearer header. */
export function secretOf(req: IncomingMessage): string | undefined {
  const [scheme = '', value = ''] = (req.headers.authorization ?? '').split(' ');
  if (/^(?:bearer|token)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
}

export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'headcount-git-'));
  return await listen(root, options);
}

/** Serves the repositories that an earlier server left with `stop`. */
export async function listen(root: string, options: GitServerOptions): Promise<GitServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return new GitServer(root, server, options);
}

async function serveGit(root: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
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

function fileCommand(path: string, file: SeedFile): Buffer {
  if (file === null) return Buffer.from(`D ${quotePath(path)}\n`);
  const plain = typeof file === 'string' || Buffer.isBuffer(file);
  const mode = plain ? '100644' : file.mode;
  const content = Buffer.from(plain ? file : file.content);
  if (mode === '160000') return Buffer.from(`M 160000 ${content} ${quotePath(path)}\n`);
  return Buffer.concat([Buffer.from(`M ${mode} inline ${quotePath(path)}\n`), block(content)]);
}

function block(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}

function quotePath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
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
