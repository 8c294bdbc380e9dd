import type { CellValue } from './cell.tsx';
import type { ReportRule } from './declaration.ts';

export type Row = Record<string, CellValue>;

/** What stands beside the name of a row that is several of the reply's, by its field. */
const lists = new WeakMap<Row, Readonly<Record<string, readonly CellValue[]>>>();

export const besideOf = (row: Row, field: string): readonly CellValue[] =>
  lists.get(row)?.[field] ?? [row[field]];

/** Rows as they are shown: as the server has them, or those of one name as one, the largest first. */
export function shownRows(
  { head, beside = [], numbers, bar, across, isGathered }: ReportRule,
  rows: Row[],
): Row[] {
  if (across === undefined && !isGathered) return rows;
  const byName = Map.groupBy(rows, (row) => row[head.field]);
  const gathered = Array.from(byName.values(), (of): Row => {
    const sum = (field: string, some = of) => some.reduce((all, row) => all + Number(row[field]), 0);
    const columns = across === undefined ? [] : Map.groupBy(of, (row) => String(row[across.field]));
    const row: Row = {
      ...of[0],
      ...Object.fromEntries(numbers.map(({ field }) => [field, sum(field)])),
      ...Object.fromEntries(
        Array.from(columns, ([name, some]) => [name, sum(numbers[0]?.field ?? '', some)]),
      ),
    };
    lists.set(
      row,
      Object.fromEntries(beside.map(({ field }) => [field, [...new Set(of.map((one) => one[field]))]])),
    );
    return row;
  });
  const by = bar ?? numbers[0]?.field ?? '';
  return gathered.sort((a, b) => Number(b[by]) - Number(a[by]));
}

/** The columns of a matrix, the largest first. */
export function columnsOf({ across, numbers }: ReportRule, rows: Row[]): string[] {
  if (across === undefined) return [];
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = String(row[across.field]);
    sums.set(name, (sums.get(name) ?? 0) + Number(row[numbers[0]?.field ?? '']));
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
}
