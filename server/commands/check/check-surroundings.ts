import { accessSync, constants, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { administrator } from '../../../shared/accounts/user.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { addressOf } from '../../config/own-address.ts';
import { openPlaces } from '../../counting/places/places.ts';
import { SaltCipher } from '../../counting/visitor/salt.ts';
import { openNetworks } from '../../identity/networks/asn-database.ts';
import { findForeignSalts, listEncryptedSalts } from '../../ingest/sealing/salt-mending.ts';
import { program } from '../../process/program.ts';
import { instanceOf } from '../../projects/instance.ts';
import { findSecretKey, SecretError } from '../../projects/key-file.ts';
import { findLock, Secrets } from '../../projects/secrets.ts';
import type { ListedProject, Project } from '../../store/projects.ts';
import type { Store } from '../../store/store.ts';
import type { FileState } from '../../store/store-files.ts';
import type { Terminal } from '../terminal/command.ts';
import { advice, type Remark, type Remarks, remark } from './remark.ts';

/** For the copy before an update, which is as large as the database, and for the log. */
const spareBytes = 64e6;

/** Checks the surroundings of the database by the settings of this command, which have to be those of the server. */
export async function checkSurroundings(
  store: Store,
  projects: readonly ListedProject[],
  state: FileState,
  terminal: Terminal,
): Promise<Remarks> {
  const { config } = terminal;
  const found = [
    ...(config.databaseUrl === null ? checkFolder(config.dataDir, state) : []),
    ...(await store.check.findRisks(terminal.now())).map(({ kind, message }) => remark(kind, message)),
    ...checkFiles(config),
    ...(await checkKey(store, projects, terminal)),
    checkProxies(terminal),
    ...(await checkBaseUrl(terminal)),
    ...(await checkPrograms(projects, terminal)),
  ];
  const [problems, advice] = [false, true].map((isAdvice) =>
    found.flatMap((one) => (one?.isAdvice === isAdvice ? one.problem : [])),
  );
  return { problems: problems ?? [], advice: advice ?? [] };
}

function checkFolder(dataDir: string, state: FileState): Remark[] {
  const disk = checkDisk(dataDir, state);
  return [...(disk ? [disk] : []), ...checkRights(dataDir)];
}

function checkDisk(dataDir: string, { bytes }: FileState): Remark | undefined {
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const wanted = bytes + spareBytes;
  if (free >= wanted) return undefined;
  const message = `${megabytes(free)} are free in ${dataDir}, and an update takes up to ${megabytes(wanted)} for a copy of the database: make room.`;
  return free < spareBytes ? remark('disk', message) : advice('disk', message);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}

/** Commands that another user gave may leave files that the server cannot write. */
function checkRights(dataDir: string): Remark[] {
  const remarks: Remark[] = [];
  const folder = statSync(dataDir);
  if ((folder.mode & 0o077) !== 0) {
    remarks.push(
      advice(
        'rights',
        `Others can look into the data folder ${dataDir} (mode ${octal(folder.mode)}): unless you want that, "chmod 700 ${dataDir}".`,
      ),
    );
  }
  for (const name of readdirSync(dataDir).filter((name) => /^(headcount\.|secret\.key$)/.test(name))) {
    const file = join(dataDir, name);
    const { uid } = statSync(file, { throwIfNoEntry: false }) ?? folder;
    if (uid !== folder.uid) {
      remarks.push(
        remark(
          'rights',
          `${file} belongs to user ${uid}, and its folder to user ${folder.uid}: run commands as the user of the server, and "chown ${folder.uid} ${file}".`,
        ),
      );
    } else if (!isWritable(file)) {
      remarks.push(
        remark('rights', `${file} cannot be written by this user: run commands as the user of the server.`),
      );
    }
  }
  return remarks;
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(3, '0');
}

/** Problems that keep the server from starting. */
function checkFiles({ countryDatabase, clients: { asnDatabase } }: Config): Remark[] {
  const opens = [() => openPlaces(countryDatabase), () => asnDatabase && openNetworks(asnDatabase)];
  return opens.flatMap((open) => {
    try {
      open();
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [remark('file', error.message)];
    }
  });
}

async function checkKey(
  store: Store,
  projects: readonly ListedProject[],
  { config }: Terminal,
): Promise<(Remark | undefined)[]> {
  try {
    const key = findSecretKey(config);
    const secrets = new Secrets({ store, ...config });
    const withSecrets = projects.filter((project) => project.secrets.length > 0);
    return [
      await checkSalts(store, key, config.dataDir),
      ...(await Promise.all(withSecrets.map(({ id }) => checkSecrets(secrets, id)))),
      ...(await checkFactors(store, secrets)),
    ];
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return [remark('key', error.message)];
  }
}

async function checkSalts(
  store: Store,
  key: Buffer | undefined,
  dataDir: string,
): Promise<Remark | undefined> {
  if (!key) {
    if ((await listEncryptedSalts(store)).length === 0) return undefined;
    return remark(
      'key',
      `There is no secret.key in ${dataDir}, nor HEADCOUNT_SECRET_KEY: put the key back, or active days get new salts.`,
    );
  }
  const foreign = await findForeignSalts({ store, saltCipher: new SaltCipher(key) });
  if (foreign.length === 0) return undefined;
  return remark(
    'key',
    'The current key cannot decrypt the salts of active days: run this command with the key of the server.',
  );
}

async function checkSecrets(secrets: Secrets, projectId: string): Promise<Remark | undefined> {
  const lock = await findLock(secrets, projectId);
  if (!lock) return undefined;
  return { problem: { kind: 'key', projectId, message: lock.message, repair: null }, isAdvice: false };
}

/** Accounts whose codes cannot be checked. */
async function checkFactors({ factors, users }: Store, secrets: Secrets): Promise<Remark[]> {
  const accounts = [{ id: null, name: administrator }, ...(await users.listUsers())];
  const locked: Remark[] = [];
  for (const { id, name } of accounts) {
    const factor = await factors.findFactor(id);
    if (!factor || canRead(() => secrets.readFactor(id, factor.secret))) continue;
    locked.push(
      remark(
        'key',
        `The second factor of ${name} cannot be decrypted with the current key: run this command with the key of the server, or turn it off with "${program} user reset-factor ${name}".`,
      ),
    );
  }
  return locked;
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof SecretError) return false;
    throw error;
  }
}

