import type { AutomationSettings } from '../../../shared/jobs/automation.ts';
import type { PageOfRows } from '../page.ts';

/** What starts jobs by itself: at times, or when something happens. */
export interface Automation {
  projectId: string;
  /** Unique in the project. */
  id: string;
  settings: AutomationSettings;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Since when it is on, with the times or triggers that it has now; null: it is off. */
  onSince: number | null;
}

/** What an automation did at one time, or about one thing. */
export interface AutomationRun {
  /** The time, or the thing: a job is started for it once. */
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Null: no job was started. */
  jobId: string | null;
  /** Why none was. */
  reason: string | null;
}

/** A project holds so many at most. */
export const maxAutomations = 50;

/** The rules of `Store` hold. Jobs are started by `JobStore.startJob`, which notes the run. */
export interface AutomationStore {
  /** `full`: there are `maxAutomations`; `gone`: there is no such project. */
  addAutomation(automation: Automation): Promise<'added' | 'full' | 'gone'>;
  /** Answers false where there is none. */
  setAutomation(automation: Omit<Automation, 'createdAt'>): Promise<boolean>;
  /** With its runs. Answers false where there is none. */
  removeAutomation(projectId: string, id: string): Promise<boolean>;
  /** The oldest first. */
  listAutomations(projectId: string): Promise<Automation[]>;
  /** Those of all projects that are on. */
  listEnabled(): Promise<Automation[]>;
  /** Those of the keys that it has a run of. */
  findRuns(projectId: string, id: string, keys: readonly string[]): Promise<AutomationRun[]>;
  /** A run without a job, in the place of one without a job; nothing happens where the automation is gone. */
  noteRun(projectId: string, id: string, run: Omit<AutomationRun, 'jobId'>): Promise<void>;
  /** The newest first. */
  listRuns(query: {
    projectId: string;
    id: string;
    limit: number;
    offset: number;
  }): Promise<PageOfRows<AutomationRun>>;
}
