import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Bench, Finding } from '../bench.ts';
import type { Space } from './year.ts';

export function measureSpace(file: string, cells: number): Space {
  const db = new Database(file, { readonly: true });
  try {
    return {
      bytes: statSync(file).size + statSync(`${file}-wal`).size,
      cells,
      tables: db
        .prepare<[], Space['tables'][number]>(
          'select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc limit 4',
        )
        .all(),
      spans: db
        .prepare<[], Space['spans'][number]>(
          'select span, count(*) as rows from counts group by span order by span',
        )
        .all(),
    };
  } finally {
    db.close();
  }
}

/** Bytes on disk per day and path, and what is in them. */
export async function spaceFindings(bench: Bench): Promise<Finding[]> {
  const { bytes, cells, tables, spans } = (await bench.year()).space;
  const perCell = (part: number) => (part / cells).toFixed(1);
  return [
    { what: 'bytes per day and path', value: perCell(bytes) },
    ...tables.map(({ name, bytes: part }) => ({ what: `  of it in ${name}`, value: perCell(part) })),
    ...spans.map(({ span, rows }) => ({
      what: `rows of ${span === 1 ? 'one day' : `${span} days`} per day and path`,
      value: (rows / cells).toFixed(3),
    })),
  ];
}