/** A proxy on the same machine is what nearly all have; one elsewhere only the server sees, and logs. */
function checkProxies({ config }: Terminal): Remark | undefined {
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(config.host);
  const trustsLocal = config.trustedProxies('127.0.0.1') || config.trustedProxies('::1');
  if (!isLocal || trustsLocal || !config.baseUrl.startsWith('https:')) return undefined;
  return remark(
    'trusted_proxies',
    'HEADCOUNT_BASE_URL is an https address, and the server listens on this machine only, so requests come through a proxy on it. That proxy is not in HEADCOUNT_TRUSTED_PROXIES: all visitors count as one. Add "loopback".',
  );
}

async function checkPrograms(projects: readonly Project[], { config }: Terminal): Promise<Remark[]> {
  const withJobs = projects.filter(({ settings }) => settings.repository !== null);
  if (withJobs.length === 0 || config.jobs.maxTurns === 0) return [];
  const [{ findGitFault }, { findSandboxFault, sandboxOf }] = await Promise.all([
    import('../../jobs/git/version.ts'),
    import('../../jobs/agent/command/sandbox.ts'),
  ]);
  const { path } = config.jobs.git;
  const git = await findGitFault(path);
  const isConfined = withJobs.some(
    ({ settings }) => settings.agentCommand !== null && !settings.agentUnconfined,
  );
  const sandbox = isConfined ? await findSandboxFault(sandboxOf(config), path) : undefined;
  return [
    ...(git === undefined ? [] : [remark('git', git)]),
    ...(sandbox === undefined ? [] : [remark('sandbox', sandbox)]),
  ];
}

const answerMs = 10_000;
const clockToleranceMs = 60_000;

/** Whether the public address leads to this server. */
export async function checkBaseUrl({ config, isServed, now }: Terminal): Promise<Remark[]> {
  if (!config.isBaseUrlGiven || !(await isServed())) return [];
  const url = addressOf(config.baseUrl, '/hc.js');
  try {
    const { status, headers } = await ask(url);
    const type = headers.get('content-type') ?? 'nothing';
    if (status !== 200 || !type.includes('javascript')) {
      return [
        remark(
          'base_url',
          `${url} does not answer with the script of Headcount (${status}, ${type}): look at HEADCOUNT_BASE_URL and at the proxy.`,
        ),
      ];
    }
    return [...(await checkInstance(config)), ...compareClocks(headers.get('date'), now(), config.baseUrl)];
  } catch (error) {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return [
      remark(
        'base_url',
        `${url} cannot be reached from here: ${why}. Look at HEADCOUNT_BASE_URL, and at the proxy.`,
      ),
    ];
  }
}

async function ask(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerMs), redirect: 'manual' });
  await response.body?.cancel();
  return response;
}

/** Another Headcount has another key. */
async function checkInstance({ baseUrl, dataDir, secretKey }: Terminal['config']): Promise<Remark[]> {
  const key = readableKey({ dataDir, secretKey });
  if (!key || (await ask(addressOf(baseUrl, `/v1/instance/${instanceOf(key)}`))).status === 204) return [];
  const place = secretKey ? 'HEADCOUNT_SECRET_KEY' : dataDir;
  return [
    remark(
      'base_url',
      `${baseUrl} leads to a Headcount, but not to this one, with the key of ${place}: look at HEADCOUNT_BASE_URL and at the proxy, give this command the settings of the server, and restart a server that is older than this command.`,
    ),
  ];
}

/** Problems of the key are reported elsewhere. */
function readableKey(config: Pick<Terminal['config'], 'dataDir' | 'secretKey'>): Buffer | undefined {
  try {
    return findSecretKey(config);
  } catch (error) {
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

/** Where a proxy answers, its clock is another one than ours. */
function compareClocks(date: string | null, now: number, baseUrl: string): Remark[] {
  const difference = Math.abs(Date.parse(date ?? '') - now);
  if (!(difference > clockToleranceMs)) return [];
  return [
    remark(
      'clock',
      `By the clock of this machine it is ${new Date(now).toISOString()}, and ${baseUrl} says ${date}: synchronise the clock with a time server.`,
    ),
  ];
}
