import type { ProjectClient } from '../headcount.ts';

type Row = Record<string, string | number | null>;

/** Reports of plain sums: by what a row is of, its numbers. */
export async function readTold<Report extends string>(
  project: ProjectClient,
  reports: readonly Report[],
): Promise<Record<Report, Record<string, number[]>>> {
  const read = async (report: Report) => {
    const reply = await project.get<object>(`/v1/analytics/${project.projectId}/${report}`);
    const [rows] = Object.values(reply) as [Row[]];
    return Object.fromEntries(
      rows.map((row) => {
        const values = Object.values(row);
        const names = values.filter((value) => typeof value === 'string');
        return [names.join(' '), values.filter((value) => typeof value === 'number')];
      }),
    );
  };
  const told = await Promise.all(reports.map(async (report) => [report, await read(report)] as const));
  return Object.fromEntries(told) as Record<Report, Record<string, number[]>>;
}
