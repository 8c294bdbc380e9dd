/**
 * Makes a database as a released version leaves it, by that version: its server counts real hits and works on real jobs.
 *
 *   node test/store/released/make.ts <commit>
 *
 * writes `<schema>.db.gz` and `<schema>.json`, what that server answered, beside this file. Needs the modules installed and
 * the build made.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { chromeUserAgent } from '../../support/headcount.ts';
import { aiClient, combined } from '../../support/import/import-run.ts';
import { type Released, readEverything, releasedKey } from '../../support/releases/released.ts';

const home = join(import.meta.dirname, '..', '..', '..');
const [commit = 'HEAD'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'headcount-released-'));
const source = join(folder, 'source');
const env = {
  PATH: process.env.PATH,
  HEADCOUNT_DATA_DIR: join(folder, 'data'),
  HEADCOUNT_SECRET_KEY: releasedKey,
  HEADCOUNT_OFFLINE: '1',
  HEADCOUNT_PORT: '0',
  HEADCOUNT_GIT_PROTOCOLS: 'file',
  HEADCOUNT_PRIVATE_NETWORKS: 'allow',
  HEADCOUNT_JOB_RETRY: '0',
  HEADCOUNT_MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
};

const run = (args: string[], input = '') =>
  execFileSync(process.execPath, [join(source, 'headcount.js'), ...args], { env, input, encoding: 'utf8' });

async function start(jobs: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(source, 'headcount.js'), 'serve'], {
    env: { ...env, HEADCOUNT_JOBS: jobs },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  while (!/port (\d+)/.test(printed)) await pause(20);
  return {
    url: `http://127.0.0.1:${/port (\d+)/.exec(printed)?.[1]}`,
    stop: async () => {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

interface Made {
  projectId: string;
  adminKey: string;
  ingestKey: string;
}

async function post(url: string, key: string, body: unknown): Promise<{ id: string; status: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string; status: string };
}

async function count(url: string, { projectId, ingestKey }: Made): Promise<void> {
  const page = (n: number) => `https://docs.example.com/guide/${n % 7}`;
  for (let n = 0; n < 40; n++) {
    const body = JSON.stringify({ p: projectId, u: page(n), r: n % 3 ? '' : 'https://news.example/' });
    const headers = {
      'user-agent': chromeUserAgent,
      'x-forwarded-for': `203.0.113.${n % 25}`,
      'accept-language': 'de-AT',
    };
    await fetch(`${url}/v1/hit`, { method: 'POST', body, headers });
  }
  const agents = ['GPTBot/1.2', 'ClaudeBot/1.0', 'bingbot/2.0'].map(
    (name) => `Mozilla/5.0 (compatible; ${name})`,
  );
  const hits = Array.from({ length: 20 }, (_, n) => ({
    url: page(n),
    ip: '198.51.100.9',
    userAgent: agents[n % 3],
  }));
  await post(`${url}/v1/hits`, ingestKey, { hits });
}

/** Days that were sealed long ago, of which some lie in one block. */
function importLog(projectId: string): void {
  const requests = ['2026-10-28', '2026-11-01', '2026-11-02', '2026-11-03', '2026-11-09'].flatMap((day, at) =>
    Array.from({ length: 12 + at }, (_, n) => ({
      at: `${day}T12:00:${String(n).padStart(2, '0')}Z`,
      ip: `192.0.2.${n}`,
      path: `/old/${n % 5}`,
      userAgent: n % 4 === 0 ? aiClient : chromeUserAgent,
    })),
  );
  const log = join(folder, 'access.log');
  writeFileSync(log, requests.map(combined).join(''));
  run(['import', log, '--project', projectId, '--people', 'count']);
}

/** One that fails as there is no repository, one that is archived, and one that waits. */
async function makeJobs({ projectId, adminKey }: Made): Promise<void> {
  run([
    'project',
    'set',
    projectId,
    '--repository',
    'file:///nowhere/site.git',
    '--model',
    'compatible/none',
  ]);
  run(
    [
      'project',
      'set',
      projectId,
      '--forge',
      'gitea',
      '--forge-url',
      'https://127.0.0.1:9/api/v1',
      '--forge-token-stdin',
    ],
    'a'.repeat(40),
  );
  const working = await start('1');
  const jobs = `${working.url}/v2/agent/${projectId}/job`;
  const failing = await post(jobs, adminKey, { prompt: 'Write down what the site is about.' });
  const archived = await post(jobs, adminKey, { prompt: 'Mend the links.' });
  const headers = { authorization: `Bearer ${adminKey}` };
  for (let status = 'active'; status === 'active'; await pause(200)) {
    ({ status } = (await (await fetch(`${jobs}/${failing.id}`, { headers })).json()) as { status: string });
  }
  await post(`${jobs}/${archived.id}/archive`, adminKey, {});
  await working.stop();
  const idle = await start('0');
  await post(`${idle.url}/v2/agent/${projectId}/job`, adminKey, { prompt: 'Translate the guide.' });
  await idle.stop();
}

function save(released: Released): void {
  const file = join(folder, 'data', 'headcount.db');
  const db = new Database(file);
  db.pragma('journal_mode = DELETE');
  const schema = String(db.pragma('user_version', { simple: true })).padStart(4, '0');
  db.close();
  writeFileSync(join(import.meta.dirname, `${schema}.db.gz`), gzipSync(readFileSync(file), { level: 9 }));
  writeFileSync(join(import.meta.dirname, `${schema}.json`), `${JSON.stringify(released, null, 2)}\n`);
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: home, encoding: 'utf8' }).trim();
git('worktree', 'add', '--detach', source, commit);
try {
  for (const name of ['node_modules', 'dist']) symlinkSync(join(home, name), join(source, name));
  const made = JSON.parse(run(['project', 'add', '--name', 'Released', '--json'])) as Made;
  run(['admin', 'password', '--stdin'], 'a password of many words');
  const server = await start('0');
  await count(server.url, made);
  await server.stop();
  importLog(made.projectId);
  await makeJobs(made);
  const again = await start('0');
  const { projectId, adminKey } = made;
  const answers = await readEverything(again.url, made);
  await again.stop();
  save({ commit: git('rev-parse', '--short', commit), projectId, adminKey, answers });
} finally {
  git('worktree', 'remove', '--force', source);
  rmSync(folder, { recursive: true, force: true });
}
