import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { runIn } from '../../test/support/store/postgres-client.ts';
import { followed, PostgresServer } from '../../test/support/store/postgres-server.ts';
import { openDay } from '../../test/support/views.ts';
import { atLeast, atMost, type Bench, type Finding } from '../bench.ts';
import { Child } from '../child.ts';
import { batchOf, faultDay, faultProject, pathOf, viewsPerBatch } from './batches.ts';
import type { FaultyNode } from './node.ts';

/** What happens while nodes count. */
export interface Faults {
  nodeKills: number;
  databaseKills: number;
  failovers: number;
}

/** What a recount of all that was sent came to. */
export interface FaultOutcome {
  acknowledged: number;
  /** Sent without an answer, as their node was killed; some of them were counted. */
  unanswered: number;
  /** Batches that were acknowledged and are not there, and such that count more than once. */
  lost: number;
  twice: number;
  /** Counts that differ from the recount of the batches that are there. */
  wrong: number;
}

const nodesAtOnce = 2;

type Surroundings = Pick<Bench, 'folder' | 'signal' | 'log'>;

/** Kills nodes and databases under load, and recounts. Undefined: this machine has no PostgreSQL. */
export async function runFaults(given: Surroundings, faults: Faults): Promise<FaultOutcome | undefined> {
  // PostgreSQL is another user where this is root.
  await chmod(given.folder, 0o755);
  const primary = await PostgresServer.start(await folderIn(given, 'primary'), followed);
  if (!primary) return undefined;
  await using run = new FaultRun(given, primary);
  return await run.go(faults);
}

export async function measurePostgresFaults(bench: Bench): Promise<Finding[]> {
  const faults = { nodeKills: 10, databaseKills: 10, failovers: 1 };
  const outcome = await runFaults(bench, faults);
  if (!outcome) return [{ what: 'left out', value: 'PostgreSQL is not installed' }];
  const { acknowledged, unanswered, lost, twice, wrong } = outcome;
  const none = (what: string, value: number) => ({ what, value: String(value), target: atMost(value, 0) });
  return [
    { what: 'kills of nodes; of PostgreSQL; failovers', value: '10; 10; 1' },
    {
      what: `batches of ${viewsPerBatch} acknowledged`,
      value: String(acknowledged),
      target: atLeast(acknowledged, 1),
    },
    { what: 'unanswered at a kill', value: String(unanswered) },
    none('acknowledged and lost', lost),
    none('counted twice', twice),
    none('counts that a recount disagrees with', wrong),
  ];
}

class FaultRun implements AsyncDisposable {
  readonly #given: Surroundings;
  readonly #servers: PostgresServer[];
  readonly #nodes: { child: Child; journal: string }[] = [];
  readonly #running: Child[] = [];
  #standby: PostgresServer | undefined;

  constructor(given: Surroundings, primary: PostgresServer) {
    this.#given = given;
    this.#servers = [primary];
  }

