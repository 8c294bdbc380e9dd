import { dropReasons } from '../../../shared/drop-reasons.ts';
import { ruleReasons } from '../../counting/drop-rules.ts';
import type { LeftOut } from '../../import/history/history-site.ts';
import { type DayOutcome, dayOutcomes, type HistoryResult } from '../../import/history/run.ts';
import { showable } from '../../import/import-result.ts';
import { dateOf } from '../../insights/days.ts';
import { describeDates } from '../terminal/dates.ts';
import { counted } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';

const labels: Readonly<Record<DayOutcome, string>> = {
  added: 'imported',
  there: 'already there',
  other_tool: 'imported from another tool',
  counted: 'counted by Headcount itself',
  open: 'not closed yet (24 hours after the end of a day)',
  forgotten: 'older than the project keeps counts',
  unknown: 'without a number of visitors',
};

export const leftLabels: Readonly<Record<LeftOut, string>> = {
  ...(Object.fromEntries(ruleReasons.page.map((reason) => [reason, dropReasons[reason].inLogs])) as Record<
    (typeof ruleReasons.page)[number],
    string
  >),
  no_path: 'no path of a page',
  no_views: 'visitors without a page view',
  event: 'events',
  bot: 'bots',
};

const number = (value: number) => counted(value).padStart(12);

/** For people: which days were imported, which were not and why, and which data was left out of all. */
export function describeHistory(result: HistoryResult): string {
  const { days, left, lowered } = result;
  const shown = dayOutcomes.filter((outcome) => outcome === 'added' || days[outcome].length > 0);
  const parts = [
    table(
      [
        `DAYS OF ${result.tool.toUpperCase()}`,
        number(dayOutcomes.reduce((sum, one) => sum + days[one].length, 0)),
        '',
      ],
      shown.map((outcome) => [
        labels[outcome],
        number(days[outcome].length),
        describeDates(days[outcome].map(dateOf)),
      ]),
    ),
    table(
      ['COUNTED', ''.padStart(12)],
      [
        ['visitors, each once a day', number(result.visitors)],
        ['page views', number(result.views)],
      ],
    ),
  ];
  const reasons = (Object.keys(leftLabels) as LeftOut[]).filter((reason) => left[reason] > 0);
  if (reasons.length > 0)
    parts.push(
      table(
        ['LINES NOT COUNTED', number(reasons.reduce((sum, reason) => sum + left[reason], 0))],
        reasons.map((reason) => [leftLabels[reason], number(left[reason])]),
      ),
    );
  if (lowered > 0) parts.push(describeLowered(lowered));
  const unread = result.unread.map((file) => `  ${file}\n`).join('');
  const skipped = result.skipped
    .map(({ file, columns }) => `  ${file}: ${columns.map(showable).join(', ')}\n`)
    .join('');
  if (skipped !== '') parts.push(`Columns that are not known, and were skipped:\n${skipped}`);
  return [
    ...parts,
    `Not imported, as Headcount does not count it: ${result.untold}, reported by ${result.tool}.\n${
      unread === '' ? '' : `Whole files of these:\n${unread}`
    }`,
  ].join('\n');
}

function describeLowered(lines: number): string {
  const named = lines === 1 ? '1 line has' : `${counted(lines)} lines have`;
  return `${named} more visitors than views. Visitors without a view are not counted here, so these lines count as many visitors as views.\n`;
}

/** For programs. */
export function historyJson(result: HistoryResult): object {
  const { tool, lines, days, visitors, views, left, lowered, unread, skipped } = result;
  return {
    tool,
    lines,
    days: Object.fromEntries(dayOutcomes.map((outcome) => [outcome, days[outcome].map(dateOf)])),
    counted: { visitors, views },
    notCounted: Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0)),
    moreVisitorsThanViews: lowered,
    unread,
    skippedColumns: skipped,
  };
}
