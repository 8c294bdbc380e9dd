import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { checkAddress, type MayReach, PrivateAddress, resolveWithin } from '../../net/reach.ts';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { inSettings } from '../text/in-settings.ts';
import { redactTokens } from '../text/redaction.ts';
import { explainGit } from './git-failure.ts';
import type { Launcher } from './launcher/launcher.ts';
import type { ProgramEnd } from './launcher/program-run.ts';

/** A repository that git may talk to during one call. */
export interface Remote {
  url: string;
  origin: string;
  credential: Credential | undefined;
}

export interface GitCall {
  args: readonly string[];
  /** Absent: the call works locally, and no protocol is allowed. */
  remote?: Remote | undefined;
  /** GIT_DIR and its like. */
  environment?: Readonly<Record<string, string>>;
  /** More of git's settings, for this call. */
  settings?: readonly (readonly [string, string])[];
  input?: string | Uint8Array;
  /** Largest output; beyond it the call fails with `too_large`. */
  maxBytes?: number;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Exit codes that are an answer, -1 for death by a signal; all others are thrown. Default: 0. */
  accept?: readonly number[];
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  /** Without secrets; the last 16 KiB. */
  stderr: string;
}

/** @throws JobFailure, or the reason of the signal */
export type Git = (call: GitCall) => Promise<GitResult>;

/** Runs git where a repository can be read. */
export type BoundGit = (call: Pick<GitCall, 'args' | 'input' | 'maxBytes' | 'signal'>) => Promise<GitResult>;

interface GitOptions {
  launcher: Launcher;
  /** Where git and what it starts are searched for. */
  path: string;
  /** An empty folder of ours, in which calls run and which is their home. */
  scratch: string;
  /** HEADCOUNT_GIT_PROTOCOLS. */
  protocols: readonly string[];
  /** HEADCOUNT_PRIVATE_NETWORKS. */
  mayReach: MayReach;
  /** Proxy and certificate settings of the operator, such as https_proxy and GIT_SSL_CAINFO. */
  network?: Readonly<Record<string, string>>;
}

const defaultMaxBytes = 64 * 1024 * 1024;
const defaultTimeoutMs = 120_000;

export function createGit(options: GitOptions): Git {
  const fixed = fixedEnvironment(options);
  return async (call) => {
    call.signal?.throwIfAborted();
    const pinned = call.remote ? await pinAddress(call.remote, options) : [];
    const protocols = call.remote ? options.protocols.join(':') : 'none';
    const environment = {
      ...fixed,
      ...configEnvironment([
        ...settings,
        ...(call.settings ?? []),
        ...remoteSettings(call.remote),
        ...pinned,
      ]),
      GIT_ALLOW_PROTOCOL: protocols,
      ...(call.remote ? tracing : {}),
      ...call.environment,
    };
    const result = await runGit(options.launcher, call, environment, options.scratch);
    if ((call.accept ?? [0]).includes(result.code)) return result;
    const { stderr, retryAfterMs } = result;
    throw explainGit(stderr, { url: call.remote?.url, command: call.args[0] ?? '', retryAfterMs });
  };
}

/** Headers go to stderr, without secrets: only there does git show how long a server asks it to wait. */
const tracing = { GIT_TRACE_CURL: '2', GIT_TRACE_CURL_NO_DATA: '1', GIT_TRACE_REDACT: '1' };
const traceLine = /\d\d:\d\d:\d\d\.\d{6} http\.c:\d+ .*\n?/g;

/** Ends of a look at what may not be there. -1: git tried to fetch it, was not allowed to, and died of the broken pipe. */
export const whereItMayLack: readonly number[] = [0, 1, 128, -1];

/** Nothing of our own environment goes in: it may hold the operator's secrets or settings that change what git does. */
function fixedEnvironment({ path, scratch, network }: GitOptions): Record<string, string> {
  return {
    ...network,
    PATH: path,
    HOME: scratch,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: dirname(scratch),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
  };
}

