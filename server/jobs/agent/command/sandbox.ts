import { execFile } from 'node:child_process';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import type { Config } from '../../../config/config.ts';
import { program } from '../../../process/program.ts';
import { excerpt } from '../../text/excerpt.ts';

/** What an outside agent is shut into: bubblewrap, https://github.com/containers/bubblewrap */
export interface Sandbox {
  /** Is not seen, also where it lies in a folder that is. */
  dataDir: string;
  /** Folders that it can read besides those of the system. */
  folders: readonly string[];
  /** Whether it can reach the network, which is that of this machine. */
  hasNetwork: boolean;
}

interface SandboxRun extends Sandbox {
  /** The only folder of this machine that it can write to. */
  workspace: string;
  /** Its whole environment. HOME is an empty folder, in memory, that ends with it. */
  env: Readonly<Record<string, string>>;
  /** Processes and threads. */
  processes: number;
}

export function sandboxOf({ dataDir, jobs }: Config): Sandbox {
  return { dataDir, folders: jobs.agentFolders, hasNetwork: jobs.hasAgentNetwork };
}

/** Where the workspace is to the agent. */
const workspacePlace = '/workspace';
const defaultHome = '/home/agent';
/** Of the files in memory, by folder. */
const temporaryBytes = 512_000_000;
/** In the shell's unit of 512 or 1024 bytes: 2 to 4 GB. */
const fileBlocks = 4_194_304;

/** Folders of the system besides /usr, which may be links into it. */
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Names, certificates and libraries; the rest of /etc can hold keys. */
const systemFiles = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'timezone', 'mime.types'],
  ...[
    'passwd',
    'group',
    'nsswitch.conf',
    'hosts',
    'host.conf',
    'gai.conf',
    'resolv.conf',
    'services',
    'protocols',
  ],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'pki/tls/certs', 'pki/ca-trust', 'crypto-policies'],
].map((name) => `/etc/${name}`);

/** No core files, a bound for one file and for processes, and first in line when memory runs out. Dash says -p for -u. */
const prepared =
  'echo 1000 >/proc/self/oom_score_adj 2>/dev/null; ulimit -c 0; ulimit -f "$1"; ulimit -u "$2" 2>/dev/null || ulimit -p "$2"; shift 2; exec "$@"';

/** The command line that runs a program shut in. When the program ends, whatever it started ends with it. */
export async function sandboxCommand(argv: readonly string[], options: SandboxRun): Promise<string[]> {
  const { workspace, env, dataDir, folders, hasNetwork, processes } = options;
  const home = env.HOME || defaultHome;
  const inMemory = (folder: string) => ['--size', String(temporaryBytes), '--tmpfs', folder];
  return [
    'bwrap',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
    ...['--ro-bind', '/usr', '/usr', ...(await bindSystem())],
    ...systemFiles.flatMap((file) => ['--ro-bind-try', file, file]),
    ...['--proc', '/proc', '--dev', '/dev', ...inMemory('/dev/shm'), '--remount-ro', '/dev'],
    ...[...inMemory('/tmp'), ...inMemory(home), '--setenv', 'HOME', home],
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(await hide(dataDir, ['/usr', ...folders])),
    ...['--bind', workspace, workspacePlace, '--chdir', workspacePlace, '--remount-ro', '/'],
    ...['--', '/bin/sh', '-c', prepared, 'sh', String(fileBlocks), String(processes), ...argv],
  ];
}

async function bindSystem(): Promise<string[]> {
  const bound = systemFolders.map(async (folder) => {
    const stats = await lstat(folder).catch(() => undefined);
    if (!stats) return [];
    return stats.isSymbolicLink()
      ? ['--symlink', await readlink(folder), folder]
      : ['--ro-bind', folder, folder];
  });
  return (await Promise.all(bound)).flat();
}

/** Puts nothing in its place, where it would be seen. */
async function hide(folder: string, shown: readonly string[]): Promise<string[]> {
  const places = await Promise.all([folder, ...shown].map((place) => realpath(place).catch(() => place)));
  const [hidden = folder, ...above] = places;
  const isSeen = above.some((place) => `${hidden}/`.startsWith(`${place}/`.replace(/\/\/$/, '/')));
  return isSeen ? ['--tmpfs', hidden] : [];
}

const probeTimeoutMs = 10_000;
const probeProcesses = 1_000;

/**
 * Why no sandbox can be made here, as a sentence that says what to do; undefined where one can.
 * @param path where bubblewrap is searched for
 */
export async function findSandboxFault(sandbox: Sandbox, path: string): Promise<string | undefined> {
  const env = { PATH: path };
  const run = { ...sandbox, workspace: tmpdir(), env, processes: probeProcesses };
  const [file = '', ...args] = await sandboxCommand(['true'], run);
  try {
    await promisify(execFile)(file, args, { env, timeout: probeTimeoutMs });
    return undefined;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    const words = excerpt(stderr.trim().split('\n').at(-1) ?? '', 300);
    const found =
      code === 'ENOENT'
        ? 'bubblewrap is not installed'
        : `bubblewrap could not make its sandbox${words === '' ? '' : ` ("${words}")`}`;
    return `An outside agent is run in a sandbox, and ${found}: install bubblewrap 0.8 or later (Debian: apt install bubblewrap), allow this server to make user namespaces, or run the agent unconfined with "${program} project set <project> --agent-unconfined" after reading what that means in docs/jobs.md.`;
  }
}
