import { escapeLine } from '../../../shared/plain-text.ts';

/** Columns as wide as their widest cell. What would end a line or is not seen is escaped. */
export function table(head: string[], texts: string[][]): string {
  const rows = texts.map((row) => row.map(escapeLine));
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[head, ...rows].map(line).join('\n')}\n`;
}
