import type { AddressListReply } from '../../../shared/accounts/admin.ts';
import { commandLine } from '../../audit/audit-list.ts';
import { type Day, fromDay, toDay } from '../../counting/calendar.ts';
import { SaltCipher } from '../../counting/visitor/salt.ts';
import { listAges } from '../../identity/proof/list-ages.ts';
import { createProofs } from '../../identity/proof/proof.ts';
import {
  type CheckedCalendar,
  type Problem,
  problemsOf,
  readCalendars,
  repairOf,
} from '../../ingest/sealing/calendar-check.ts';
import { program } from '../../process/program.ts';
import { loadSecretKey } from '../../projects/key-file.ts';
import type { AuditEntry } from '../../store/admin/audit.ts';
import type { ListedProject } from '../../store/projects.ts';
import { aboutDamage, type Store, StoreError } from '../../store/store.ts';
import type { FileState, StoreFiles } from '../../store/store-files.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { listMissing } from '../terminal/missing.ts';
import { readOptions } from '../terminal/options.ts';
import { table } from '../terminal/table.ts';
import { unknownProject } from '../terminal/unknown-project.ts';
import { withStore } from '../terminal/with-store.ts';
import { checkSurroundings } from './check-surroundings.ts';
import { noRemarks, type Remarks } from './remark.ts';

const options = {
  project: { type: 'string' },
  repair: { type: 'boolean' },
  'move-to': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const dayMs = 86_400_000;

interface Found {
  projects: ListedProject[];
  calendars: CheckedCalendar[];
  problems: Problem[];
}

/** @throws UsageError */
function readDate(text: string | undefined): Day | undefined {
  if (text === undefined) return undefined;
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new RangeError();
    return toDay(Temporal.PlainDate.from(text));
  } catch {
    throw new UsageError(`--move-to must be a date such as 2026-05-10, not "${text}".`);
  }
}

async function findProjects(store: Store, wanted: string | undefined): Promise<ListedProject[]> {
  const { projects } = await store.directory();
  const found = projects.filter(({ id }) => wanted === undefined || id === wanted);
  if (wanted !== undefined && found.length === 0) throw unknownProject(wanted);
  return found;
}

async function find(
  store: Store,
  wanted: string | undefined,
  now: number,
  moveTo: Day | undefined,
): Promise<Found> {
  const damages = (await store.check.findDamage()).map((message) =>
    damage(`The file is damaged: ${message}. Save what can be read, or restore a backup: ${aboutDamage}`),
  );
  const skipDamaged = <T>(error: unknown): T[] => {
    if (damages.length > 0 && error instanceof StoreError && error.code === 'damaged') return [];
    throw error;
  };
  const projects = await findProjects(store, wanted).catch(skipDamaged<ListedProject>);
  const calendars = await readCalendars(store, projects, now).catch(skipDamaged<CheckedCalendar>);
  return {
    projects,
    calendars,
    problems: [...damages, ...calendars.flatMap((calendar) => problemsOf(calendar, moveTo))],
  };
}

/** Of a database that was saved from a damaged one. */
async function findMissing(store: Store): Promise<Problem[]> {
  const missing = await store.check.readMissing();
  if (missing.length === 0) return [];
  const message = `It was saved from a damaged one, and lacks the following.\n${listMissing(missing)}\n `;
  return [{ kind: 'incomplete', projectId: null, message, repair: null }];
}

