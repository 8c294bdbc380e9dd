/** The columns that say what a row of `counts` is of. */
export const countKey = 'shard, project, span, day, what, parent, name, slot';

export const sumNames = ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'] as const;

export const sumColumns = sumNames.join(', ');

export const addedSums = sumNames.map((name) => `sum(${name})`).join(', ');

/** Ends an `insert into counts as c` that adds to what is there. */
export const orAdd = `
  on conflict (${countKey}) do update set ${sumNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}`;
