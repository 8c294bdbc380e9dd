import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SecretTexts } from '../../../server/projects/secrets.ts';
import { type ServerProcess, startProcess } from '../child.ts';
import { dropDatabase, makeDatabase } from '../store/shared-postgres.ts';
import {
  type Outside,
  type PreparedProject,
  prepareProject,
  prepareProjects,
  startOutside,
} from './job-run.ts';
import { type JobClient, jobClient } from './jobs.ts';

interface Node extends ServerProcess {
  jobs: JobClient;
}

/** Servers that share a PostgreSQL and a project, and nothing else. */
export interface Nodes extends Outside {
  /** One more, with a data folder of its own. */
  start(env?: Record<string, string>): Promise<Node>;
  addProjects(settings: readonly Outside['settings'][]): Promise<PreparedProject[]>;
}

/** @param url of an empty database; otherwise one of the shared PostgreSQL */
export async function prepareNodes({
  url = '',
  secrets = {},
  ...options
}: Parameters<typeof startOutside>[0] & { url?: string; secrets?: SecretTexts } = {}): Promise<Nodes> {
  const outside = await startOutside(options);
  const databaseUrl = url === '' ? await newDatabase() : url;
  const shared = {
    ...outside.env,
    HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
    HEADCOUNT_JOB_LEASE: '2',
    HEADCOUNT_DATABASE_URL: databaseUrl,
  };
  const project = await prepareProject(outside, shared, { secrets });
  const start = async (env: Record<string, string> = {}) => {
    const dataDir = await newFolder();
    const node = await startProcess({
      ...shared,
      HEADCOUNT_DATA_DIR: dataDir,
      ...env,
    });
    onTestFinished(async () => {
      node.signal('SIGKILL');
      await node.ended;
    });
    return { ...node, jobs: jobClient(node.url, project) };
  };
  return { ...outside, start, addProjects: (settings) => prepareProjects(settings, shared) };
}

async function newDatabase(): Promise<string> {
  const url = await makeDatabase();
  onTestFinished(() => dropDatabase(url));
  return url;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-node-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
