import { isSecondTelling, type Teller, tellingMs, tellingStep } from '../counting/hit/telling.ts';
import type { View } from '../counting/view.ts';
import type { JudgedHit } from './hit/hit.ts';

/** 20,000 texts of a few hundred characters. */
const maxViews = 20_000;

/** That one of the two, the site's server or the page itself, told of a view of which the other may tell, too. */
export interface Telling {
  isSecond: boolean;
  undo(): void;
}

/** Only AI clients are told of by both: a report leaves people to the script. And each tells of other events. */
export function tellerOf({ hit, kind }: JudgedHit): Teller | undefined {
  if (kind !== 'ai' || hit.event || (hit.via === 'report' && !hit.leavesPeople)) return undefined;
  return hit.via === 'report' ? 'report' : 'page';
}

/**
 * AI clients that run the script on a site whose server reports them are told of twice. Whichever comes second, for the
 * same visitor and path and soon after the first, is the same view. As tellings are matched one to one, whoever loads a
 * page twice is counted twice.
 */
export class Deduplication {
  readonly #now: () => number;
  /** Reports less tellings by the page, by view. Two generations: what is older than the second is forgotten. */
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #turnAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  tell(judged: JudgedHit, { projectId, path, visitor }: View): Telling | undefined {
    const by = tellerOf(judged);
    if (by === undefined) return undefined;
    const view = `${projectId} ${visitor} ${path}`;
    return { isSecond: this.note(view, by), undo: () => this.undo(view, by) };
  }

  /** Takes note of a telling; true: it is the second one of a view. */
  note(view: string, by: Teller): boolean {
    this.#forget();
    const balance = this.#balance(view);
    this.#young.set(view, balance + tellingStep[by]);
    return isSecondTelling(balance, by);
  }

  /** For a telling that is not accepted, as it comes again. */
  undo(view: string, by: Teller): void {
    this.#young.set(view, this.#balance(view) - tellingStep[by]);
  }

  #balance(view: string): number {
    return this.#young.get(view) ?? this.#old.get(view) ?? 0;
  }

  #forget(): void {
    const lateMs = this.#now() - this.#turnAt;
    if (lateMs < 0 && this.#young.size < maxViews) return;
    this.#old = lateMs < tellingMs ? this.#young : new Map();
    this.#young = new Map();
    this.#turnAt = this.#now() + tellingMs;
  }
}
