import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { type DropRule, dropReasonNames, dropReasons } from '../../../shared/drop-reasons.ts';
import { hostAsSent } from '../../../shared/project/host.ts';
import { auditing, commandLine } from '../../audit/audit-list.ts';
import { keyBytes } from '../../config/secret-key.ts';
import type { RuleReason } from '../../counting/drop-rules.ts';
import { openPlaces } from '../../counting/places/places.ts';
import { SaltCipher } from '../../counting/visitor/salt.ts';
import { readTrouble } from '../../files/file-trouble.ts';
import type { CatalogueKeeper } from '../../identity/loaded/catalogue-keeper.ts';
import { openNetworks } from '../../identity/networks/asn-database.ts';
import { createProofs, type Proofs } from '../../identity/proof/proof.ts';
import { rulesVersion } from '../../identity/rule-versions.ts';
import { otherKey } from '../../import/days.ts';
import { followLogs } from '../../import/following/follow.ts';
import { formatNames, type GivenFormat, listFormats } from '../../import/formats/formats.ts';
import { logFormatParser } from '../../import/formats/log-format.ts';
import { ImportError } from '../../import/import-error.ts';
import { type ImportResult, type LineOutcome, outcomes, type Reason } from '../../import/import-result.ts';
import type { ImportOptions, LogFile } from '../../import/import-session.ts';
import { openFile, openStream, standardInput } from '../../import/reading/content.ts';
import { importLogs } from '../../import/run.ts';
import { fillSalts, findForeignSalts } from '../../ingest/sealing/salt-mending.ts';
import { sealDueDaysOf } from '../../ingest/sealing/sealer.ts';
import { loadSecretKey } from '../../projects/key-file.ts';
import { type LiveProject, Registry } from '../../projects/registry.ts';
import { SiteFiles } from '../../sitefiles/site-files.ts';
import type { ImportStore } from '../../store/imports.ts';
import type { ReadOnlyStore, Store } from '../../store/store.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { takeUpCatalogue } from '../terminal/loaded-catalogue.ts';
import { readOperands } from '../terminal/options.ts';
import { counted, ProgressLine } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';
import { findProject } from '../terminal/unknown-project.ts';

