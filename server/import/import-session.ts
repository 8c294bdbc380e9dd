import type { Day } from '../counting/calendar.ts';
import { firstDayWithHours } from '../counting/kept-hours.ts';
import type { FindPlace } from '../counting/places/place.ts';
import type { SaltCipher } from '../counting/visitor/salt.ts';
import type { FindNetwork } from '../identity/networks/asn-database.ts';
import type { Proofs } from '../identity/proof/proof.ts';
import type { IsTrusted } from '../net/address.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { SiteFiles } from '../sitefiles/site-files.ts';
import type { ImportStore } from '../store/imports.ts';
import { Counter } from './counter.ts';
import { type DayRules, ImportDays } from './days.ts';
import type { LineParser } from './formats/entry.ts';
import { ImportError } from './import-error.ts';
import type { ImportResult } from './import-result.ts';
import { Importer } from './importer.ts';
import { LoggedSite } from './logged-site.ts';
import type { Content } from './reading/content.ts';
import { type LineFormat, type LogInput, openInput, type Sample, sample } from './reading/input.ts';
import { headBytes, KnownLogs } from './reading/known-logs.ts';
import { OpenLines } from './reading/open-lines.ts';
import { checkSample } from './sample-check.ts';
import { Senders } from './senders.ts';

/** A log on the command line. */
export interface LogFile {
  name: string;
  open(): Content | Promise<Content>;
  /** On disk; 0: not known. */
  size: number;
  /** Standard input comes only once. */
  isOnce: boolean;
}

export interface ImportOptions {
  store: ImportStore;
  project: LiveProject;
  lineFormat: LineFormat;
  rules: DayRules;
  /** The site's host where neither the log nor the project names it. */
  host: string;
  proofs: Pick<Proofs, 'check'>;
  siteFiles: Pick<SiteFiles, 'disallows'>;
  saltCipher: SaltCipher;
  findPlace: FindPlace;
  /** Null: no rule of the project asks for it, or there is no database. */
  findNetwork: FindNetwork | null;
  /** Proxies whose X-Forwarded-For is trusted, where a log has it. */
  trustedProxies: IsTrusted;
  now: () => number;
  /** Called often; `done` and `size` are bytes of all files as they lie on disk. */
  onProgress(progress: { lines: number; hits: number; done: number; size: number }): void;
  /** Closes days that are due meanwhile, as a running server does. */
  sealDueDays(): Promise<void>;
  /** Notes the version of the rules that views of a day are classified with. */
  noteRules(projectId: string, day: Day): Promise<void>;
  signal: AbortSignal;
}

/** Shared by all kinds of import, and made anew where another process intervened. */
export async function startSession(options: ImportOptions, total: ImportResult) {
  const { store, project, now, siteFiles, proofs, findNetwork } = options;
  const { timeZone } = project.settings;
  const hoursFrom = firstDayWithHours(project.settings, now());
  const days = new ImportDays(store, { ...options, projectId: project.id, timeZone, hoursFrom });
  await days.load();
  const known = new KnownLogs(await store.listLogs(project.id));
  const counter = new Counter({
    ...{ project, days, now, siteFiles, proofs, findNetwork },
    senders: new Senders(options),
    site: new LoggedSite(project, options.host),
  });
  const of = { projectId: project.id, hasGoals: project.hasGoals };
  const importer = new Importer({ ...of, store, days, counter, known, now, total });

  /** @param isAgain open lines of what was read before are read again. @throws ImportError */
  async function open(
    start: Sample,
    name: string,
    { lineFormat = options.lineFormat, isAgain = false } = {},
  ): Promise<LogInput | undefined> {
    const log = known.get(start.head.subarray(0, headBytes));
    if (log.isUndone)
      throw new ImportError(
        'contested',
        `${name} is taken back in part: give "headcount import --undo" again, which goes on with it, and then import it.`,
      );
    log.name = name;
    if (log.id !== null) log.open ??= new OpenLines(await store.readOpenLines(log.id));
    const input = await openInput(start, { name, lineFormat, log, isAgain });
    if (input?.parser.lacksUserAgents && options.rules.people !== 'count')
      throw lacksUserAgents(name, input.parser);
    return input;
  }

  /** Hands over a log in which something is new, and closes it. */
  async function read(file: LogFile, use: (input: LogInput) => Promise<void>): Promise<void> {
    const content = await file.open();
    try {
      const start = await sample(content, file.name);
      if (start.head.length === 0) return;
      const input = await open(start, file.name, { isAgain: true });
      if (!input) return;
      if (input.line === 0) checkSample(start, file.name, options.lineFormat);
      await use(input);
    } finally {
      content.close();
    }
  }

  return { options, total, days, known, importer, open, read };
}

export type ImportSession = Awaited<ReturnType<typeof startSession>>;

function lacksUserAgents(name: string, { title = '', remedy = '' }: LineParser): ImportError {
  return new ImportError(
    'unreadable',
    `${name} is in ${title}, which has no user agents, so that people cannot be distinguished from programs: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)} To count all its requests as people, give --people count. Nothing of it was counted.`,
  );
}
