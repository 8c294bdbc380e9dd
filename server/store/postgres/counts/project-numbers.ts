import type { Queryable } from '../queryable.ts';

/** Of a project. */
interface Named {
  projectId: string;
}

const maxRemembered = 200_000;

/** Numbers of projects, which never change; that one is still there is looked at when something is counted for it. */
export class ProjectNumbers {
  readonly #known = new Map<string, number>();

  /** Tallies of projects that are there. */
  async number<Tally extends Named>(
    db: Queryable,
    tallies: readonly Tally[],
  ): Promise<(Omit<Tally, 'projectId'> & { project: number })[]> {
    const unknown = tallies.filter(({ projectId }) => !this.#known.has(projectId));
    const found = unknown.length > 0 ? await lookFor(db, unknown) : new Map<string, number>();
    const numbered = tallies.flatMap(({ projectId, ...tally }) => {
      const project = this.#known.get(projectId) ?? found.get(projectId);
      return project === undefined ? [] : [{ ...tally, project }];
    });
    if (this.#known.size + found.size > maxRemembered) this.#known.clear();
    for (const [id, number] of found) this.#known.set(id, number);
    return numbered;
  }
}

async function lookFor(db: Queryable, tallies: readonly Named[]): Promise<Map<string, number>> {
  const rows = await db.query<{ projectId: string; id: number }>(
    'select public_id as "projectId", id from projects where public_id = any ($1)',
    [[...new Set(tallies.map(({ projectId }) => projectId))]],
  );
  return new Map(rows.map(({ projectId, id }) => [projectId, id]));
}
