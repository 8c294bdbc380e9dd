import type { AddedProject } from '../../server/operations/projects.ts';

/** What sealed days take on disk. */
export interface Space {
  bytes: number;
  /** Days times paths. */
  cells: number;
  /** Bytes by table and index (https://sqlite.org/dbstat.html). */
  tables: { name: string; bytes: number }[];
  /** Rows of counts by the days that each sums up. */
  spans: { span: number; rows: number }[];
}

/** Counts of a year, ready for reports. */
export interface Year {
  dataDir: string;
  /** The same days with a thousand times the views and visitors. */
  thousandfoldDir: string;
  project: AddedProject;
  /** The year up to and including today, as a report is asked for it. */
  range: string;
  days: number;
  space: Space;
}