/** Only the calendars in which there is something to repair. */
async function repair(
  store: Store,
  { projects, calendars, problems }: Found,
  moveTo: Day | undefined,
  terminal: Terminal,
) {
  const saltCipher = new SaltCipher(loadSecretKey(terminal.config));
  const broken = new Set(problems.filter(({ repair }) => repair !== null).map(({ projectId }) => projectId));
  for (const calendar of calendars.filter(({ projectId }) => broken.has(projectId))) {
    if (moveTo !== undefined && moveTo > calendar.today) {
      throw new UsageError('--move-to must be a day that has begun.');
    }
    const target = calendar.futureDays.length > 0 ? (moveTo ?? null) : null;
    const { settings } = projects.find(({ id }) => id === calendar.projectId) as ListedProject;
    const kinds = problems.flatMap(({ kind, projectId }) => (projectId === calendar.projectId ? [kind] : []));
    const entry: AuditEntry = {
      ...{ at: terminal.now(), actor: commandLine, action: 'calendar.repaired' },
      ...{ projectId: calendar.projectId, subject: settings.name },
      changes: [...kinds, ...(target === null ? [] : [`moved to ${fromDay(target)}`])],
    };
    const args = [repairOf(calendar, target, saltCipher)] as const;
    await store.callAudited('calendars', 'repairCalendar', [...args], [entry]);
    await store.erase();
  }
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, options);
  const moveTo = readDate(values['move-to']);
  if (moveTo !== undefined && !values.repair) throw new UsageError('--move-to goes with --repair.');
  try {
    await checkStore(values, moveTo, terminal);
  } catch (error) {
    if (values.repair || !(error instanceof StoreError && error.code === 'damaged')) throw error;
    await reportUnopened(error, values.json, terminal);
  }
}

interface Values {
  project?: string | undefined;
  repair?: boolean | undefined;
  json?: boolean | undefined;
}

async function checkStore(values: Values, moveTo: Day | undefined, terminal: Terminal): Promise<void> {
  const now = terminal.now();
  const state = await withFiles(terminal, (files) => files.describe());
  if (!values.repair && state.version > 0 && state.version < state.knownVersion) {
    reportOldSchema(state, values.json, terminal);
    return;
  }
  await withStore(terminal, async (store) => {
    const found = await find(store, values.project, now, moveTo);
    if (!values.repair) {
      const around =
        values.project === undefined
          ? await checkSurroundings(store, found.projects, state, terminal)
          : noRemarks;
      const problems = [...found.problems, ...around.problems];
      const advice = [...(await findMissing(store)), ...around.advice];
      const lists = values.project === undefined ? readLists(terminal) : [];
      report({ problems, advice }, lists, values.json, terminal);
      return;
    }
    await repair(store, found, moveTo, terminal);
    const left = (await find(store, values.project, now, moveTo)).problems;
    reportRepair(found.problems, left, values.json, terminal);
  });
}

/** The damage in the rest of a file that cannot be opened, as its beginning is damaged. */
async function reportUnopened(error: StoreError, json: boolean | undefined, terminal: Terminal) {
  const hurt = await withFiles(terminal, (files) => files.findHurt());
  if (hurt === null) throw error;
  if (hurt.length === 0) hurt.push('All rows of its tables can be read');
  report(
    { problems: [error.message, ...hurt.map((sentence) => `${sentence}.`)].map(damage), advice: [] },
    [],
    json,
    terminal,
  );
}

const damage = (message: string): Problem => ({ kind: 'damage', projectId: null, message, repair: null });

async function withFiles<T>({ openFiles }: Terminal, use: (files: StoreFiles) => Promise<T>): Promise<T> {
  const files = await openFiles();
  try {
    return await use(files);
  } finally {
    await files.close();
  }
}

/** Looking into it would bring it up to date. */
function reportOldSchema(
  { version, knownVersion }: FileState,
  json: boolean | undefined,
  terminal: Terminal,
): void {
  const message = `It was written by an older Headcount (schema ${version}, this one has ${knownVersion}). The next start of the server brings it up to date; make a backup before.`;
  const problem: Problem = { kind: 'schema', projectId: null, message, repair: null };
  report({ problems: [problem], advice: [] }, readLists(terminal), json, terminal);
}

/** As the server has them, where it has this data folder. */
function readLists({ config, now, log }: Terminal): AddressListReply[] {
  const proofs = createProofs({ dataDir: config.dataDir, offline: true, now, log });
  return listAges(proofs.feedTimes(), now());
}

function report(
  remarks: Remarks,
  addressLists: AddressListReply[],
  json: boolean | undefined,
  { print, now }: Terminal,
): void {
  print(json ? `${JSON.stringify({ ...remarks, addressLists })}\n` : inWords(remarks, now()));
  if (!json) print(describeLists(addressLists, now()));
  refuse(remarks.problems);
}

