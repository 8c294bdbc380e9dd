import type { CheckedChange } from '../../server/jobs/site/check/task.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { Pull } from '../support/forge/api.ts';
import type { ProjectClient } from '../support/headcount.ts';
import type { ToolCall } from '../support/jobs/agent/tool-calls.ts';
import type { Scene } from './scene.ts';
import type { Views } from './seeded-views.ts';
import type { Files, SiteCommit, SiteName } from './site-files.ts';

/** What an agent is asked to do, and how what came of it is judged. */
export interface Task {
  /** Short, as it stands in the table and behind `--task`. */
  name: string;
  site: SiteName;
  /** What happened to the site before, oldest first. */
  commits?: readonly SiteCommit[];
  /** What is counted before the agent begins. */
  views?: readonly Views[];
  /** Of the project, where they differ from those of other tasks. */
  settings?: Partial<ProjectSettings>;
  prompt: string;
  /** What the prompt says besides, from what was counted. */
  evidence?: (project: ProjectClient) => Promise<string>;
  /** What people do once its first turn rests. */
  later?: (scene: Scene) => Promise<void>;
  /** Globs of the files that may change; none: nothing is to be delivered. */
  allowed: readonly string[];
  /** Besides those that hold for every task. */
  checks: readonly Check[];
  good: ScriptedRun;
  bad: readonly BadRun[];
}

/** What a scripted model does: these calls, and then these words. */
export interface ScriptedRun {
  calls: readonly ToolCall[];
  says: string;
  /** In the turns after it. */
  later?: readonly ScriptedRun[];
}

export interface BadRun extends ScriptedRun {
  /** Names of the checks that it fails, all of them. */
  fails: readonly string[];
}

export interface Check {
  name: string;
  /** What is wrong, in sentences. */
  find: (outcome: Outcome) => string[] | Promise<string[]>;
}

/** A line of a change. */
export interface ChangedLine {
  path: string;
  text: string;
}

/** What came of a run. */
export interface Outcome {
  task: Task;
  job: JobReply;
  pull: Pull | undefined;
  /** The files that the agent found, and those that it delivered. */
  before: Files;
  after: Files;
  changes: readonly CheckedChange[];
  /** Whether it can be merged without anybody. */
  isMergeable: boolean;
  added: readonly ChangedLine[];
  removed: readonly ChangedLine[];
  /** What the agent said last. */
  words: string;
  /** What its tools refused. */
  refused: readonly string[];
  /** All that it could know: files, prompt and what was counted. */
  sources: string;
}

/** The text of a file that was delivered; '' where there is none. */
export function textOf({ after }: Outcome, path: string): string {
  return after.get(path) ?? '';
}

/** What a file should hold after the change, or should no longer. */
export function expectTexts(
  outcome: Outcome,
  path: string,
  { there = [], gone = [] }: { there?: readonly string[]; gone?: readonly string[] },
): string[] {
  const text = textOf(outcome, path);
  return [
    ...there.filter((part) => !text.includes(part)).map((part) => `${path} lacks ${JSON.stringify(part)}.`),
    ...gone.filter((part) => text.includes(part)).map((part) => `${path} has ${JSON.stringify(part)}.`),
  ];
}
