import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  globSync,
  openSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../machine/free-port.ts';
import { findPostgres } from './postgres-programs.ts';

export const user = 'headcount';
export const password = 'p4ss word';
const nobody = 65534;
const startMs = 60_000;

/** For one that a standby is to follow, which has all that it acknowledges. */
export const followed = [
  'wal_level=replica',
  'max_wal_senders=5',
  'wal_keep_size=1GB',
  "synchronous_standby_names='*'",
];

/** Fast, and lost with the power: for tests that do not kill it. */
export const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const settings = [
  ...[
    'max_connections=300',
    'shared_buffers=64MB',
    'max_wal_size=4GB',
    'wal_level=minimal',
    'max_wal_senders=0',
  ],
  ...["unix_socket_directories=''", 'autovacuum_naptime=10min', 'log_min_messages=fatal'],
];

/** PostgreSQL refuses to run as root. */
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** A PostgreSQL of its own in a folder, on a free port of the loopback. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  readonly #programs: string;
  #process: ChildProcess | undefined;

  /**
   * Undefined: this machine has none.
   *
   * @param given settings beyond the usual, such as `fsync=off`
   * @param made further arguments of `initdb`
   */
  static async start(
    folder: string,
    given: readonly string[] = [],
    made: readonly string[] = [],
  ): Promise<PostgresServer | undefined> {
    const programs = await findPostgres(folder);
    if (programs === undefined) return undefined;
    giveAway(folder);
    const server = new PostgresServer(folder, await freePort(), programs);
    server.#make(given, made);
    await server.start();
    return server;
  }

  /** A copy of another, which is stopped meanwhile, that follows it until it is promoted. */
  static async startStandby(folder: string, primary: PostgresServer): Promise<PostgresServer> {
    const standby = new PostgresServer(folder, await freePort(), primary.#programs);
    await primary.end('SIGINT');
    cpSync(primary.#data, standby.#data, { recursive: true });
    await primary.start();
    // It has no standby of its own that it would wait for.
    const lines = [`primary_conninfo='${primary.urlOf('postgres')}'`, "synchronous_standby_names=''"];
    appendFileSync(join(standby.#data, 'postgresql.conf'), `\n${lines.join('\n')}\nport=${standby.port}\n`);
    writeFileSync(join(standby.#data, 'standby.signal'), '');
    giveAway(folder);
    await standby.start();
    return standby;
  }

  private constructor(folder: string, port: number, programs: string) {
    this.folder = folder;
    this.port = port;
    this.#programs = programs;
  }

  /** 0: it does not run. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  urlOf(database: string): string {
    return urlOf(this.port, database);
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const latestAt = performance.now() + startMs;
    this.#process = this.#spawn();
    while (!this.#isReady()) {
      const hasEnded = this.#process.exitCode !== null;
      const log = hasEnded ? readFileSync(join(this.folder, 'log'), 'utf8') : '';
      // A connection that began while the one before was killed may be a moment behind it.
      const isEarly = log.trimEnd().split('\n').slice(-2).join().includes('is still in use');
      if (performance.now() > latestAt || (hasEnded && !isEarly)) {
        throw new Error(`PostgreSQL did not start: ${readFileSync(join(this.folder, 'log'), 'utf8')}`);
      }
      await pause(10);
      if (hasEnded) this.#process = this.#spawn();
    }
  }

  #spawn(): ChildProcess {
    const log = openSync(join(this.folder, 'log'), 'a');
    const child = spawn(join(this.#programs, 'postgres'), ['-D', this.#data], {
      ...owner,
      cwd: this.folder,
      env: { PATH: process.env.PATH },
      // It outlives the process that was the first to need it.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.unref();
    return child;
  }

  /** `SIGKILL` leaves what it had in memory behind, `SIGINT` is an orderly end. */
  async end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const ended = this.#process;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    ended.ref();
    const exit = once(ended, 'exit');
    const children = childrenOf(this.pid);
    ended.kill(signal);
    await exit;
    // Each notices by itself that its parent is gone; until then a start is refused.
    while (children.some(isAlive)) await pause(5);
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  #make(given: readonly string[], made: readonly string[]): void {
    // Orders texts as a dictionary does, as databases of users may: what has to be in the order of code points has to ask for it.
    const order = ['--locale=C', '--locale-provider=icu', '--icu-locale=en'];
    const args = ['-D', this.#data, '-U', user, '-E', 'UTF8', ...order, '--auth=md5', '--no-sync'];
    const passwordFile = join(this.folder, 'password');
    appendFileSync(passwordFile, password);
    chmodSync(passwordFile, 0o644);
    execFileSync(join(this.#programs, 'initdb'), [...args, ...made, `--pwfile=${passwordFile}`], {
      ...owner,
      cwd: this.folder,
      env: { PATH: process.env.PATH },
    });
    const lines = [...settings, ...given, `port=${this.port}`, "listen_addresses='127.0.0.1'"];
    appendFileSync(join(this.#data, 'postgresql.conf'), `\n${lines.join('\n')}\n`);
  }

  /** https://www.postgresql.org/docs/current/storage-file-layout.html: its last line has the state. */
  #isReady(): boolean {
    try {
      const lines = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
      return Number(lines[0]) === this.#process?.pid && /^(ready|standby)$/.test(lines[7]?.trim() ?? '');
    } catch {
      return false;
    }
  }
}

export function urlOf(port: number, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** proc(5); none on a system without it. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** One that only waits to be collected has no program any more. */
function isAlive(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== '';
  } catch {
    return false;
  }
}

function giveAway(folder: string): void {
  chmodSync(folder, 0o755);
  if (owner.uid === undefined) return;
  const inside = globSync('**', { cwd: folder, withFileTypes: true }).filter(
    (entry) => !entry.isSymbolicLink(),
  );
  const paths = inside.map((entry) => join(entry.parentPath, entry.name));
  for (const path of [folder, ...paths]) chownSync(path, owner.uid, owner.gid);
}
