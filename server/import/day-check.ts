import { type Day, fromDay } from '../counting/calendar.ts';
import { askRules } from '../counting/drop-rules.ts';
import type { DayConflict } from './days.ts';
import { emptyEntry } from './formats/entry.ts';
import { ImportError } from './import-error.ts';
import type { ImportSession, LogFile } from './import-session.ts';

/** Looks at all lines before any of them is counted, if there is any day that could not take them. */
export async function refuseCountedDays(files: readonly LogFile[], session: ImportSession): Promise<void> {
  const { days, options } = session;
  if (days.holdsNothing || options.rules.merge) return;
  const firstTimes = new Map<Day, number>();
  for (const file of files) if (!file.isOnce) await readTimes(file, session, firstTimes);
  const refused = new Map<DayConflict, Day[]>();
  for (const [day, firstAt] of firstTimes) {
    const refusal = days.refusal(day, firstAt);
    if (refusal) refused.set(refusal, [...(refused.get(refusal) ?? []), day]);
  }
  const [first] = refused;
  if (first) throw new ImportError('day_conflict', refusalOf(...first));
}

async function readTimes(file: LogFile, session: ImportSession, firstTimes: Map<Day, number>): Promise<void> {
  const { days, options } = session;
  const entry = emptyEntry();
  await session.read(file, async ({ lines, parser }) => {
    for (let window = await lines.next(); window; window = await lines.next()) {
      if (options.signal.aborted) return;
      if (window.kind !== 'lines') continue;
      for (const line of window.text.split('\n')) {
        if (parser.parse(line, entry) !== 'request' || askRules('request', entry, options.project)) continue;
        const day = days.dayOf(entry.at);
        if (entry.at < (firstTimes.get(day) ?? Number.POSITIVE_INFINITY)) firstTimes.set(day, entry.at);
      }
    }
  });
}

const why: Readonly<Record<DayConflict, string>> = {
  other:
    'came another way. --merge adds to them; people are then left to the script wherever it counted some',
  history:
    'were taken over from another tool, whose days hold nothing else. "headcount history --remove" takes them out again',
  forgotten:
    'an earlier import brought, whose visitors are forgotten by now. Give all logs of a day in one command, or within a day; --merge adds, and counts visitors of both twice',
};

function refusalOf(refusal: DayConflict, days: readonly Day[]): string {
  const sorted = days.toSorted((a, b) => a - b).map((day) => String(fromDay(day)));
  const [first, last] = [sorted[0], sorted.at(-1)];
  const named =
    sorted.length === 1
      ? `${first} already holds`
      : `${first} to ${last} (${sorted.length} days) already hold`;
  return `${named} counts that ${why[refusal]}. Nothing was counted.`;
}
