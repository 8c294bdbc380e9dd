import { maxSavedViews, type NewSavedView } from '../../shared/reports/saved-views.ts';
import { has, type Sql } from '../database/sql.ts';
import { lockProject } from './projects.ts';

/** Filters, days, a comparison and a page of the dashboard under a name. */
export interface SavedView extends NewSavedView {
  /** Unique in the project, as its name is. */
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export type SavedViewStore = ReturnType<typeof savedViews>;

export function savedViews(sql: Sql) {
  return {
    /**
     * Adds one, or changes the one of that id. `repeated`: another one has the name; `full`: there are `maxSavedViews`; `gone`: there
     * is no such project, or none to change.
     */
    setSavedView(
      projectId: string,
      { id, name, createdAt, ...view }: SavedView,
      isNew: boolean,
    ): Promise<'added' | 'replaced' | 'repeated' | 'full' | 'gone'> {
      return sql.transaction(async (transaction) => {
        // Others wait, so that there are never too many, nor two of a name.
        const project = await lockProject(transaction, projectId);
        if (project === undefined) return 'gone';
        const kept = await transaction.query<{ id: string; name: string }>(
          'select id, name from saved_views where project = $1',
          [project],
        );
        if (!isNew && !kept.some((one) => one.id === id)) return 'gone';
        if (kept.some((one) => one.name === name && one.id !== id)) return 'repeated';
        if (isNew && kept.length >= maxSavedViews) return 'full';
        await transaction.query(
          `insert into saved_views (project, id, name, shows, created_at) values ($1, $2, $3, $4, $5)
           on conflict (project, id) do update set name = excluded.name, shows = excluded.shows`,
          [project, id, name, JSON.stringify(view), createdAt],
        );
        return isNew ? 'added' : 'replaced';
      });
    },

    /** Answers false where there is none. */
    removeSavedView: (projectId: string, id: string): Promise<boolean> =>
      has(
        sql,
        'delete from saved_views where project = (select id from projects where public_id = $1) and id = $2 returning id',
        [projectId, id],
      ),

    /** By name. */
    async listSavedViews(projectId: string): Promise<SavedView[]> {
      const kept = await sql.query<Pick<SavedView, 'id' | 'name' | 'createdAt'> & { shows: string }>(
        `select v.id, v.name, v.shows, v.created_at as "createdAt"
         from saved_views v join projects p on p.id = v.project
         where p.public_id = $1 order by v.name, v.id`,
        [projectId],
      );
      return kept.map(({ shows, ...view }) => ({ ...view, ...JSON.parse(shows) }) as SavedView);
    },
  };
}
