import type { Problem, SurroundingProblem } from '../../ingest/sealing/calendar-check.ts';

/** What a check tells of what is around the database. */
export interface Remarks {
  problems: Problem[];
  /** What an operator should know, and may have meant to be so. */
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
