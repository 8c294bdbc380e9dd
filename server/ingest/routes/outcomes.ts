import type { DropReason } from '../../../shared/hit.ts';
import type { RefusedReason } from '../../counting/hit/refused-views.ts';
import type { View } from '../../counting/view.ts';
import { ApiError } from '../../errors.ts';
import type { Proofs } from '../../identity/proof/proof.ts';
import type { Drop, JudgedHit } from '../hit/hit.ts';
import { noFates } from '../hit/hit-fate.ts';
import { tallied } from '../hit/hit-judge.ts';
import type { RecentVisitors } from '../recent-visitors.ts';
import { notStored, type Refusals } from '../refusals.ts';
import type { Salts } from '../sealing/salts.ts';
import type { SeenHosts } from '../seen-hosts.ts';
import type { ViewBuffer } from '../view-buffer.ts';

/** What became of a hit: counted and durable, or not counted and why. */
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

/** Notes what became of hits, where it has to be known. */
export class Outcomes {
  readonly #parts: Parts;
  /** Hits since the start. */
  readonly fates = noFates();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  drop(drop: Drop): HitOutcome {
    this.noteDrop(drop);
    if (!('tally' in drop)) return drop;
    this.#parts.buffer.tally(drop);
    return { dropped: drop.dropped };
  }

  /** Of a hit that is tallied already. */
  noteDrop({ dropped }: Drop): void {
    this.fates[dropped]++;
  }

  count({ projectId, visitor, kind }: View, { at, project, page }: JudgedHit): HitOutcome {
    if (kind === 'ai') this.fates.ai++;
    else this.fates.human++;
    this.#parts.recent.add(projectId, visitor, kind, at);
    this.#parts.seenHosts.note(project, page.host);
    return counted;
  }

  /** The day was sealed between the look at its salt and the commit. */
  refuse(hit: JudgedHit): HitOutcome {
    this.#parts.salts.forget(hit.project.id, hit.day);
    return this.drop(tallied(hit, 'too_old'));
  }

  /** The same of a hit that is tallied already, or another node knew better. */
  noteRefused(hit: JudgedHit, reason: RefusedReason): void {
    if (reason === 'too_old') this.#parts.salts.forget(hit.project.id, hit.day);
    this.fates[reason]++;
  }

  /** Nothing of these hits was stored. */
  notAccepted(hits: readonly JudgedHit[]): void {
    this.fates.overloaded += hits.length;
    this.release(hits);
  }

  /** A hit that is not accepted comes again, and a signature is good for one request only. */
  release(hits: readonly JudgedHit[]): void {
    for (const { findings } of hits) if (findings) this.#parts.proofs.release(findings);
  }

  notOpened(hits: readonly JudgedHit[], error: unknown): ApiError {
    this.notAccepted(hits);
    if (error instanceof ApiError) return error;
    this.#parts.refusals.add(error, hits.length);
    return notStored(error);
  }
}
