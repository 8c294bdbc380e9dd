import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AddedProject } from '../../server/operations/projects.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { atLeast, atMost, type Bench, type Finding } from '../bench.ts';
import { addProject, type HeadcountServer, startHeadcount } from '../server.ts';
import { percentile } from '../statistics.ts';
import { Ledger } from './ledger.ts';
import { openSmallVolume, type SmallVolume } from './small-volume.ts';
import { readSlowly, sendHits } from './soak-load.ts';

const slowReaders = 4;

/** What the server went through. */
interface Troubles {
  kills: number;
  stops: number;
  fullDisks: number;
  /** From when there was room again, or the server started again, to the next hit that was counted; in ms. */
  recoveriesMs: number[];
  /** Of an ordinary report beside all this, in ms, and how many were refused. */
  reportsMs: number[];
  refusedReports: number;
}

/** A server that is held up by everything at once for some minutes, and what it has counted at the end. */
export async function measureSoak(bench: Bench, minutes: number): Promise<Finding[]> {
  await using volume = await openSmallVolume(join(bench.folder, 'soak'));
  const project = await addProject(bench, volume.folder);
  const ledger = new Ledger();
  const troubles: Troubles = {
    kills: 0,
    stops: 0,
    fullDisks: 0,
    recoveriesMs: [],
    reportsMs: [],
    refusedReports: 0,
  };
  if (!volume.disk) bench.log('The full disk is left out: this user may not mount one (root may).');
  const run = new Soak(bench, volume, project, ledger, troubles, await freePort());
  const counted = await run.go(minutes * 60_000);
  return findings(minutes, ledger, troubles, counted, volume.disk !== undefined);
}

class Soak {
  readonly #bench: Bench;
  readonly #volume: SmallVolume;
  readonly #project: AddedProject;
  readonly #ledger: Ledger;
  readonly #troubles: Troubles;
  readonly #port: number;
  #server: HeadcountServer | undefined;

  constructor(
    bench: Bench,
    volume: SmallVolume,
    project: AddedProject,
    ledger: Ledger,
    troubles: Troubles,
    port: number,
  ) {
    this.#bench = bench;
    this.#volume = volume;
    this.#project = project;
    this.#ledger = ledger;
    this.#troubles = troubles;
    this.#port = port;
  }

