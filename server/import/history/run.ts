import { historyTools } from '../../../shared/reports/history.ts';
import { Calendar, type Day } from '../../counting/calendar.ts';
import type { HistoryDay } from '../../counting/history.ts';
import type { DaySummary } from '../../store/counts/view-batch.ts';
import type { HistoryStore } from '../../store/history.ts';
import { ImportError } from '../import-error.ts';
import { readDays, type Survey, surveyFiles } from './days-read.ts';
import type { HistoryFiles } from './formats.ts';

/**
 * The outcome of a day. `there`: this tool's counts of it are; `other_tool`: another one's; `counted`: Headcount counted
 * on it; `open`: it is not closed yet; `forgotten`: it is older than the project keeps counts; `unknown`: its number of
 * visitors is not known.
 */
export const dayOutcomes = [
  'added',
  'there',
  'other_tool',
  'counted',
  'open',
  'forgotten',
  'unknown',
] as const;
export type DayOutcome = (typeof dayOutcomes)[number];

export interface HistoryResult extends Pick<Survey, 'lines' | 'left' | 'lowered'> {
  tool: string;
  days: Record<DayOutcome, Day[]>;
  /** Of the days that were added. */
  visitors: number;
  views: number;
  /** Files with no data that has a place here. */
  unread: string[];
  /** Columns that nobody knows, by file. */
  skipped: { file: string; columns: readonly string[] }[];
  untold: string;
}

export interface HistoryOptions {
  projectId: string;
  timeZone: string;
  /** The project keeps no counts of days before this one; null: it keeps all. */
  keptFrom: Day | null;
  /** What the project has of days. */
  summaries: readonly DaySummary[];
  /** Takes in a day. */
  addDay: HistoryStore['addDay'];
  now: () => number;
  onProgress(state: { lines: number; days: number }): void;
  signal: AbortSignal;
}

/** Takes in the days of an export, each with one transaction, oldest first where the export has them so. @throws ImportError */
export async function importHistory(
  { format, files }: HistoryFiles,
  options: HistoryOptions,
): Promise<HistoryResult> {
  const result = emptyResult({ format, files });
  const survey = await surveyFiles(files, (lines) => {
    options.onProgress({ lines, days: 0 });
    return !options.signal.aborted;
  });
  result.lines = survey.lines;
  result.left = survey.left;
  result.lowered = survey.lowered;
  if (options.signal.aborted) return result;
  const summaries = new Map(options.summaries.map((summary) => [summary.day, summary]));
  let days = 0;
  for await (const sums of readDays(files, survey)) {
    if (options.signal.aborted) return result;
    const day = sums.finish(result.tool);
    const outcome = day === null ? 'unknown' : await takeIn(day, summaries.get(day.day), options);
    result.days[outcome].push(sums.day);
    if (outcome === 'added' && day) {
      result.visitors += day.site.visitors;
      result.views += day.site.views;
    }
    options.onProgress({ lines: survey.lines, days: ++days });
  }
  return result;
}

function emptyResult({ format, files }: HistoryFiles): HistoryResult {
  return {
    tool: historyTools[format.tool],
    lines: 0,
    left: {} as Survey['left'],
    lowered: 0,
    days: Object.fromEntries(dayOutcomes.map((outcome) => [outcome, []])) as unknown as HistoryResult['days'],
    visitors: 0,
    views: 0,
    unread: files.filter(({ lines }) => lines === null).map(({ name }) => name),
    skipped: files.flatMap(({ name, skipped }) =>
      skipped.length > 0 ? [{ file: name, columns: skipped }] : [],
    ),
    untold: format.untold,
  };
}

async function takeIn(
  day: HistoryDay,
  summary: DaySummary | undefined,
  { projectId, timeZone, keptFrom, addDay, now }: HistoryOptions,
): Promise<DayOutcome> {
  if (summary) {
    if (summary.history === null) return 'counted';
    return summary.history === day.tool ? 'there' : 'other_tool';
  }
  if (day.day > new Calendar(timeZone).lastDueDay(now())) return 'open';
  if (keptFrom !== null && day.day < keptFrom) return 'forgotten';
  const receipt = await addDay(projectId, day);
  if (receipt === 'gone')
    throw new ImportError('project_removed', 'The project was removed in the meantime.');
  return receipt;
}
