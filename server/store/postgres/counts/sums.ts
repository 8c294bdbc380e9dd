import type { Day } from '../../../counting/calendar.ts';

/** The columns that say what a row of `counts` is of. */
export const countKey = 'shard, project, span, day, what, parent, name, slot';

export const sumNames = ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'] as const;

export const sumColumns = sumNames.join(', ');

export const addedSums = sumNames.map((name) => `sum(${name})`).join(', ');

/** Ends an `insert into counts as c` that adds to what is there. */
export const orAdd = `
  on conflict (${countKey}) do update set ${sumNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}`;

/** A day by its row. */
export interface VisitDay {
  id: number;
  day: Day;
}

/** What the visits of a day count under a name. */
export interface VisitSum extends Record<(typeof sumNames)[number], number> {
  day: Day;
  what: number;
  /** The goal; null: it is under none. */
  under: string | null;
  text: string;
}