  /** Views by path and visitors in all, as reported by a server that was started afterwards. */
  async go(durationMs: number): Promise<{ views: Map<string, number>; visitors: Count }> {
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#bench.signal]);
    const target = { port: this.#port, projectId: this.#project.projectId };
    await this.#start();
    const load = Promise.all([
      sendHits(target, this.#ledger, signal),
      this.#readReports(signal),
      ...Array.from({ length: slowReaders }, () => readSlowly(target, this.#project.adminKey, signal)),
    ]);
    try {
      await this.#trouble(performance.now() + durationMs);
    } finally {
      enough.abort();
      await load;
      await this.#volume.disk?.free();
    }
    await this.#server?.[Symbol.asyncDispose]();
    await using last = await this.#start();
    return {
      views: await allViews(last),
      visitors: (await last.get<{ totals: Count }>('visitors?limit=1')).totals,
    };
  }

  /** A kill, a full disk, a stop, a kill on a full disk, and again. */
  async #trouble(until: number): Promise<void> {
    const kinds = [
      () => this.#kill(),
      () => this.#fillDisk(() => pause(3_000)),
      () => this.#stop(),
      () => this.#kill(),
      () => this.#fillDisk(() => this.#end('SIGKILL')),
    ];
    for (let i = 0; performance.now() < until && !this.#bench.signal.aborted; i++) {
      // Of different lengths, so that it is met in different states.
      await pause(1_500 + ((i * 1_117) % 4_000));
      await kinds[i % kinds.length]?.();
      const inSeconds = Math.round((until - performance.now()) / 1_000);
      if (i % 10 === 9)
        this.#bench.log(`${this.#ledger.outcomes.counted} hits counted, ${inSeconds} s to go`);
    }
  }

  async #kill(): Promise<void> {
    await this.#end('SIGKILL');
    await this.#recover(() => this.#start());
  }

  async #stop(): Promise<void> {
    await this.#end('SIGTERM');
    await this.#recover(() => this.#start());
  }

  async #fillDisk(meanwhile: () => Promise<unknown>): Promise<void> {
    const { disk } = this.#volume;
    if (!disk) return;
    await disk.fill();
    this.#troubles.fullDisks++;
    await meanwhile();
    await this.#recover(async () => {
      await disk.free();
      if (!this.#server) await this.#start();
    });
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    if (signal === 'SIGKILL') process.kill(server.pid, signal);
    await server[Symbol.asyncDispose]();
    this.#troubles[signal === 'SIGKILL' ? 'kills' : 'stops']++;
  }

  async #start(): Promise<HeadcountServer> {
    const settings = { HEADCOUNT_PORT: String(this.#port) };
    this.#server = await startHeadcount(this.#bench, this.#volume.folder, this.#project, settings);
    return this.#server;
  }

  /** Waits until hits are counted again, for half a minute at most. */
  async #recover(mend: () => Promise<unknown>): Promise<void> {
    const since = performance.now();
    await mend();
    const mendedAt = performance.now();
    while (this.#ledger.lastCountedAt < mendedAt && performance.now() < mendedAt + 30_000) await pause(10);
    this.#troubles.recoveriesMs.push(performance.now() - since);
  }

  async #readReports(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const since = performance.now();
      try {
        await this.#server?.get('views?limit=50');
        this.#troubles.reportsMs.push(performance.now() - since);
      } catch {
        this.#troubles.refusedReports++;
      }
      await pause(500);
    }
  }
}

async function allViews(server: HeadcountServer): Promise<Map<string, number>> {
  const views = new Map<string, number>();
  for (let offset = 0, hasMore = true; hasMore; offset += 250) {
    const page = await server.get<{ views: (Count & { path: string })[]; hasMore: boolean }>(
      `views?limit=250&offset=${offset}`,
    );
    for (const { path, total } of page.views) views.set(path, total);
    hasMore = page.hasMore;
  }
  return views;
}

function findings(
  minutes: number,
  ledger: Ledger,
  { kills, stops, fullDisks, recoveriesMs, reportsMs, refusedReports }: Troubles,
  { views, visitors }: { views: Map<string, number>; visitors: Count },
  hasDisk: boolean,
): Finding[] {
  const { counted, refused, unanswered, late, unexpected } = ledger.outcomes;
  const { lost, invented } = ledger.compare(views);
  const exact = (what: string, value: number) => ({ what, value: String(value), target: atMost(value, 0) });
  const slowest = Math.round(Math.max(...recoveriesMs) / 100) / 10;
  return [
    { what: 'minutes; hits acknowledged', value: `${minutes}; ${counted}`, target: atLeast(counted, 1) },
    {
      what: `kills; stops; slow readers`,
      value: `${kills}; ${stops}; ${slowReaders}`,
      target: atLeast(kills, 1),
    },
    {
      what: 'full disks',
      value: hasDisk ? String(fullDisks) : 'left out: no right to mount',
      ...(hasDisk && { target: atLeast(fullDisks, 1) }),
    },
    { what: 'hits refused (503, or no server); unanswered at a kill', value: `${refused}; ${unanswered}` },
    exact('acknowledged views that are missing', lost),
    exact('views beyond those acknowledged or unanswered', invented),
    exact('visitors too many or too few', ledger.visitorsOff(visitors)),
    exact('hits with another answer than 202 or 503', unexpected),
    exact('hits without an answer for 15 s', late),
    { what: 'seconds until hits count again, at most', value: String(slowest), target: atMost(slowest, 10) },
    {
      what: '95th percentile of a report, in ms; reports refused',
      value: `${Math.round(percentile(reportsMs, 0.95))}; ${refusedReports}`,
    },
  ];
}

/** One that stays the same over restarts. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
