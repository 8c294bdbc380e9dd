import type { Day } from '../counting/calendar.ts';
import { has, type Sql } from '../database/sql.ts';
import { firstDay, lastDay } from './page.ts';
import { lockProject } from './projects.ts';

/** What happened to a site on a day: a release or another note of its owner, or a pull request of a job that was merged. */
export interface Annotation {
  projectId: string;
  /** Unique in the project. */
  id: string;
  day: Day;
  kind: 'release' | 'note' | 'merge';
  text: string;
  /** Of a release: paths of the site. Of a merged pull request: files of the repository. */
  affected: string[];
  /** Of the pull request. */
  url: string | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface AnnotationQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
}

/** The version of the rules that classified views of a day. */
export interface RuleDay {
  day: Day;
  version: number;
}

/** A project holds so many annotations at most. */
export const maxAnnotations = 1000;

export type AnnotationStore = ReturnType<typeof annotations>;

/** What explains a change in the counts. */
export function annotations(sql: Sql) {
  return {
    /** `repeated`: there is one of that id, which stays; `full`: there are `maxAnnotations`; `gone`: there is no such project. */
    addAnnotation({ projectId, ...annotation }: Annotation): Promise<'added' | 'repeated' | 'full' | 'gone'> {
      return sql.transaction(async (transaction) => {
        // Concurrent additions wait, so that there are never too many.
        const project = await lockProject(transaction, projectId);
        if (project === undefined) return 'gone';
        const { id, day, kind, text, affected, url, createdAt } = annotation;
        const kept = await transaction.query<{ id: string }>('select id from marks where project = $1', [
          project,
        ]);
        if (kept.some((one) => one.id === id)) return 'repeated';
        if (kept.length >= maxAnnotations) return 'full';
        await transaction.query(
          `insert into marks (project, id, day, kind, text, touched, url, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [project, id, day, kind, text, JSON.stringify(affected), url, createdAt],
        );
        return 'added';
      });
    },

    /** Answers false where there is none. */
    async removeAnnotation(projectId: string, id: string): Promise<boolean> {
      return has(
        sql,
        `delete from marks where project = (select id from projects where public_id = $1) and id = $2 returning id`,
        [projectId, id],
      );
    },

    /** By day, then id. */
    async listAnnotations({ projectId, from, to }: AnnotationQuery): Promise<Annotation[]> {
      const kept = await sql.query<Annotation & { affected: string }>(
        `select p.public_id as "projectId", m.id, day, kind, text, touched as affected, url, m.created_at as "createdAt"
         from marks m join projects p on p.id = m.project
         where p.public_id = $1 and day >= $2 and day < $3 order by day, m.id`,
        [projectId, from ?? firstDay, to ?? lastDay],
      );
      return kept.map((annotation) => ({
        ...annotation,
        affected: JSON.parse(annotation.affected) as string[],
      }));
    },

    /** Adds a version that classifies views of a day, unless it is known. */
    async noteRules(projectId: string, { day, version }: RuleDay): Promise<void> {
      await sql.query(
        `insert into rule_days (project, day, version)
         select id, $2, $3 from projects where public_id = $1 on conflict do nothing`,
        [projectId, day, version],
      );
    },

    /** By day, then version. */
    listRules: (projectId: string): Promise<RuleDay[]> =>
      sql.query<RuleDay>(
        `select day, version from rule_days r join projects p on p.id = r.project
         where p.public_id = $1 order by day, version`,
        [projectId],
      ),
  };
}