/** Nothing that a repository brings along may start a program, follow a link or be converted. */
const settings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.symlinks', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.safecrlf', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
  // A mirror that a loss of power damages is noticed and made again.
  ['core.fsync', 'none'],
  ['safe.bareRepository', 'explicit'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '60'],
  ['protocol.version', '2'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['push.gpgSign', 'false'],
  ['commit.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['init.defaultBranch', 'main'],
  ['diff.renameLimit', '1000'],
  ['pack.windowMemory', '64m'],
  ['pack.threads', '2'],
  ['checkout.workers', '2'],
];

function remoteSettings(remote: Remote | undefined): [string, string][] {
  if (!remote?.credential) return [];
  return [[`http.${remote.origin}/.extraHeader`, `Authorization: ${basicAuthorization(remote.credential)}`]];
}

function basicAuthorization({ username, password }: Credential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function configEnvironment(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  for (const [index, [key, value]] of pairs.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

async function runGit(
  launcher: Launcher,
  call: GitCall,
  env: Record<string, string>,
  cwd: string,
): Promise<GitResult & { retryAfterMs: number | undefined }> {
  const { args, input, signal } = call;
  const maxBytes = call.maxBytes ?? defaultMaxBytes;
  const timeoutMs = call.timeoutMs ?? defaultTimeoutMs;
  const ended = await launcher.run({ program: 'git', args, cwd, env, input, maxBytes, timeoutMs }, signal);
  if (ended.end === 'exited') {
    const { code, stdout } = ended;
    const stderr = redactTokens(ended.stderr.replace(traceLine, ''), secretsOf(call));
    const asked = code === 0 ? [] : [...ended.stderr.matchAll(/<= recv header: retry-after: *(.+)/gi)];
    return {
      ...{ code, stdout: toBuffer(stdout), stderr },
      retryAfterMs: parseRetryAfter(asked.at(-1)?.[1]?.trim(), Date.now()),
    };
  }
  throw ended.end === 'stopped' ? signal?.reason : failureOf(ended.end, call.args[0] ?? '', timeoutMs);
}

/** Without a copy. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function failureOf(
  end: Exclude<ProgramEnd['end'], 'exited' | 'stopped'>,
  command: string,
  timeoutMs: number,
): JobFailure {
  switch (end) {
    case 'timed_out':
      return new JobFailure(
        'timeout',
        `"git ${command}" did not end within ${Math.round(timeoutMs / 1000)} seconds.`,
      );
    case 'too_large':
      return new JobFailure('too_large', 'The answer of git was too large to be read.');
    case 'not_started':
      return new JobFailure('unknown', 'Git could not be started: install git 2.39 or later.');
    case 'lost':
      return new JobFailure('internal', `The process that runs git ended during "git ${command}".`);
    default:
      return end satisfies never;
  }
}

function secretsOf(call: GitCall): string[] {
  return call.remote?.credential ? [call.remote.credential.password] : [];
}

interface PinOptions {
  /** HEADCOUNT_PRIVATE_NETWORKS. */
  mayReach: MayReach;
  /** Settings of the operator, such as https_proxy. */
  network?: Readonly<Record<string, string>>;
}

/**
 * Looks a remote's name up, judges what it leads to, and has git connect to that: a name that changes its mind gains
 * nothing. Behind a proxy, names are the proxy's business.
 *
 * @throws JobFailure private_network or network
 */
async function pinAddress(
  { url, origin }: { url: string; origin: string },
  { mayReach, network = {} }: PinOptions,
): Promise<[string, string][]> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol === 'file:') return [];
  try {
    checkAddress(new URL(origin), mayReach);
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || isProxied(protocol, network)) return [];
    const found = await resolveWithin(hostname, mayReach);
    const addresses = found.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    const at = port || (protocol === 'https:' ? '443' : '80');
    return [['http.curloptResolve', `${hostname}:${at}:${addresses.join(',')}`]];
  } catch (error) {
    if (!(error instanceof PrivateAddress)) throw explainGit('could not resolve host', { url, command: '' });
    throw new JobFailure(
      'private_network',
      `${origin} is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS, or set another address ${inSettings('--repository')}.`,
    );
  }
}

function isProxied(protocol: string, network: Readonly<Record<string, string>>): boolean {
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  return [...names, 'all_proxy', 'ALL_PROXY'].some((name) => network[name]);
}
