import { belongingTo } from '../../../database/tables/tables.ts';
import type { ForgetProject } from '../../projects.ts';

/** What does not go with the project's row by itself. */
export const removeCounts: ForgetProject = async (sql, project) => {
  for (const { name } of belongingTo('days', 'sqlite'))
    await sql.query(`delete from ${name} where day in (select id from days where project = $1)`, [project]);
  for (const name of ['days', ...belongingTo('projects', 'sqlite').map((table) => table.name)])
    await sql.query(`delete from ${name} where project = $1`, [project]);
};
