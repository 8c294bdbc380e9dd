import { type DropReason, dropReasonNames } from '../../../shared/drop-reasons.ts';
import type { RefusedReason } from '../../counting/hit/refused-views.ts';
import type { View } from '../../counting/view.ts';
import { ApiError } from '../../errors.ts';
import type { Proofs } from '../../identity/proof/proof.ts';
import type { Log } from '../../log.ts';
import type { LiveProject, Registry } from '../../projects/registry.ts';
import type { ProjectStore } from '../../store/projects.ts';
import { isNewHost } from '../../store/seen-hosts.ts';
import { type ClassifiedHit, type Drop, toDrop } from '../hit/hit.ts';
import type { RecentVisitors } from '../recent-visitors.ts';
import type { Salts } from '../sealing/salts.ts';
import { notStored, type Refusals, type ViewBuffer } from '../view-buffer.ts';

/** The outcome of a hit: counted and durable, or not counted and why. */
export type HitOutcome = { dropped?: undefined } | { dropped: DropReason; error?: string };

const counted: HitOutcome = {};

interface Parts {
  buffer: ViewBuffer;
  recent: Pick<RecentVisitors, 'add'>;
  salts: Salts;
  proofs: Proofs;
  refusals: Refusals;
  seenHosts: Pick<SeenHosts, 'note'>;
}

/** Records the outcomes of hits. */
export class Outcomes {
  readonly #parts: Parts;
  /** Hits since the start. */
  readonly outcomeCounts = noOutcomes();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  drop(drop: Drop): HitOutcome {
    this.noteDrop(drop);
    if (!('dayCounters' in drop)) return drop;
    this.#parts.buffer.addDrop(drop);
    return { dropped: drop.dropped };
  }

  /** Of a hit whose counters are added already. */
  noteDrop({ dropped }: Drop): void {
    this.outcomeCounts[dropped]++;
  }

  count({ projectId, visitor, kind }: View, { at, project, page }: ClassifiedHit): HitOutcome {
    if (kind === 'ai') this.outcomeCounts.ai++;
    else this.outcomeCounts.human++;
    this.#parts.recent.add(projectId, visitor, kind, at);
    this.#parts.seenHosts.note(project, page.host);
    return counted;
  }

  /** The day was sealed between the look at its salt and the commit. */
  refuse(hit: ClassifiedHit): HitOutcome {
    this.#parts.salts.forget(hit.project.id, hit.day);
    return this.drop(toDrop(hit, 'too_old'));
  }

  /** The same for a hit whose counters are added already, or was rejected by another node. */
  noteRefused(hit: ClassifiedHit, reason: RefusedReason): void {
    if (reason === 'too_old') this.#parts.salts.forget(hit.project.id, hit.day);
    this.outcomeCounts[reason]++;
  }

  /** Nothing of these hits was stored. */
  notAccepted(hits: readonly ClassifiedHit[]): void {
    this.outcomeCounts.overloaded += hits.length;
    this.release(hits);
  }

  /** A hit that is not accepted comes again, and a signature is good for one request only. */
  release(hits: readonly ClassifiedHit[]): void {
    for (const { findings } of hits) if (findings) this.#parts.proofs.release(findings);
  }

  notOpened(hits: readonly ClassifiedHit[], error: unknown): ApiError {
    this.notAccepted(hits);
    if (error instanceof ApiError) return error;
    this.#parts.refusals.add(error, hits.length);
    return notStored(error);
  }
}

/** Counted as a person's or an AI client's view, dropped for a reason, or not accepted. */
export type OutcomeName = 'human' | 'ai' | 'overloaded' | DropReason;

export function noOutcomes(): Record<OutcomeName, number> {
  const dropped = Object.fromEntries(dropReasonNames.map((reason) => [reason, 0]));
  return { human: 0, ai: 0, overloaded: 0, ...(dropped as Record<DropReason, number>) };
}

interface SeenHostsParts {
  store: Pick<ProjectStore, 'noteHost'>;
  registry: Pick<Registry, 'catchUp'>;
  log: Log;
}

/** Notes the hosts of a project's pages, so that its owner can choose those of the site. */
export class SeenHosts {
  readonly #parts: SeenHostsParts;
  /** By project and host: what is being noted. */
  readonly #noting = new Map<string, Promise<void>>();

  constructor(parts: SeenHostsParts) {
    this.#parts = parts;
  }

  /** After a view was counted. */
  note({ id, settings: { seenHosts } }: LiveProject, host: string): void {
    if (seenHosts.includes(host) || !isNewHost(seenHosts, host)) return;
    const key = `${id} ${host}`;
    if (this.#noting.has(key)) return;
    const noting = this.#note(id, host).finally(() => this.#noting.delete(key));
    this.#noting.set(key, noting);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  async #note(projectId: string, host: string): Promise<void> {
    const { store, registry, log } = this.#parts;
    try {
      // Hosts of many projects may be new at once: all of them are read together.
      if (await store.noteHost(projectId, host)) await registry.catchUp();
    } catch (error) {
      // The next view of the host tries again.
      log.error('A host that was counted could not be noted:', error);
    }
  }
}
