import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import { folderVariable } from '../dataset/kept.ts';
import type { Pull } from '../forge/api.ts';
import { freePort } from '../machine/free-port.ts';
import { isOnPostgres } from '../store/chosen-engine.ts';
import {
  changeProject,
  type JobRun,
  type JobRunOptions,
  obedient,
  openJobRun,
  startJobRun,
} from './job-run.ts';
import type { ModelServer, Script } from './model/model-server.ts';

interface Beginning<T> {
  /** Stands for what `begin` does. */
  name: string;
  options: Pick<JobRunOptions, 'kind' | 'files'>;
  /** Of the model; otherwise it obeys. */
  script?: Script;
  /** @returns what is known of it afterwards */
  begin: (run: JobRun) => Promise<T>;
}

/** Where one has begun. */
interface Begun<T> {
  /** Its files, for one test at a time, and a copy of them as they were left. */
  home: { lent: string; copy: string };
  port: number;
  project: AddedProject;
  pulls: readonly Pull[];
  ids: ReadonlyMap<string, number>;
  gitRequests: readonly string[];
  modelRequests: ModelServer['requests'];
  known: T;
}

const begun = new Map<string, Promise<Begun<unknown>>>();
const lent = new Set<Begun<unknown>>();

/**
 * A run that has begun in this way. A turn starts fifty programs: of the tests of a worker that begin alike the first one
 * does, and each goes on with a copy of all files, at the same addresses.
 */
export async function resumeJobRun<T>(
  beginning: Beginning<T>,
  { script = obedient, project }: { [Name in 'script' | 'project']?: JobRunOptions[Name] | undefined } = {},
): Promise<{ run: JobRun; known: T }> {
  const from = isOnPostgres ? undefined : await begunOnce(beginning);
  const resumed = (from && (await resume(from, beginning, script))) ?? (await begin(beginning, script));
  if (project) await changeProject(resumed.run, project);
  return resumed;
}

async function begin<T>(
  { options, script: first = obedient, begin }: Beginning<T>,
  script: Script,
): Promise<{ run: JobRun; known: T }> {
  let answer = first;
  const run = await startJobRun({ ...options, script: (...asked) => answer(...asked) });
  const known = await begin(run);
  answer = script;
  return { run, known };
}

/** @returns undefined where another has its files or its port */
async function resume<T>(
  from: Begun<T>,
  { options }: Beginning<T>,
  script: Script,
): Promise<{ run: JobRun; known: T } | undefined> {
  if (lent.has(from)) return undefined;
  lent.add(from);
  onTestFinished(() => void lent.delete(from));
  await rm(from.home.lent, { recursive: true });
  await cp(from.home.copy, from.home.lent, { recursive: true });
  const run = await startJobRun({
    ...options,
    script,
    ...placesIn(from.home.lent, from.port),
    goOnWith: from.project,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
  });
  if (!run) return undefined;
  const { forge, model } = run;
  forge.pulls.push(...structuredClone(from.pulls));
  for (const [slug, id] of from.ids) forge.ids.set(slug, id);
  forge.git.requests.push(...from.gitRequests);
  model.requests.push(...from.modelRequests);
  return { run, known: from.known };
}

const placesIn = (home: string, port: number) => ({
  dataDir: join(home, 'data'),
  gitAt: { root: join(home, 'git'), port },
});

function begunOnce<T>(beginning: Beginning<T>): Promise<Begun<T>> {
  const key = JSON.stringify([beginning.name, beginning.options]);
  const from = begun.get(key) ?? beginAt(beginning);
  begun.set(key, from);
  // What failed once may work the next time.
  from.catch(() => begun.delete(key));
  return from as Promise<Begun<T>>;
}

async function beginAt<T>({ options, script = obedient, begin }: Beginning<T>): Promise<Begun<T>> {
  const folder = await mkdtemp(join(String(process.env[folderVariable]), 'job-run-'));
  const home = { lent: join(folder, 'lent'), copy: join(folder, 'copy') };
  const port = await freePort();
  const run = await openJobRun({ ...options, script, ...placesIn(home.lent, port) });
  const { forge, model, headcount } = run;
  const known = await begin(run).finally(run.close);
  await cp(home.lent, home.copy, { recursive: true });
  const { projectId, adminKey, ingestKey, snippet } = headcount;
  return {
    ...{ home, port, known, pulls: forge.pulls, ids: forge.ids },
    project: { projectId, adminKey, ingestKey, snippet },
    gitRequests: forge.git.requests,
    modelRequests: model.requests,
  };
}