  async go({ nodeKills, databaseKills, failovers }: Faults): Promise<FaultOutcome> {
    // Without one that follows it the primary would not commit anything.
    await this.#follow();
    await runIn(this.#primary.urlOf('postgres'), 'create database faults');
    await this.#prepare();
    for (let i = 0; i < nodesAtOnce; i++) await this.#startNode();
    for (let i = 0; i < Math.max(nodeKills, databaseKills); i++) {
      if (i < nodeKills) await this.#killNode();
      if (i < databaseKills) await this.#killDatabase();
    }
    for (let i = 0; i < failovers; i++) await this.#failOver();
    await pause(500);
    for (const node of this.#running) node.send('SIGTERM');
    for (const node of this.#running) await node.ended();
    return this.#recount();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#nodes) await child[Symbol.asyncDispose]();
    for (const server of this.#servers) await server.end('SIGKILL');
  }

  get #primary(): PostgresServer {
    return this.#servers[0] as PostgresServer;
  }

  /** All servers that there ever were, as the counter knows them. */
  get #url(): string {
    const hosts = this.#servers.map(({ port }) => `127.0.0.1:${port}`);
    return this.#primary.urlOf('faults').replace(/127\.0\.0\.1:\d+/, hosts.join(','));
  }

  async #prepare(): Promise<void> {
    const store = await openPostgresStore(this.#url);
    const settings = projectSettings.parse({ name: 'Faults' });
    await store.addProject({ id: faultProject, settings, createdAt: '' }, []);
    await openDay(store, faultProject, faultDay, randomBytes(45));
    await store.close();
  }

  async #follow(): Promise<void> {
    const folder = await folderIn(this.#given, `standby-${this.#servers.length}`);
    this.#standby = await PostgresServer.startStandby(folder, this.#primary);
    this.#servers.push(this.#standby);
  }

  async #startNode(): Promise<void> {
    const node = this.#nodes.length + 1;
    const journal = join(this.#given.folder, `journal-${node}`);
    const task: FaultyNode = { url: this.#url, node, journal };
    const file = join(import.meta.dirname, 'node.ts');
    const child = new Child(process.execPath, [file, JSON.stringify(task)], { signal: this.#given.signal });
    await child.said(/counting/);
    this.#nodes.push({ child, journal });
    this.#running.push(child);
  }

  async #killNode(): Promise<void> {
    await this.#progress(200);
    const killed = this.#running.shift();
    killed?.send('SIGKILL');
    await this.#startNode();
  }

  async #killDatabase(): Promise<void> {
    await this.#progress(350);
    await this.#primary.end('SIGKILL');
    await this.#startAgain();
  }

  /** Its children notice its end a moment later, and until then it does not start. */
  async #startAgain(): Promise<void> {
    for (let tries = 0; ; tries++) {
      await pause(100);
      const failure = await this.#primary.start().catch((error: Error) => error);
      if (!failure) return;
      if (tries === 50) throw failure;
    }
  }

  /** The standby has all that was acknowledged, and nobody hears of the old primary again. */
  async #failOver(): Promise<void> {
    await this.#progress(300);
    await this.#primary.end('SIGKILL');
    const standby = this.#standby as PostgresServer;
    await runIn(standby.urlOf('postgres'), 'select pg_promote()');
    this.#given.log('a standby took over');
    await this.#progress(1_000);
  }

  /** Until something more was acknowledged, and for so long at least. */
  async #progress(ms: number): Promise<void> {
    const before = this.#acknowledged().size;
    await pause(ms);
    while (this.#acknowledged().size === before) {
      this.#given.signal.throwIfAborted();
      await pause(20);
    }
  }

  #acknowledged(): Set<string> {
    return this.#written('acknowledged');
  }

  /** Paths of batches. */
  #written(what: 'sent' | 'acknowledged'): Set<string> {
    const paths = this.#nodes.flatMap(({ journal }, i) => {
      const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
      return lines.flatMap((line) => {
        const [said, number] = line.split(' ');
        return said === what ? [pathOf(i + 1, Number(number))] : [];
      });
    });
    return new Set(paths);
  }

  async #recount(): Promise<FaultOutcome> {
    const store = await openPostgresStore(this.#url);
    const acknowledged = this.#acknowledged();
    const sent = this.#written('sent');
    const views = await totalsByPath(store, 'views');
    const visitors = await totalsByPath(store, 'visitors');
    const { totals } = await store.readCounts(reportOf('visitors'));
    await store.close();
    const counted = [...sent].filter((path) => views.has(path));
    const all = new Set<bigint>();
    let wrong = views.size === counted.length ? 0 : 1;
    for (const path of counted) {
      const [, node, number] = path.split('/').map(Number) as [number, number, number];
      const ids = new Set(batchOf(node, number).map(({ visitor }) => visitor));
      if (visitors.get(path) !== ids.size) wrong++;
      for (const id of ids) all.add(id);
    }
    if (totals.total !== all.size) wrong++;
    return {
      acknowledged: acknowledged.size,
      unanswered: sent.size - acknowledged.size,
      lost: [...acknowledged].filter((path) => !views.has(path)).length,
      twice: [...views.values()].filter((count) => count !== viewsPerBatch).length,
      wrong,
    };
  }
}

const reportOf = (measure: 'views' | 'visitors', offset = 0) => ({
  projectId: faultProject,
  dimension: 'path' as const,
  measure,
  from: null,
  to: null,
  limit: 1_000,
  offset,
});

async function totalsByPath(store: Store, measure: 'views' | 'visitors'): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  for (let offset = 0, hasMore = true; hasMore; offset += 1_000) {
    const page = await store.readCounts(reportOf(measure, offset));
    for (const { name, total } of page.rows) totals.set(name, total);
    hasMore = page.hasMore;
  }
  return totals;
}

async function folderIn({ folder }: Surroundings, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  return path;
}
