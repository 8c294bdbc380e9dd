import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AddedProject } from '../server/commands/project.ts';
import { Calendar } from '../server/day.ts';
import { databaseFile, openSqliteStore } from '../server/store/sqlite/store.ts';
import { what } from '../server/store/sqlite/what.ts';
import type { Day, View } from '../server/store/store.ts';
import { randomNumbers, zipf } from './random.ts';
import { paths } from './traffic.ts';

export const seededVisitors = 10_000_000;

const source = '(direct)';

/** Each visitor's page; ten million are a whole number of times as many. */
const drawCount = 10_000;

/** The project's open day. */
interface SeededDay {
  row: number;
  project: number;
  day: Day;
}
