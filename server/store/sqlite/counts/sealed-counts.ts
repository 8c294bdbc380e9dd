import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { Connection } from '../connection.ts';
import { orAdd } from './counts.ts';

/** Rows of one day and of what they count, up to a name. */
export interface Slice {
  project: number;
  what: number;
  parent: number;
  day: Day;
  last: number;
}

const isSlice =
  'project = @project and what = @what and parent = @parent and span = 1 and day = @day and name <= @last';

/** Takes counts of sealed days away, out of the larger blocks too. Used inside transactions. */
export function sealedCounts(db: Connection): (slice: Slice) => void {
  const subtract = db.prepare(
    `insert into counts (project, what, parent, span, day, name,
       human_visitors, ai_visitors, visitors, human_views, ai_views)
     select project, what, parent, @span, @start, name,
       -human_visitors, -ai_visitors, -visitors, -human_views, -ai_views
     from counts where ${isSlice}
     ${orAdd}`,
  );
  const deleteEmpty = db.prepare(
    `delete from counts where project = @project and what = @what and parent = @parent and span = @span and day = @start
       and human_views = 0 and ai_views = 0 and name in (select name from counts where ${isSlice})`,
  );
  const deleteSlice = db.prepare(`delete from counts where ${isSlice}`);
  return (slice) => {
    for (const { span, day: start } of largerBlocksOf(slice.day)) {
      subtract.run({ ...slice, span, start });
      deleteEmpty.run({ ...slice, span, start });
    }
    deleteSlice.run(slice);
  };
}
