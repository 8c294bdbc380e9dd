import type { LiveProject } from '../../../projects/registry.ts';
import type { AutomationRun } from '../../../store/jobs/automations.ts';
import type { AutomationServices } from '../services.ts';

/** What a trigger found that no job was started for yet. */
export interface JobCause {
  /** A job is started for each once. */
  keys: readonly string[];
  /** For the agent: texts of strangers in it are quoted. */
  evidence: string;
}

/** What a trigger is asked with. */
export interface Search<When> {
  services: AutomationServices;
  project: LiveProject;
  when: When;
  memory: Memory;
}

/** What its automation did before. */
export interface Memory {
  /** Those of the keys that it has a run of. */
  known(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest first. */
  newest(): Promise<AutomationRun[]>;
  /** A key that no job is to be started for. */
  pass(key: string, reason: string): Promise<void>;
}

/** A job is about so many pages at most, as larger changes are seldom merged. */
export const maxPages = 10;

/** Answers those that have no run, as many as one job is about. */
export async function unknownOf<Thing extends { key: string }>(
  things: readonly Thing[],
  memory: Memory,
): Promise<Thing[]> {
  const known = await memory.known(things.map(({ key }) => key));
  return things.filter(({ key }) => !known.has(key)).slice(0, maxPages);
}