const options = {
  project: { type: 'string' },
  format: { type: 'string' },
  'log-format': { type: 'string' },
  people: { type: 'string' },
  host: { type: 'string' },
  follow: { type: 'boolean' },
  merge: { type: 'boolean' },
  undo: { type: 'string' },
  list: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Given = ReturnType<typeof readOperands<typeof options>>;
type Values = Given['values'];

function readLineFormat({ format, 'log-format': logFormat }: Values): GivenFormat {
  if (logFormat !== undefined) {
    if (format !== undefined) throw new UsageError('Give either --format or --log-format.');
    checkLogFormat(logFormat);
    return { logFormat };
  }
  if (format === undefined || format === 'auto') return { format: 'auto' };
  if (formatNames.includes(format)) return { format };
  throw new UsageError(`--format must be one of auto, ${formatNames.join(', ')}, not "${format}".`);
}

/** Before a file is opened. */
function checkLogFormat(logFormat: string): void {
  try {
    logFormatParser(logFormat);
  } catch (error) {
    if (error instanceof ImportError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function readPeople(text: string | undefined, isFollowing: boolean): 'count' | 'skip' | undefined {
  if (text === undefined) return isFollowing ? 'skip' : undefined;
  if (text === 'count' || text === 'skip') return text;
  throw new UsageError(`--people must be count or skip, not "${text}".`);
}

function checkNames(names: readonly string[], isFollowing: boolean): void {
  if (names.length === 0) throw new UsageError('Give the log files to import, or - for standard input.');
  const streams = names.filter((name) => name === standardInput).length;
  if (streams > 1) throw new UsageError('Standard input can be given once.');
  if (streams > 0 && isFollowing)
    throw new UsageError('--follow needs a file, not standard input: leave --follow out.');
}

function readFiles(names: readonly string[], terminal: Terminal): LogFile[] {
  return names.map((name) =>
    name === standardInput
      ? { name, size: 0, isOnce: true, open: () => openStream(terminal.input, 'Standard input') }
      : readFile(name),
  );
}

function readFile(name: string): LogFile {
  const stat = statOf(name);
  if (!stat) throw new CommandError(`There is no file ${name}. Nothing was counted.`);
  // Such as the pipe that the shell makes of "<(ssh web cat access.log)".
  if (stat.isFIFO())
    return { name, size: 0, isOnce: true, open: () => openStream(createReadStream(name), name) };
  return { name, size: stat.size, isOnce: false, open: () => openFile(name) };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${readTrouble(error as Error)}. Nothing was counted.`, {
      cause: error,
    });
  }
}

function readHost(given: string | undefined): string | undefined {
  const host = given === undefined ? undefined : hostAsSent(given);
  if (given !== undefined && (host === undefined || host.startsWith('*.'))) {
    throw new UsageError(
      `--host must be a host name such as example.com, without scheme, port or path, not "${given}".`,
    );
  }
  return host;
}

/** Where neither log nor project name the host, links inside the site cannot be distinguished from others. */
function hostOf({ settings }: LiveProject): string {
  return settings.siteHost ?? settings.hosts.find((name) => !name.startsWith('*.')) ?? 'localhost';
}

/** SIGINT and SIGTERM end the command after the current batch. */
function untilAsked(terminal: Terminal): AbortSignal {
  const ended = new AbortController();
  void terminal.untilStopped().then(() => ended.abort());
  return ended.signal;
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const given = readOperands(args, options);
  const { values, positionals } = given;
  const { project: projectId, follow = false, merge = false } = values;
  if (projectId === undefined)
    throw new UsageError('Name the project that the logs belong to: --project <project>.');
  if (values.list || values.undo !== undefined) return await changeImports(args, given, terminal);
  if (follow && values['dry-run']) throw new UsageError('--dry-run cannot follow a log: leave --follow out.');
  const lineFormat = readLineFormat(values);
  const people = readPeople(values.people, follow);
  const host = readHost(values.host);
  checkNames(positionals, follow);
  const files = follow ? [] : readFiles(positionals, terminal);
  const opened = await (values['dry-run'] ? openDry(terminal) : open(terminal));
  try {
    const project = await findProject(opened.store, projectId, terminal);
    const importing = {
      store: opened.imports,
      saltCipher: opened.saltCipher,
      project,
      lineFormat,
      rules: { merge, people, joinsOpenDays: follow },
      host: host ?? hostOf(project),
      siteFiles: opened.siteFiles,
      ...partsOf(terminal, project),
      // A service's log needs no line every few seconds.
      ...(follow && !terminal.isWatched && { onProgress: () => undefined }),
      sealDueDays: () => opened.sealDueDays(project),
      noteRules: opened.noteRules,
      signal: untilAsked(terminal),
    } satisfies ImportOptions & { progress: ProgressLine };
    await importing.sealDueDays();
    if (follow) opened.catalogue.watch();
    const result = await (follow
      ? followLogs(positionals, importing, () => sayFollowing(positionals, people, terminal))
      : importLogs(files, importing));
    importing.progress.clear();
    report(result, values, importing.signal.aborted && !follow, terminal);
  } finally {
    await opened.catalogue.stop();
    await opened.siteFiles.stop();
    await opened.store.close();
  }
}

/** Lists or undoes earlier imports. */
async function changeImports(args: string[], { values, positionals }: Given, terminal: Terminal) {
  const { list = false, undo, json: _json, project: _project, ...others } = values;
  if ((list && undo !== undefined) || positionals.length > 0 || Object.keys(others).length > 0)
    throw new UsageError(
      '--list and --undo <file or import> take no other option than --project and --json.',
    );
  const { listImports, undoImport } = await import('../../operations/imports.ts');
  const { runOption } = await import('../../operations/command.ts');
  await runOption(undo === undefined ? listImports : undoImport, args, terminal);
}

function sayFollowing(names: string[], people: string | undefined, { note }: Terminal): void {
  const counted =
    people === 'skip'
      ? 'AI clients; people are left to the script (--people count)'
      : 'people and AI clients';
  note(`Following ${names.join(', ')} for ${counted}, until stopped.\n`);
}

interface Opened {
  store: ReadOnlyStore;
  imports: ImportStore;
  saltCipher: SaltCipher;
  catalogue: Pick<CatalogueKeeper, 'watch' | 'stop'>;
  siteFiles: Pick<SiteFiles, 'disallows' | 'stop'>;
  sealDueDays(project: LiveProject): Promise<void>;
  noteRules: ImportOptions['noteRules'];
}

async function open(terminal: Terminal): Promise<Opened> {
  const { openStore, config, log, clock, now } = terminal;
  const store = await openStore();
  try {
    const catalogue = await takeUpCatalogue(terminal, store.catalogue);
    const saltCipher = new SaltCipher(loadSecretKey(config));
    await fillSalts({ store, saltCipher, log });
    if ((await findForeignSalts({ store, saltCipher })).length > 0) throw otherKey();
    return {
      store,
      catalogue,
      imports: notedImports(store, now),
      saltCipher,
      siteFiles: await openSiteFiles(store, terminal),
      sealDueDays: (project) => sealDueDaysOf({ store, clock }, project),
      noteRules: (projectId, day) => store.annotations.noteRules(projectId, { day, version: rulesVersion }),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Adds the audit entry with the first batch, also for logs that are followed for weeks. */
function notedImports(store: Store, now: () => number): ImportStore {
  const { once } = auditing(commandLine, now);
  return {
    ...store.imports,
    newBatch: () => {
      const batch = store.imports.newBatch();
      const count = batch.count.bind(batch);
      batch.count = async (packed) => {
        const { projectId, logs } = packed;
        if (!logs.some(({ id, bytes, from }) => id === null || bytes > from)) return count(packed);
        const { projects } = await store.directory();
        const subject = projects.find(({ id }) => id === projectId)?.settings.name ?? projectId;
        return once(
          { action: 'logs.added', projectId, subject },
          (entries) => count({ ...packed, entries }),
          ({ state }) => state === 'counted',
        );
      };
      return batch;
    },
  };
}

/** Fetches nothing: the server fetches, and its results are used while a log is followed. */
async function openSiteFiles(store: Store, { log, now }: Terminal): Promise<SiteFiles> {
  const registry = new Registry(store, log);
  await registry.refresh();
  const siteFiles = new SiteFiles({ store: store.sites, registry, offline: true, log, now });
  await siteFiles.load();
  siteFiles.start();
  return siteFiles;
}

async function openDry(terminal: Terminal): Promise<Opened> {
  const store = await terminal.observeStore();
  const catalogue = await takeUpCatalogue(terminal, {
    ...store.catalogue,
    keepCatalogue: async () => false,
  });
  return {
    store,
    catalogue,
    imports: dryStore(store.imports),
    saltCipher: new SaltCipher(randomBytes(keyBytes)),
    // Rules of robots.txt do not change the result.
    siteFiles: { disallows: () => false, stop: async () => undefined },
    sealDueDays: async () => undefined,
    noteRules: async () => undefined,
  };
}

/** Only the stored lists of addresses: no requests about old addresses. Read at the first AI client. */
function proofsAtHand({ config: { dataDir }, log, now }: Terminal): Pick<Proofs, 'check'> {
  let proofs: Proofs | undefined;
  return {
    check(question) {
      proofs ??= createProofs({ dataDir, offline: true, log, now });
      return proofs.check(question);
    },
  };
}

function partsOf(terminal: Terminal, { settings, excludes }: LiveProject) {
  const { config, now, draw, isWatched } = terminal;
  const progress = new ProgressLine({ isTerminal: isWatched, write: draw, now });
  return {
    proofs: proofsAtHand(terminal),
    findPlace: openPlaces(config.countryDatabase),
    findNetwork:
      excludes.as || settings.excludesDataCenters ? openNetworks(config.clients.asnDatabase) : null,
    trustedProxies: config.trustedProxies,
    now,
    progress,
    onProgress: (state: Parameters<ProgressLine['update']>[0]) => progress.update(state),
  };
}

function report(
  result: ImportResult,
  { json, 'dry-run': dry }: Values,
  isCut: boolean,
  terminal: Terminal,
): void {
  if (json) terminal.print(`${JSON.stringify(resultJson(result))}\n`);
  else {
    terminal.print(describeResult(result));
    if (dry) terminal.print('\nNothing was counted: this was a dry run.\n');
    else if (result.lines === 0 && !isCut && result.failures.length === 0)
      terminal.print('\nNo line is new: all were read before, and whatever could be counted was counted.\n');
  }
  for (const warning of result.warnings) terminal.note(`${warning}\n`);
  if (isCut)
    throw new CommandError('The import was stopped before the end: run the command again to continue.');
  if (result.failures.length > 0) throw new CommandError(result.failures.join('\n'));
}

export const importCommand: Command = {
  help: `Usage: headcount import <files or -> --project <project> [options]

Counts the page views in access logs, each line once: a log is recognised by its content, also when it has
grown or was renamed or packed, and only its new lines are counted. Logs may be of any age, packed (gzip,
zstd, bzip2, xz) or not, and given in any order.

A page is a GET or HEAD answered with 2xx (but 206) or 304 that is no image, style, script, feed, download
or prefetch, nor a path that scanners look for. AI clients are recognised by the address lists that the
server already has, without network requests.

  --project <project>    the project that they are counted for
  --format <format>      recognised by the lines, unless it is given:
${listFormats(80)
  .map((names) => `                         ${names}`)
  .join(',\n')}
  --log-format <text>    a log_format from nginx's configuration, or a similar one for another server
  --people <choice>      count or skip. Where a script counts people, logs count AI clients only, so that
                         nobody counts twice (count, except on days on which people came in another way,
                         with --merge; skip with --follow)
  --host <host>          the site's host name, where neither the log nor the project names it
  --follow               go on as the log is written, through rotations, until stopped
  --merge                add to days that hold counts from elsewhere, which are refused otherwise
  --undo <file or import>
                         undo the import of a log, so that it can be imported again. On closed days that
                         hold other counts too, visitors and visits stay
  --list                 list what was imported, with the number of each import
  --dry-run              report what would be counted, and change nothing
  --json                 print the result as JSON, for programs

Visitors are deleted at the end, except those of the first and the last day of the logs, which the next
log may continue: these, and those of an interrupted import, are kept for another day.
`,
  run,
};

const inLogs = Object.fromEntries(
  dropReasonNames.map((reason): [RuleReason, string] => {
    const { inLogs, inConsole }: DropRule = dropReasons[reason];
    return [reason as RuleReason, inLogs ?? inConsole];
  }),
) as Record<RuleReason, string>;

const labels: Readonly<Record<LineOutcome, string>> = {
  person: 'people',
  ai: 'AI clients',
  unreadable: 'unreadable',
  method: 'other method than GET or HEAD',
  status: 'other status than 2xx or 304, or a part (206)',
  asset: 'not a page (image, style, script, feed …)',
  prefetch: 'fetched ahead of a visit, or by a script',
  repeated: 'another line of the same request',
  future: 'time lies in the future',
  ...inLogs,
  taken: 'day holds counts from elsewhere',
  unfinished: 'last line, cut off (read again once the file has grown)',
};

const isCounted = (outcome: LineOutcome) => outcome === 'person' || outcome === 'ai';

/** For people: the counted lines, and why the rest was not counted, with the first examples. */
export function describeResult(result: ImportResult): string {
  const shown = outcomes.filter((outcome) => isCounted(outcome) || result.counts[outcome] > 0);
  const rows = (list: readonly LineOutcome[]) =>
    list.map((outcome) => [labels[outcome], counted(result.counts[outcome]).padStart(12)]);
  const examples = shown.flatMap((outcome) =>
    (result.examples.get(outcome as Reason) ?? []).map(({ file, line, text }, i) => [
      i === 0 ? labels[outcome] : '',
      `${file}:${line}`,
      text,
    ]),
  );
  const parts = [
    table(['LINES', counted(result.lines).padStart(12)], []),
    table(['COUNTED', counted(result.hits).padStart(12)], rows(shown.filter(isCounted))),
  ];
  const notCounted = shown.filter((outcome) => !isCounted(outcome));
  if (notCounted.length > 0) {
    const sum = notCounted.reduce((total, outcome) => total + result.counts[outcome], 0);
    parts.push(table(['NOT COUNTED', counted(sum).padStart(12)], rows(notCounted)));
  }
  if (examples.length > 0) parts.push(table(['FIRST EXAMPLES', 'WHERE', 'WHAT'], examples));
  return parts.join('\n');
}

/** For programs. */
export function resultJson(result: ImportResult): object {
  const { person, ai, ...rest } = result.counts;
  return {
    lines: result.lines,
    counted: { people: person, ai },
    notCounted: Object.fromEntries(Object.entries(rest).filter(([, count]) => count > 0)),
    examples: Object.fromEntries(result.examples),
    ...(result.warnings.length > 0 && { warnings: result.warnings }),
  };
}

/** A store that reads the existing data, and writes nothing. */
function dryStore(
  real: Pick<ImportStore, 'listLogs' | 'readOpenLines' | 'listDays' | 'listNotedDays'>,
): ImportStore {
  return {
    listLogs: (projectId) => real.listLogs(projectId),
    readOpenLines: (logId) => real.readOpenLines(logId),
    listDays: (projectId) => real.listDays(projectId),
    listNotedDays: (projectId) => real.listNotedDays(projectId),
    openDay: async (_projectId, day, { salt }) => ({ id: day, day, salt }),
    newBatch: () => ({
      isFull: false,
      add: () => undefined,
      count: async ({ logs }) => ({ state: 'counted', ids: logs.map(({ id }) => id ?? 0) }),
    }),
    seal: async () => undefined,
  };
}
