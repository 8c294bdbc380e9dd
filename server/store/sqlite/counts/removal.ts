import type { ForgetProject } from '../../projects.ts';

/** What does not go with the project's row by itself. */
export const removeCounts: ForgetProject = async (sql, project) => {
  for (const table of ['seen', 'newly_seen', 'visit_views'])
    await sql.query(`delete from ${table} where day in (select id from days where project = $1)`, [project]);
  for (const table of ['days', 'counts'])
    await sql.query(`delete from ${table} where project = $1`, [project]);
};
