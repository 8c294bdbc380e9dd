import { counters } from '../../../../shared/reports/counters.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { CounterIncrement } from '../../../counting/counter.ts';
import { otherName } from '../../../counting/names/name-cap.ts';
import {
  admittedEntry,
  type StoredVisitorKey,
  sharedNames,
  visitorKeyCounters,
} from '../../../counting/visitor-key.ts';
import type { CounterSum } from '../../counts/view-table.ts';
import type { Connection } from '../connection.ts';

type CounterDay = [project: number, counter: number, day: Day];

/** Adds to the sums by day that are no views; inside transactions. */
export function counterRows(db: Connection) {
  const ofDay = 'project = ? and tally = ? and day = ?';
  const named = `select count(*) from tallies where ${ofDay} and name <> '${otherName}'`;
  const projectOf = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
  const raise = db.prepare<[hits: number, amount: number, ...CounterDay, string, string]>(
    `update tallies set hits = hits + ?, amount = amount + ? where ${ofDay} and subject = ? and name = ?`,
  );
  const addRow = db.prepare<[...CounterDay, string, string, number, number]>(
    `insert into tallies (project, tally, day, subject, name, hits, amount) values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set hits = hits + excluded.hits, amount = amount + excluded.amount`,
  );
  const takeVisitorKeys = db.prepare<[project: number, day: Day], StoredVisitorKey>(
    `delete from tallies where project = ? and tally in (${visitorKeyCounters}) and day = ?
     returning day, subject as "group", name`,
  );
  const countAll = db.prepare<CounterDay, number>(named).pluck();
  const countOf = db.prepare<[...CounterDay, string], number>(`${named} and subject = ?`).pluck();

  /** `project`: its row. Answers them under the names that they got. */
  function add(project: number, day: Day, sums: readonly CounterSum[]): CounterSum[] {
    return sums.map((sum) => addOne(project, day, sum));
  }

  /** Of a day that is being sealed. `project`: its row. */
  function seal(project: number, day: Day): void {
    for (const { group, name, hits } of sharedNames(takeVisitorKeys.all(project, day))) {
      addRow.run(project, counters['text-fragments'].number, day, group, name, hits, 0);
    }
  }

  /** Those of projects that are not there are left out. Answers the others under the names that they got. */
  function addCounts(counts: readonly CounterIncrement[]): CounterSum[] {
    return counts.flatMap(({ projectId, day, ...sum }) => {
      const project = projectOf.get(projectId);
      return project === undefined ? [] : addOne(project, day, sum);
    });
  }

  function addOne(project: number, day: Day, sum: CounterSum): CounterSum {
    const { counter, group, name, hits, amount } = sum;
    const of: CounterDay = [project, counters[counter].number, day];
    if (raise.run(hits, amount, ...of, group, name).changes > 0) return sum;
    const admitted = admittedEntry(
      { counter, group, name },
      {
        all: countAll.get(...of) ?? 0,
        ofGroup: countOf.get(...of, group) ?? 0,
      },
    );
    addRow.run(...of, admitted.group, admitted.name, hits, amount);
    return { ...sum, ...admitted };
  }

  return { add, seal, addCounts };
}
