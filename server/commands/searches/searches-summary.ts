import { searchTools } from '../../../shared/reports/search-engines.ts';
import { fromDay } from '../../counting/calendar.ts';
import { leftOut } from '../../import/history/history-site.ts';
import type { Outcome, SearchReading } from '../../import/searches/run.ts';
import type { ToldPeriod } from '../../import/searches/told-periods.ts';
import type { SearchKind, SearchPeriod } from '../../store/searches.ts';
import { leftLabels } from '../import/history-summary.ts';
import { counted } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';

type Kept = readonly { period: SearchPeriod; outcome: Outcome }[];

const kinds: Readonly<Record<SearchKind, string>> = {
  site: 'the site',
  page: 'pages',
  query: 'queries',
  country: 'countries',
  device: 'devices',
};

const isByDay = ({ from, to }: SearchPeriod) => from === to;
const daysOf = ({ from, to }: { from: number; to: number }) =>
  from === to ? String(fromDay(from)) : `${fromDay(from)} to ${fromDay(to)}`;

/** Days of one table in a line, and ranges as they are. */
interface Line {
  period: SearchPeriod;
  byDay: boolean;
  periods: ToldPeriod[];
}

function linesOf({ periods }: SearchReading): Line[] {
  const lines = new Map<string, Line>();
  for (const told of periods) {
    const { tool, kind, from, to } = told.period;
    const byDay = isByDay(told.period);
    const key = [tool, kind, ...(byDay ? [] : [from, to])].join(' ');
    const line = lines.get(key) ?? { period: { ...told.period }, byDay, periods: [] };
    lines.set(key, line);
    line.periods.push(told);
    line.period.to = Math.max(line.period.to, to);
  }
  return [...lines.values()];
}

/** For people: what was read, and what became of it. */
export function describeSearches(reading: SearchReading, kept: Kept, isDry: boolean): string {
  const outcomes = new Map(kept.map(({ period, outcome }) => [period, outcome]));
  const lines = linesOf(reading);
  const count = (periods: ToldPeriod[], outcome: Outcome) =>
    counted(periods.filter(({ period }) => outcomes.get(period) === outcome).length);
  const rows = lines.map(({ period, byDay, periods }) => [
    searchTools[period.tool],
    kinds[period.kind],
    daysOf(period),
    byDay ? `${counted(periods.length)} by day` : 'as a whole',
    ...(isDry ? [] : [count(periods, 'added'), count(periods, 'replaced'), count(periods, 'same')]),
  ]);
  const parts = [
    lines.length === 0
      ? 'The files tell nothing.\n'
      : table(['OF', 'BY', 'DAYS', '', ...(isDry ? [] : ['NEW', 'REPLACED', 'THERE'])], rows),
    ...describeLeft(reading),
  ];
  if (isDry) parts.push('Nothing was kept: this was a dry run.\n');
  return parts.join('\n');
}

function describeLeft({ left, forgotten, unread, periods }: SearchReading): string[] {
  const reasons = leftOut
    .filter((reason) => left[reason] > 0)
    .map((reason) => [leftLabels[reason], left[reason]]);
  const rows = [...reasons, ...(forgotten > 0 ? [['older than the project keeps counts', forgotten]] : [])];
  const others = periods.reduce((sum, one) => sum + one.others, 0);
  return [
    ...(rows.length > 0
      ? [
          table(
            ['LINES NOT TAKEN IN', ''],
            rows.map(([label, lines]) => [String(label), counted(Number(lines))]),
          ),
        ]
      : []),
    ...(others > 0
      ? [`${counted(others)} names beyond the limit for a day or range are added up as (other).\n`]
      : []),
    ...(unread.length > 0
      ? [
          `Files that were not read, as Headcount does not keep what they hold (such as search appearances):\n${unread.map((file) => `  ${file}\n`).join('')}`,
        ]
      : []),
  ];
}

/** For programs. */
export function searchesJson(reading: SearchReading, kept: Kept): object {
  const outcomes = new Map(kept.map(({ period, outcome }) => [period, outcome]));
  const { lines, left, forgotten, unread, periods } = reading;
  return {
    lines,
    periods: periods.map(({ period, rows, others }) => ({
      tool: period.tool,
      of: period.kind,
      from: String(fromDay(period.from)),
      to: String(fromDay(period.to)),
      names: rows.length,
      others,
      outcome: outcomes.get(period) ?? null,
    })),
    notTakenIn: {
      ...Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0)),
      ...(forgotten > 0 ? { forgotten } : {}),
    },
    unread,
  };
}
