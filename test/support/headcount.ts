import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Passwords } from '../../server/admin/sign-in/password.ts';
import { Clock } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import type { Context } from '../../server/context.ts';
import { createContext } from '../../server/create-context.ts';
import { type HttpTiming, usualTiming } from '../../server/http/listening/http-server.ts';
import type { Proofs } from '../../server/identity/proof/proof.ts';
import { type AgentLimits, defaultLimits } from '../../server/jobs/agent/limits.ts';
import type { EventStreams } from '../../server/jobs/api/event-streams.ts';
import type { RunnerPulse } from '../../server/jobs/turn/runner-pulse.ts';
import { createLog } from '../../server/log.ts';
import type { HttpsGet, HttpsGetBytes } from '../../server/net/https-get.ts';
import type { AddedProject } from '../../server/operations/projects.ts';
import { makeKey } from '../../server/projects/key.ts';
import { snippetOf } from '../../server/projects/rules.ts';
import { serve } from '../../server/serve.ts';
import type { SiteFilesOptions } from '../../server/sitefiles/site-files.ts';
import type { Store } from '../../server/store/store.ts';
import { type ProjectSettings, projectSettings } from '../../shared/project/project.ts';
import type { ErrorReply } from '../../shared/reply.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { addProject } from './added-project.ts';
import { type Client, createClient, type GivenQuery } from './client.ts';
import { recordAnswers, stopRecording } from './described/record.ts';
import { keepRecentRanges } from './proof/recent-ranges.ts';
import { engineEnvironment, forgetDatabase, openChosenStore } from './store/chosen-engine.ts';

export interface HeadcountOptions {
  /** Settings of the first project. */
  project?: Partial<ProjectSettings>;
  /** Settings as environment variables. */
  env?: Record<string, string>;
  now?: () => number;
  /** How long the machine is up, where it does not go with `now`. */
  uptime?: () => number;
  /** A folder to go on with; otherwise a new one, removed at the end. */
  dataDir?: string;
  /** A project that the folder has; otherwise one is added. */
  goOnWith?: AddedProject;
  /** What is known of the makers of AI clients; otherwise what came with this version. */
  proofs?: Proofs;
  /** When the addresses of GPTBot were just fetched (milliseconds), so that they can accuse; those that are shipped are old. */
  rangesAt?: number;
  /** Limits of agents that differ from the usual ones. */
  agentLimits?: Partial<AgentLimits>;
  /** A runner that is given up on sooner. */
  runnerPulse?: RunnerPulse;
  /** Reads the web for agents. */
  webGet?: HttpsGetBytes;
  /** Event streams with a timing of their own. */
  eventStreams?: EventStreams;
  /** What connections may take their time for, where it differs from the usual. */
  timing?: Partial<HttpTiming>;
  /** Otherwise such as cost little. */
  passwords?: Passwords;
  /** Between two looks for projects and keys that are not known; 0: each is looked for at once. */
  betweenLooksMs?: number;
  /** Built pages other than the real ones. */
  dashboardFolder?: string;
  /** Asks for a newer catalogue of AI clients. */
  catalogueGet?: HttpsGet;
  /** How sites are asked for their robots.txt and sitemaps, unless the server is offline. */
  siteOptions?: SiteFilesOptions;
  /** Puts something between the server and its store. */
  wrapStore?: (store: Store) => Store;
}

/** What its people and programs do with one project, over HTTP and with its own keys. */
export interface ProjectClient extends AddedProject {
  /** Any operation, with the admin key; refusals are thrown. */
  ask: Client;
  /** GETs with the admin key; the parsed body of a 200. */
  get<T>(path: string): Promise<T>;
  /** Visitors and views of all paths: `{'/': {human, ai, total}}`. */
  visitors(query?: GivenQuery): Promise<Record<string, Count>>;
  views(query?: GivenQuery): Promise<Record<string, Count>>;
  /** Sends a view as the tracker does. */
  hit(body: Record<string, unknown>, headers?: Record<string, string>): Promise<Response>;
  /** Sends a batch with the ingest key. */
  hits(hits: unknown[]): Promise<Response>;
}

export interface Headcount extends ProjectClient {
  url: string;
  dataDir: string;
  context: Context;
  /** Key for all projects. */
  rootKey: string;
  /** Everything the server logged. */
  log: string[];
  addProject(settings?: Partial<ProjectSettings>): Promise<ProjectClient>;
  stop(): Promise<void>;
}

export async function errorOf(response: Response): Promise<ErrorReply> {
  return (await response.json()) as ErrorReply;
}

/** Of a success the sentence is empty. */
export async function statusAndError(answer: Response | Promise<Response>): Promise<[number, string]> {
  const response = await answer;
  return [response.status, response.ok ? '' : (await errorOf(response)).error];
}

