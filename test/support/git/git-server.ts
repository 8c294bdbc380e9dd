import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runGit, serveGit } from './git-backend.ts';

export { runGit } from './git-backend.ts';

/** What a file of a commit may be: text, bytes, either with a mode, or null to delete it. */
type SeedFile = string | Buffer | { mode: '100644' | '100755' | '120000' | '160000'; content: string } | null;
export type SeedFiles = Record<string, SeedFile>;

export interface SeedCommit {
  message?: string;
  author?: string;
  branch?: string;
}

export interface LoggedCommit {
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
  /** JSON that goes with the status. */
  body?: unknown;
  /** Lets git do its work, then drops the connection without an answer. */
  dropAfter?: boolean;
  /** Lets git do its work, then never answers. */
  hangAfter?: boolean;
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
  /** Lets in who has none of the above; the path is that of the request. */
  allows?: (secret: string | undefined, path: string) => boolean;
  /** Takes a request before git does; true: it was answered. */
  handle?: (req: IncomingMessage, res: ServerResponse) => Promise<boolean>;
  /** An existing port, so that a server can come back after it was closed. */
  port?: number;
  /** For its repositories, which may be there already. */
  root?: string;
}

/** Real git behind HTTP, as https://git-scm.com/docs/gitprotocol-http describes it. */
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
    const folder = this.pathOf(slug);
    const parts = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
    await Promise.all(parts.map((part) => mkdir(join(folder, part), { recursive: true })));
    await writeFile(join(folder, 'config'), configOf(format));
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    if (Object.keys(files).length > 0) await this.commit(slug, files);
    return this.urlOf(slug);
  }

  /** A repository with the same commits and branches, much faster than making them again. */
  async copyRepository(from: string, to: string): Promise<string> {
    await cp(this.pathOf(from), this.pathOf(to), { recursive: true });
    return this.urlOf(to);
  }

  /** Adds a commit to a branch, as a person with push rights would. @returns its hash */
  async commit(slug: string, files: SeedFiles, options: SeedCommit = {}): Promise<string> {
    const { branch = 'main', message = 'Change', author = 'Ada <ada@example.com>' } = options;
    const ref = `refs/heads/${branch}`;
    const refs = await this.refs(slug);
    // A new branch begins at the default one, if there is one yet.
    const from = [ref, 'refs/heads/main'].find((name) => refs[name]);
    this.#clock += 60;
    const who = `${author} ${this.#clock} +0000`;
    const head = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${block(Buffer.from(message))}`;
    const parts: Buffer[] = [Buffer.from(head), Buffer.from(from ? `from ${from}^0\n` : '')];
    for (const [path, file] of Object.entries(files)) parts.push(fileCommand(path, file));
    await this.git(slug, ['fast-import', '--quiet', '--force'], Buffer.concat(parts));
    return (await this.refs(slug))[ref] ?? '';
  }

  /** Read from git's files, as the code hosts ask for them hundreds of times. */
  async refs(slug: string): Promise<Record<string, string>> {
    const folder = this.pathOf(slug);
    const packed = await readFile(join(folder, 'packed-refs'), 'utf8').catch(() => '');
    const refs = [...packed.matchAll(/^([0-9a-f]+) (\S+)$/gm)].map(([, hash = '', name = '']) => [
      name,
      hash,
    ]);
    for (const entry of await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
      const path = join(entry.parentPath, entry.name);
      const hash = await readFile(path, 'utf8').catch(() => '');
      if (hash !== '') refs.push([relative(folder, path), hash.trim()]);
    }
    return Object.fromEntries(refs);
  }

  async read(slug: string, ref: string, path: string): Promise<string> {
    return await this.git(slug, ['cat-file', 'blob', `${ref}:${path}`]);
  }

  async files(slug: string, ref: string): Promise<string[]> {
    return linesOf(await this.git(slug, ['ls-tree', '-r', '--name-only', ref]));
  }

  async log(slug: string, ref: string): Promise<LoggedCommit[]> {
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
    await mkdir(join(this.pathOf(slug), 'hooks'), { recursive: true });
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
    if (fault?.status) return answerFault(res, fault.status, fault);
    if (fault?.dropAfter) {
      // What is written from here on goes nowhere.
      res.write = () => true;
      res.end = () => res.destroy();
      res.writeHead = () => res;
    }
    if (fault?.hangAfter) {
      res.write = () => true;
      res.end = () => res;
      res.writeHead = () => res;
    }
    if (await this.#options.handle?.(req, res)) return;
    if (!this.#isAllowed(req)) {
      return void res.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end('Wrong token.');
    }
    await serveGit(this.root, req, res);
  }

  #isAllowed(req: IncomingMessage): boolean {
    const { token, allows } = this.#options;
    const secret = secretOf(req);
    return (
      (token === undefined && !allows) ||
      (token !== undefined && secret === token) ||
      (allows?.(secret, req.url ?? '') ?? false)
    );
  }
}

/** Nothing is kept through a loss of power, and no programs are started to tidy up. */
function configOf(format: string): string {
  const core = `[core]\n\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}\n\tbare = true\n\tfsync = none\n`;
  const extensions = format === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${format}\n`;
  const tidying = '[receive]\n\tautogc = false\n[fastimport]\n\tunpackLimit = 0\n';
  return `${core}${extensions}${tidying}[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n`;
}

function answerFault(res: ServerResponse, status: number, { headers, body }: GitFault): void {
  const type = body === undefined ? 'text/plain' : 'application/json';
  const text = body === undefined ? 'A fault that a test asked for.' : JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': type, ...headers }).end(text);
}

/** The token of a Basic or Bearer header. */
export function secretOf(req: IncomingMessage): string | undefined {
  const [scheme = '', value = ''] = (req.headers.authorization ?? '').split(' ');
  if (/^(?:bearer|token)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  return Buffer.from(value, 'base64').toString().split(':').slice(1).join(':');
}

export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'headcount-git-')));
  return await listen(root, options);
}

/** Serves the repositories that an earlier server left with `stop`. */
async function listen(root: string, options: GitServerOptions): Promise<GitServer> {
  const server = createServer();
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  return new GitServer(root, server, options);
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