/** For information: a server without the network has old ones. */
function describeLists(lists: AddressListReply[], now: number): string {
  if (lists.length === 0) return '';
  const ageOf = (at: string | null) =>
    at === null ? 'no copy' : `${Math.floor((now - Date.parse(at)) / dayMs)} days`;
  const rows = lists.map(({ list, confirmedAt, isRecent }) => [
    ...[list, confirmedAt?.slice(0, 10) ?? '', ageOf(confirmedAt)],
    isRecent || confirmedAt === null ? '' : 'too old to show spoofing',
  ]);
  return `\n${table(['ADDRESSES OF AI CLIENTS', 'CONFIRMED', 'AGE', ''], rows)}`;
}

function inWords({ problems, advice }: Remarks, now: number): string {
  const parts = [...advice, ...problems].map((problem) => describe(problem, 'A repair'));
  if (problems.length === 0) return [...parts, 'Nothing is wrong.\n'].join('\n');
  const clock = `The clock says ${new Date(now).toISOString()}. If that is wrong, set it first.\n`;
  return [clock, ...parts].join('\n');
}

/** @throws CommandError where there are problems */
function refuse(problems: Problem[]): void {
  if (problems.length === 0) return;
  const isRepairable = problems.some(({ repair }) => repair !== null);
  throw new CommandError(
    `${problems.length === 1 ? 'One problem was' : `${problems.length} problems were`} found, and nothing was changed.${isRepairable ? ` "${program} check --repair" repairs some of them.` : ''}`,
  );
}

function reportRepair(problems: Problem[], left: Problem[], json = false, { print }: Terminal): void {
  if (json) print(`${JSON.stringify({ problems, left })}\n`);
  else {
    print(problems.map((problem) => describe(problem, 'Done')).join('\n') || 'Nothing is wrong.\n');
    if (left.length > 0) print(`\nLeft: ${left.map(({ kind }) => kind).join(', ')}.\n`);
  }
  // Counts of days to come may stay.
  const broken = left.filter(({ kind }) => kind !== 'future_counts' && kind !== 'overdue_salts');
  if (broken.length > 0) throw new CommandError('Not all could be repaired.');
}

const titles: Partial<Record<Problem['kind'], string>> = {
  disk: 'Disk',
  clock: 'Clock',
  durability: 'Database',
  rights: 'Rights',
  key: 'Key',
  file: 'File',
  trusted_proxies: 'Proxy',
  base_url: 'Address',
  git: 'Jobs',
  sandbox: 'Jobs',
};

function describe({ kind, projectId, message, repair }: Problem, intro: string): string {
  const where = projectId === null ? (titles[kind] ?? 'Database') : `Project ${projectId}`;
  return `${where}: ${message} (${kind})\n${repair === null ? '' : `  ${intro}: ${repair}\n`}`;
}

export const checkCommand: Command = {
  help: `Usage: headcount check [--project <project>] [--repair [--move-to <date>]] [--json]

Checks for problems: damage of the database, its schema, effects of a wrong clock such as days in the future, room
on the disk, rights of files, databases of countries and networks that settings name, the key, trusted proxies, whether
the base address leads to this server, and git and bubblewrap where projects have jobs. Give it the settings of the
server. It also says how old the lists of addresses are that AI clients are proved by.
Without --repair it changes nothing and prints what --repair would do. Exit code 1: problems were found, or remain.

  --project <project>    look at the days of this project only
  --repair               repair the effects of a wrong clock, by the time that it has now: days that were sealed too
                         early are opened again, so that their hits are counted; salts and visitors of days later
                         than tomorrow are deleted. Counts of such days stay, as nobody knows their real day
  --move-to <date>       with --repair: add the counts of days later than tomorrow to this day
  --json                 print the result as JSON, for programs

Run it while the server runs or not. Make a copy of the database ("headcount backup") before --repair.
`,
  run,
};