/** A desktop Chrome, as people have it. */
export const chromeUserAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** A whole Headcount in this process: real HTTP on a free port, a real database in a folder of its own. */
export async function startHeadcount(options: HeadcountOptions = {}): Promise<Headcount> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'headcount-')));
  if (options.rangesAt !== undefined) keepRecentRanges(dataDir, options.rangesAt);
  const now = options.now ?? (() => Date.now());
  const lines: string[] = [];
  const env = { HEADCOUNT_DATA_DIR: dataDir, ...options.env };
  const config = readConfig({
    HEADCOUNT_PORT: '0',
    HEADCOUNT_OFFLINE: '1',
    // Jobs wait, unless a test is about working on them.
    HEADCOUNT_MAX_JOBS: '0',
    ...env,
    ...(await engineEnvironment(env)),
  });
  const log = createLog((line) => lines.push(line), now);
  const clock = new Clock({ wall: now, uptime: options.uptime ?? now, log });
  const store = await openChosenStore(config, options.now && clock.now);
  const context = await createContext({
    config,
    store: options.wrapStore?.(store) ?? store,
    now,
    log,
    clock,
    passwords: options.passwords ?? new Passwords({ power: 4, r: 8, p: 1 }),
    ...(options.betweenLooksMs !== undefined && { betweenLooksMs: options.betweenLooksMs }),
    ...(options.dashboardFolder && { dashboardFolder: options.dashboardFolder }),
    ...(options.proofs && { proofs: options.proofs }),
    ...(options.siteOptions && { siteOptions: options.siteOptions }),
    // A client of a test may be slow to use its connection again, and then finds it closed under its hands.
    timing: { ...usualTiming, idleMs: 60_000, repositoryMs: 60_000, farewellMs: 0, ...options.timing },
    ...(options.runnerPulse && { runnerPulse: options.runnerPulse }),
    agentLimits: { ...defaultLimits, ...options.agentLimits },
    ...(options.catalogueGet && { catalogueGet: options.catalogueGet }),
    ...(options.webGet && { webGet: options.webGet }),
    ...(options.eventStreams && { eventStreams: options.eventStreams }),
  });
  const server = await serve(context);
  const url = `http://127.0.0.1:${server.port}`;
  recordAnswers(server.port);

  const newProject = async ({ name = 'Test', ...given }: Partial<ProjectSettings> = {}) => {
    const options = { baseUrl: url, now: now() };
    const settings = projectSettings.parse({ name: 'Test', ...given });
    const added = await addProject(store, settings, options);
    // Past the schema, as older versions stored names that are refused now.
    if (name !== settings.name) await store.setProject(added.projectId, { ...settings, name });
    await context.registry.refresh();
    return projectClient(url, added);
  };
  const first = await (options.goOnWith
    ? projectClient(url, { ...options.goOnWith, snippet: snippetOf(url, options.goOnWith.projectId) })
    : newProject(options.project));
  const root = makeKey('admin', null, 'root', now());
  await store.addKey(root.stored);
  await context.registry.refresh();

  return {
    ...first,
    url,
    dataDir,
    context,
    rootKey: root.secret,
    log: lines,
    addProject: newProject,
    stop: async () => {
      await server.stop();
      stopRecording(server.port);
      if (options.dataDir !== undefined) return;
      await rm(dataDir, { recursive: true, force: true });
      await forgetDatabase(dataDir);
    },
  };
}

export function projectClient(url: string, project: AddedProject): ProjectClient {
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${project.adminKey}` } });
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const ask = createClient({ server: url, key: project.adminKey });
  const byPath = async (name: 'visitors' | 'views', query: GivenQuery = {}) => {
    const counts: Record<string, Count> = {};
    for (let offset = 0, hasMore = true; hasMore; offset += 250) {
      const page = await ask(`GET /v1/analytics/{projectId}/${name}`, {
        path: { projectId: project.projectId },
        query: { ...query, limit: 250, offset },
      });
      const rows = 'views' in page ? page.views : page.visitors;
      for (const { path, ...count } of rows) counts[path] = count as Count;
      hasMore = page.hasMore;
    }
    return counts;
  };
  return {
    ...project,
    ask,
    get,
    visitors: (query) => byPath('visitors', query),
    views: (query) => byPath('views', query),
    hit: (body, headers = {}) =>
      fetch(`${url}/v1/hit`, {
        method: 'POST',
        body: JSON.stringify({ p: project.projectId, ...body }),
        headers: { 'content-type': 'text/plain', 'user-agent': chromeUserAgent, ...headers },
      }),
    hits: (hits) =>
      fetch(`${url}/v1/hits`, {
        method: 'POST',
        body: JSON.stringify({ hits }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${project.ingestKey}` },
      }),
  };
}

/** The paths that a request added views to. */
export async function pathsAfter(server: Headcount, send: () => Promise<Response>): Promise<string[]> {
  const before = await server.views();
  const response = await send();
  expect(response.status).toBe(202);
  const after = await server.views();
  return Object.keys(after).filter((path) => after[path]?.total !== before[path]?.total);
}
