import type { Day } from '../counting/calendar.ts';
import { fromDay } from '../counting/calendar.ts';
import type { FindCountry } from '../counting/country.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { IsTrusted } from '../net/address.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { ImportStore } from '../store/import-store.ts';
import { Counter } from './counter.ts';
import { type DayRules, Days, type Refusal } from './days.ts';
import { emptyEntry } from './formats/entry.ts';
import { judgeRequest } from './formats/request.ts';
import { ImportError } from './import-error.ts';
import { Changed, Importer } from './importer.ts';
import type { Content } from './reading/content.ts';
import { KnownLogs } from './reading/known-logs.ts';
import {
  firstTimeOf,
  openSource,
  parserFor,
  type Reader,
  type Sample,
  type Source,
  sample,
} from './reading/source.ts';
import { Senders } from './senders.ts';
import { Site } from './site.ts';
import { Tally } from './tally.ts';

/** A log on the command line. */
export interface LogFile {
  name: string;
  open(): Content | Promise<Content>;
  /** On disk; 0: not known. */
  size: number;
  /** Standard input comes only once. */
  isOnce: boolean;
}

/** How long lines of a stream wait for company. */
const streamMs = 1000;

export interface ImportOptions {
  store: ImportStore;
  project: LiveProject;
  reader: Reader;
  rules: DayRules;
  /** The site's host where neither the log nor the project names it. */
  host: string;
  proofs: Pick<Proofs, 'check'>;
  findCountry: FindCountry;
  /** Whose X-Forwarded-For is believed, where a log has it. */
  trustedProxies: IsTrusted;
  now: () => number;
  /** Called often; `done` and `size` are bytes of all files as they lie on disk. */
  onProgress(progress: { lines: number; hits: number; done: number; size: number }): void;
  /** Seals what is due meanwhile, as the server does where one is running. */
  sealDueDays(): Promise<void>;
  signal: AbortSignal;
}

/** What all ways to import share, made new where another process came in between. */
export class Session {
  readonly options: ImportOptions;
  readonly total: Tally;
  readonly days: Days;
  readonly known: KnownLogs;
  readonly importer: Importer;

  private constructor(options: ImportOptions, known: KnownLogs, days: Days, total: Tally) {
    const { project, store, now } = options;
    this.options = options;
    this.total = total;
    this.known = known;
    this.days = days;
    const counter = new Counter({
      project,
      days,
      now,
      senders: new Senders(options),
      site: new Site(project, options.host),
    });
    this.importer = new Importer({ store, projectId: project.id, days, counter, known, now, total });
  }

  static async start(options: ImportOptions, total: Tally): Promise<Session> {
    const { store, project, rules, now } = options;
    const days = new Days(store, { projectId: project.id, timeZone: project.settings.timeZone, rules, now });
    await days.load();
    return new Session(options, new KnownLogs(await store.listLogs(project.id)), days, total);
  }

  open(start: Sample, name: string, reader = this.options.reader): Promise<Source | undefined> {
    return openSource(start, { name, reader, known: this.known });
  }
}

/** More than one rival would have to come in between each time. */
const maxAttempts = 50;

/**
 * Imports whole logs, the oldest first. Where it is interrupted, the same command goes on.
 *
 * @throws ImportError where days hold counts that came another way, before anything is counted.
 */
