import type { Day } from '../counting/calendar.ts';

/** What happened to a site on a day: a release or another note of its owner, or a pull request of a job that was merged. */
export interface Mark {
  projectId: string;
  /** Unique in the project. */
  id: string;
  day: Day;
  kind: 'release' | 'note' | 'merge';
  text: string;
  /** Of a release: paths of the site. Of a merged pull request: files of the repository. */
  touched: string[];
  /** Of the pull request. */
  url: string | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface MarkQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
}

/** Which version of the rules judged views of a day. */
export interface RuleDay {
  day: Day;
  version: number;
}

/** A project holds so many marks at most. */
export const maxMarks = 1000;

/** What explains a change in the counts. The rules of `Store` hold. */
export interface MarkStore {
  /** `repeated`: there is one of that id, which stays; `full`: there are `maxMarks`; `gone`: there is no such project. */
  addMark(mark: Mark): Promise<'added' | 'repeated' | 'full' | 'gone'>;
  /** Answers false where there is none. */
  removeMark(projectId: string, id: string): Promise<boolean>;
  /** By day, then id. */
  listMarks(query: MarkQuery): Promise<Mark[]>;
  /** Notes a version that judges views of a day; what is known already stays. */
  noteRules(projectId: string, ruleDay: RuleDay): Promise<void>;
  /** By day, then version. */
  listRules(projectId: string): Promise<RuleDay[]>;
}
