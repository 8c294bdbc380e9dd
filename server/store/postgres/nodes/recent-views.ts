import type { Count } from '../../../../shared/reports/analytics.ts';
import { kindBits } from '../../../counting/sum.ts';
import { type RecentStore, type RecentView, recentMs } from '../../counts/recent-store.ts';
import { bigintArray, intArray } from '../counts/arrays.ts';
import type { Database } from '../database.ts';
import type { StoreClock } from '../store-clock.ts';

/** Who was counted lately, on whichever node. */
export class RecentViews implements RecentStore {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  async noteRecent(views: RecentView[]): Promise<void> {
    if (views.length === 0) return;
    await this.#database.query('select note_recent($1, $2, $3, $4, $5)', [
      views.map(({ projectId }) => projectId),
      bigintArray(views.map(({ visitor }) => visitor)),
      intArray(views.map(({ kind }) => kindBits[kind])),
      intArray(views.map(({ agoMs }) => agoMs)),
      this.#clock(),
    ]);
  }

  async countRecent(projectId: string): Promise<Count> {
    const [count] = await this.#database.snapshot((session) =>
      session.query<Count>(
        `select count(distinct visitor) filter (where kind = ${kindBits.human}) as human,
           count(distinct visitor) filter (where kind = ${kindBits.ai}) as ai, count(distinct visitor) as total
         from recent
         where project = (select id from projects where public_id = $1) and at > store_clock($2) - $3`,
        [projectId, this.#clock(), recentMs],
      ),
    );
    return count as Count;
  }

  async forgetRecent(): Promise<void> {
    await this.#database.query('select forget_recent($1, $2)', [this.#clock(), recentMs]);
  }
}
