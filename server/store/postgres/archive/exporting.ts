import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import { recordsAtATime } from '../../archive/archive-store.ts';
import type { Connection } from '../connection.ts';
import { type CountedProject, findDays, findProject } from '../counts/counted-project.ts';
import { readOpenGoals, withoutEntries } from '../counts/goals.ts';
import type { VisitDay, VisitSum } from '../counts/sums.ts';
import { readOpenVisits, readViewedDays } from '../counts/visits.ts';
import type { Database } from '../database.ts';
import { type Row, type Section, sectionsOf } from './sections.ts';

async function readAllVisits(connection: Connection, project: CountedProject): Promise<VisitSum[]> {
  const counted = await findDays(connection, project);
  const days = await connection.query<VisitDay>('select id, day from days where project = $1', [project.id]);
  if (!counted || days.length === 0) return [];
  const viewed = await readViewedDays(connection, project, counted.first, counted.last + 1);
  const { measured, sums } = await readOpenVisits(connection, project, days, viewed);
  const goals = await readOpenGoals(
    connection,
    project,
    days.filter(({ day }) => measured.includes(day)),
  );
  return [...sums, ...withoutEntries(goals)];
}

/** One for each, as a prepared `fetch` has the columns that it began with. */
function cursorOf({ type }: Section): string {
  return `records_of_${type}`;
}

/** Reads a project's records one after the other, all of one moment. */
export class ProjectExport {
  readonly #connection: Connection;
  readonly #sections: Section[];
  #records = 0;
  #isOpen = false;

  /** Undefined: there is no such project. */
  static async begin(database: Database, projectId: string): Promise<ProjectExport | undefined> {
    const connection = await database.connect();
    try {
      await connection.run('begin isolation level repeatable read read only');
      // Whoever takes the records may be slow.
      await connection.run('set local idle_in_transaction_session_timeout = 0');
      const project = await findProject(connection, projectId);
      if (project) return new ProjectExport(connection, project, await readAllVisits(connection, project));
    } catch (error) {
      // It would keep the process waiting.
      connection.destroy();
      throw error;
    }
    await connection.close();
    return undefined;
  }

  private constructor(connection: Connection, project: CountedProject, visits: readonly VisitSum[]) {
    this.#connection = connection;
    this.#sections = sectionsOf(project, visits);
  }

  /** None: that was all. */
  async next(): Promise<ArchiveRecord[]> {
    for (;;) {
      const section = this.#sections[0];
      if (!section) return this.#end();
      if (!this.#isOpen) await this.#open(section);
      const rows = await this.#connection.query<Row>(
        `fetch ${recordsAtATime(section.type)} from ${cursorOf(section)}`,
      );
      this.#records += rows.length;
      if (rows.length > 0) {
        return rows.map(
          (row) => ({ type: section.type, ...(section.toRecord?.(row) ?? row) }) as ArchiveRecord,
        );
      }
      await this.#connection.run(`close ${cursorOf(section)}`);
      this.#isOpen = false;
      this.#sections.shift();
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #open(section: Section): Promise<void> {
    await this.#connection.query(
      `declare ${cursorOf(section)} no scroll cursor for ${section.sql}`,
      section.values,
    );
    this.#isOpen = true;
  }

  #end(): ArchiveRecord[] {
    const records = this.#records;
    if (records < 0) return [];
    this.#records = -1;
    return [{ type: 'end', records }];
  }
}
