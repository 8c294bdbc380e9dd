/**
 * What an exploration of Google Analytics 4 (free form) exports as CSV, by hand: comments, a line of columns, one with the
 * sums of all, and days without dashes, the largest first (https://support.google.com/analytics/answer/9327972, read
 * 2026-11-24).
 */
export function ga4Export(columns: readonly string[], lines: readonly (string | number)[][]): string {
  const sums = columns.map((_, i) => lines.reduce((sum, line) => sum + (Number(line[i]) || 0), 0));
  const total = columns.map((column, i) => (/users|Views|Sessions/.test(column) ? sums[i] : ''));
  return [
    '# ----------------------------------------',
    '# Docs - example.com',
    '# Free form-Free form 1',
    '# 20250301-20250302',
    '# ----------------------------------------',
    '',
    columns.join(','),
    [...total, 'Grand total'].join(','),
    ...lines.map((line) => line.join(',')),
    '',
  ].join('\n');
}
