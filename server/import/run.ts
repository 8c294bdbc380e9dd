import { type Day, fromDay } from '../counting/calendar.ts';
import { requestDrop } from '../counting/drop-rules.ts';
import type { DayConflict } from './days.ts';
import { emptyEntry } from './formats/entry.ts';
import { ImportError } from './import-error.ts';
import { ImportResult } from './import-result.ts';
import { type ImportOptions, type ImportSession, type LogFile, startSession } from './import-session.ts';
import { Changed } from './importer.ts';
import { firstTimeOf, type LineFormat, parserFor, sample } from './reading/input.ts';
import { checkWhole, findProxy } from './sample-check.ts';

/** How long lines of a stream wait for more. */
const streamMs = 1000;

/** Only several other processes could intervene each time. */
const maxAttempts = 50;

/**
 * Imports whole logs, the oldest first. Where it is interrupted, the same command goes on.
 *
 * @throws ImportError where days hold counts that came another way, before anything is counted.
 */
export async function importLogs(files: readonly LogFile[], options: ImportOptions): Promise<ImportResult> {
  const total = new ImportResult();
  const ordered = await inOrder(files, options.lineFormat);
  for (let attempt = 1; ; attempt++) {
    total.failures.length = 0;
    total.warnings.length = 0;
    try {
      const session = await startSession(options, total);
      await checkSamples(ordered, session);
      await refuseCountedDays(ordered, session);
      await takeAll(ordered, session);
      return total;
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
      if (attempt < maxAttempts && !files.some(({ isOnce }) => isOnce)) continue;
      throw new ImportError(
        'contested',
        'Another process keeps counting the same log, or sealed one of its days: give the same command again to go on.',
      );
    }
  }
}

/** Before any of them is counted. */
async function checkSamples(files: readonly LogFile[], session: ImportSession): Promise<void> {
  for (const file of files) if (!file.isOnce) await session.read(file, async () => undefined);
}

async function takeAll(files: readonly LogFile[], session: ImportSession): Promise<void> {
  const { options, importer, days } = session;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  let finished = 0;
  for (const file of files) {
    if (options.signal.aborted) break;
    await takeFile(file, session, (done) =>
      options.onProgress({ ...importer.progress(), done: finished + done, size }),
    );
    finished += file.size;
  }
  await importer.commit();
  if (options.signal.aborted) return;
  // All but the first and the last day, which other logs may continue.
  const inner = days
    .counted()
    .toSorted((a, b) => a - b)
    .slice(1, -1);
  await options.store.seal(options.project.id, options.now(), inner);
}

async function takeFile(
  file: LogFile,
  session: ImportSession,
  onProgress: (done: number) => void,
): Promise<void> {
  const { importer, options } = session;
  await session.read(file, async (input) => {
    let sentAt = options.now();
    for (let window = await input.lines.next(); window; window = await input.lines.next()) {
      await importer.take(input, window);
      onProgress(input.content.progress().done);
      if (file.isOnce && options.now() - sentAt >= streamMs) {
        await importer.commit();
        sentAt = options.now();
      }
      if (options.signal.aborted) return;
    }
    const rest = input.lines.rest();
    if (rest) await importer.takeRest(input, rest);
    const host = options.project.settings.hosts.join(', ') || options.host;
    const failure = checkWhole(input.findings, file.name, { isKnown: input.log.hasRequests, host });
    if (failure) session.total.failures.push(failure);
    else importer.finish(input);
    const warning = findProxy(input.findings, file.name, options.trustedProxies);
    if (warning) session.total.warnings.push(warning);
    // The same content may come again under another name before this one is committed.
    if (input.log.hasRequests) session.known.name(input.log);
  });
}

/** By the time of their first line: rotated logs are given in any order. */
async function inOrder(files: readonly LogFile[], lineFormat: LineFormat): Promise<LogFile[]> {
  if (files.length === 1) return [...files];
  const timed: { file: LogFile; firstAt: number }[] = [];
  for (const file of files) timed.push({ file, firstAt: await firstTimeIn(file, lineFormat) });
  return timed.sort((a, b) => a.firstAt - b.firstAt).map(({ file }) => file);
}

async function firstTimeIn(file: LogFile, lineFormat: LineFormat): Promise<number> {
  if (file.isOnce) return Number.POSITIVE_INFINITY;
  const content = await file.open();
  try {
    const { text } = await sample(content, file.name);
    return text === '' ? Number.POSITIVE_INFINITY : firstTimeOf(parserFor(lineFormat, text, file.name), text);
  } finally {
    content.close();
  }
}

/** Looks at all lines before any of them is counted, if there is any day that could not take them. */
async function refuseCountedDays(files: readonly LogFile[], session: ImportSession): Promise<void> {
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
        if (parser.parse(line, entry) !== 'request' || requestDrop(entry)) continue;
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
    'were taken over from another tool, whose days hold nothing else. "headcount import-stats --remove" takes them out again',
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