export async function importLogs(files: readonly LogFile[], options: ImportOptions): Promise<Tally> {
  const total = new Tally();
  const ordered = await inOrder(files, options.reader);
  for (let attempt = 1; ; attempt++) {
    try {
      const session = await Session.start(options, total);
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

async function takeAll(files: readonly LogFile[], session: Session): Promise<void> {
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
  await options.store.seal(options.project.id, options.now(), innerDays(days.counted()));
}

async function takeFile(file: LogFile, session: Session, onProgress: (done: number) => void): Promise<void> {
  const { importer, options } = session;
  const content = await file.open();
  let sentAt = options.now();
  try {
    const start = await sample(content);
    const source = start.head.length === 0 ? undefined : await session.open(start, file.name);
    if (!source) return;
    for (;;) {
      const window = await source.lines.next();
      if (!window) break;
      await importer.take(source, window);
      onProgress(content.progress().done);
      if (file.isOnce && options.now() - sentAt >= streamMs) {
        await importer.commit();
        sentAt = options.now();
      }
      if (options.signal.aborted) return;
    }
    const rest = source.lines.rest();
    if (rest) await importer.takeRest(source, rest);
    // The same content may come again under another name before this one is committed.
    if (source.log.hasRequests) session.known.name(source.log);
  } finally {
    content.close();
  }
}

/** All but the first and the last day, with which other logs may go on. */
function innerDays(days: readonly Day[]): Day[] {
  return days.toSorted((a, b) => a - b).slice(1, -1);
}

/** By the time of their first line: rotated logs are given in any order. */
async function inOrder(files: readonly LogFile[], reader: Reader): Promise<LogFile[]> {
  if (files.length === 1) return [...files];
  const timed: { file: LogFile; firstAt: number }[] = [];
  for (const file of files) timed.push({ file, firstAt: await firstTimeIn(file, reader) });
  return timed.sort((a, b) => a.firstAt - b.firstAt).map(({ file }) => file);
}

async function firstTimeIn(file: LogFile, reader: Reader): Promise<number> {
  if (file.isOnce) return Number.POSITIVE_INFINITY;
  const content = await file.open();
  try {
    const { text } = await sample(content);
    return text === '' ? Number.POSITIVE_INFINITY : firstTimeOf(parserFor(reader, text, file.name), text);
  } finally {
    content.close();
  }
}

/** Looks at all lines before any of them is counted, if there is any day that could not take them. */
async function refuseCountedDays(files: readonly LogFile[], session: Session): Promise<void> {
  const { days, options } = session;
  if (days.holdsNothing || options.rules.merge) return;
  const firstTimes = new Map<Day, number>();
  for (const file of files) if (!file.isOnce) await readTimes(file, session, firstTimes);
  const refused = new Map<Refusal, Day[]>();
  for (const [day, firstAt] of firstTimes) {
    const refusal = days.refusal(day, firstAt);
    if (refusal) refused.set(refusal, [...(refused.get(refusal) ?? []), day]);
  }
  const [first] = refused;
  if (first) throw new ImportError('held', refusalOf(...first));
}

async function readTimes(file: LogFile, session: Session, firstTimes: Map<Day, number>): Promise<void> {
  const content = await file.open();
  try {
    const start = await sample(content);
    const source = start.head.length === 0 ? undefined : await session.open(start, file.name);
    if (!source) return;
    const entry = emptyEntry();
    for (let window = await source.lines.next(); window; window = await source.lines.next()) {
      if (session.options.signal.aborted) return;
      if (window.kind !== 'lines') continue;
      for (const line of window.text.split('\n')) {
        if (source.parser.parse(line, entry) !== 'request' || judgeRequest(entry)) continue;
        const day = session.days.dayOf(entry.at);
        if (entry.at < (firstTimes.get(day) ?? Number.POSITIVE_INFINITY)) firstTimes.set(day, entry.at);
      }
    }
  } finally {
    content.close();
  }
}

const why: Readonly<Record<Refusal, string>> = {
  other:
    'came another way. --merge adds to them; people are then left to the script wherever it counted some',
  forgotten:
    'an earlier import brought, whose visitors are forgotten by now. Give all logs of a day in one command, or within a day; --merge adds, and counts visitors of both twice',
};

function refusalOf(refusal: Refusal, days: readonly Day[]): string {
  const sorted = days.toSorted((a, b) => a - b).map((day) => String(fromDay(day)));
  const [first, last] = [sorted[0], sorted.at(-1)];
  const named =
    sorted.length === 1
      ? `${first} already holds`
      : `${first} to ${last} (${sorted.length} days) already hold`;
  return `${named} counts that ${why[refusal]}. Nothing was counted.`;
}
