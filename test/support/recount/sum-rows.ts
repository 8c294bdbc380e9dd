import { expect } from 'vitest';
import type { ProjectClient } from '../headcount.ts';

type Row = Record<string, string | number | null>;

/** Reports of plain sums: by what a row is of, its numbers. */
export async function readSums<Report extends string>(
  project: ProjectClient,
  reports: readonly Report[],
): Promise<Record<Report, Record<string, number[]>>> {
  const read = async (report: Report) => {
    const reply = await project.get<object>(`/v1/analytics/${project.projectId}/${report}`);
    const [rows] = Object.values(reply) as [Row[]];
    const sums = rows.map((row) => {
      const values = Object.values(row);
      const names = values.filter((value) => typeof value === 'string');
      return [names.join(' '), values.filter((value) => typeof value === 'number')] as const;
    });
    const byName = Object.fromEntries(sums);
    expect(Object.keys(byName), report).toHaveLength(rows.length);
    return byName;
  };
  const sums = await Promise.all(reports.map(async (report) => [report, await read(report)] as const));
  return Object.fromEntries(sums) as Record<Report, Record<string, number[]>>;
}

/** The same of what was sent, from one addition to a row of a report for each, with bytes where they are reported. */
export function addUpSums<Report extends string>(
  reports: readonly Report[],
  additions: Iterable<readonly [report: Report, row: string, bytes?: number | undefined]>,
): Record<Report, Record<string, number[]>> {
  const sums = Object.fromEntries(reports.map((report) => [report, {}])) as Record<
    Report,
    Record<string, number[]>
  >;
  for (const [report, row, bytes] of additions) {
    const rows: Record<string, number[]> = sums[report];
    const [often = 0, much = 0] = rows[row] ?? [];
    rows[row] = [often + 1, ...(bytes === undefined ? [] : [much + bytes])];
  }
  return sums;
}
