import type { Problem, SurroundingProblem } from '../../ingest/sealing/calendar-check.ts';

/** A finding of the check about the surroundings of the database. */
export interface Remarks {
  problems: Problem[];
  /** Not a problem, as it may be intended. */
  advice: Problem[];
}

export const noRemarks: Remarks = { problems: [], advice: [] };

export interface Remark {
  problem: Problem;
  isAdvice: boolean;
}

export function remark(kind: SurroundingProblem, message: string, isAdvice = false): Remark {
  return { problem: { kind, projectId: null, message, repair: null }, isAdvice };
}

export function advice(kind: SurroundingProblem, message: string): Remark {
  return remark(kind, message, true);
}
