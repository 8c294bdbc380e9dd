// Three months of made-up visitors and a job by a scripted model, on this machine alone: "npm run demo".
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findGitFault } from '../server/jobs/git/version.ts';
import { type ServerProcess, startProcess } from '../test/support/child.ts';
import { dashboardClient, signIn } from '../test/support/dashboard/dashboard.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../test/support/dataset/dataset.ts';
import { sendFromBrowser } from '../test/support/dataset/sender.ts';
import { answeredHits } from './answers.ts';
import { openInBrowser } from './desktop.ts';
import { serveDocs } from './docs.ts';
import { addFindings } from './findings.ts';
import { prepareJobDemo } from './job.ts';
import { writePlaces } from './places.ts';
import { addWorklist } from './worklist.ts';

/** Between two of the visitors that come while somebody looks. */
const visitMs = 2_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Ctrl+C, also long before there is anything to stop. */
function untilStopped(): Promise<'stopped'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('stopped'));
  });
}

/** Counts the three months up to now, with a server whose clock runs through them. */
async function fill(dataDir: string, env: Record<string, string>): Promise<FilledHeadcount> {
  const filled = await startFilledHeadcount({
    ...{ dataDir, env },
    dataset: { endsAt: new Date().toISOString(), silenced: true, events: true },
  });
  await addFindings(filled);
  await addWorklist(filled);
  await filled.stop();
  return filled;
}

async function startServer(
  env: Record<string, string>,
  cleanUp: AsyncDisposableStack,
): Promise<ServerProcess> {
  const { HEADCOUNT_PORT: port } = process.env;
  const server = await startProcess({ ...env, ...(port !== undefined && { HEADCOUNT_PORT: port }) });
  cleanUp.defer(async () => {
    server.signal('SIGTERM');
    await server.ended;
  });
  return server;
}

/** Sets a password by the link that the first start of a server prints. */
async function setPassword({ output }: ServerProcess): Promise<{ address: string; password: string }> {
  for (;;) {
    const [, address, token] = /(http\S+)\/setup#(\S+)/.exec(output.stdout) ?? [];
    if (address !== undefined) {
      const password = `teapot-${randomBytes(6).toString('hex')}`;
      await dashboardClient(address).must('POST', '/v1/admin/setup', { token, password });
      return { address, password };
    }
    await pause(20);
  }
}

/** Reports what AI clients met today, as the site's own server would. */
async function sendAnswers({ projectId, adminKey }: FilledHeadcount, url: string): Promise<void> {
  const answer = await fetch(`${url}/v1/hits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project: projectId, people: 'skip', hits: answeredHits }),
  });
  if (!answer.ok) throw new Error(`The reports were refused: ${await answer.text()}`);
}

/** Some of the last visitors come again, so that the dashboard shows visitors right now. */
async function keepVisiting(
  { dataset, projectId }: FilledHeadcount,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  // Today may have begun a minute ago.
  const views = dataset.slice(-2).flatMap((day) => day.views.filter(({ via }) => via === 'script'));
  const agent = new Agent({ keepAlive: true });
  for (let i = 0; views.length > 0 && !signal.aborted; i++) {
    const view = views[i % views.length];
    if (view) await sendFromBrowser({ url, projectId }, view, agent).catch(() => undefined);
    await pause(visitMs, undefined, { signal }).catch(() => undefined);
  }
  agent.destroy();
}

async function show(cleanUp: AsyncDisposableStack, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-demo-'));
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const jobs = cleanUp.use(await prepareJobDemo(say));
  const places = { HEADCOUNT_COUNTRY_DATABASE: await writePlaces(dataDir) };
  const env = { HEADCOUNT_DATA_DIR: dataDir, ...places, ...jobs.env };

  say('Counting three months of made-up visitors. This takes a few seconds.\n');
  const filled = await fill(dataDir, places);
  signal.throwIfAborted();
  await jobs.setUp(filled.projectId, env);
  const server = await startServer(env, cleanUp);
  await sendAnswers(filled, server.url);
  await jobs.run({ ...filled, url: server.url });
  say(
    `Done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. The visitors are made up, and the model is scripted.`,
  );

  const { address, password } = await setPassword(server);
  const dashboard = await signIn(server.url, password);
  const docs = await serveDocs(server.url, dashboard, join(dataDir, 'docs'), cleanUp);
  say(`\nThe dashboard is at ${address}, and its password is ${password}
The documentation is at ${docs}, and its visitors are counted in the project "Documentation".\n
Ctrl+C ends the demo and removes everything that it created.`);
  if (process.stdout.isTTY) openInBrowser(address, process.env);
  await keepVisiting(filled, server.url, signal);
}

async function main(): Promise<void> {
  say(`A demo of Headcount. Everything runs on this machine.

  The visitors are made up: this demo sends what people, AI clients and bots might send in three months.
  The model is scripted: it is not an AI, and gives the answers in demo/site.ts to any prompt.
  Git is real. The code host is a small stand-in that behaves like Gitea.
`);
  const stopping = new AbortController();
  await using cleanUp = new AsyncDisposableStack();
  const shown = show(cleanUp, stopping.signal);
  void untilStopped().then(() => stopping.abort());
  await shown.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}

// The reader of the output may be gone, which must not keep the demo from cleaning up.
process.stdout.on('error', () => undefined);

const gitFault = await findGitFault(process.env.PATH ?? '');
if (gitFault !== undefined) {
  process.stderr.write(`${gitFault}\n`);
  process.exit(2);
}
await main();
say('The demo has ended. Nothing is left behind.');
