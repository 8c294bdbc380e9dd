import { auditing, commandLine } from '../audit/audit-list.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../commands/terminal/command.ts';
import { readOptions } from '../commands/terminal/options.ts';
import { table } from '../commands/terminal/table.ts';
import { unknownProject } from '../commands/terminal/unknown-project.ts';
import { withStore } from '../commands/terminal/with-store.ts';
import { type Day, fromDay, toDay } from '../counting/calendar.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { maskPersonalParts } from '../counting/page/page.ts';
import { pathMatcher } from '../counting/page/path-pattern.ts';
import { forgetOldDays } from '../ingest/sealing/retention.ts';
import { program } from '../process/program.ts';
import type { PathMove } from '../store/paths.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { findProject, type OwnAction } from './command.ts';
import type { Options, Typed } from './operation.ts';

/** Paths read at a time, and moved at a time: between two such steps the server counts. */
const pathsPerPage = 10_000;
const movesPerStep = 5_000;
/** Moves that are shown to a person. */
const maxShown = 20;

interface Change {
  projectId: string;
  /** Undefined: the path stays. */
  moveOf: (path: string) => PathMove | undefined;
  done: string;
  planned: string;
}

type Chosen = Pick<Typed<Options>['values'], 'json'> & { yes?: unknown };

/** Moves counts of personal paths from before they were masked to the masked paths. */
const foldPaths: OwnAction = {
  name: 'project fold-paths',
  operands: ['project'],
  options: { yes: { type: 'boolean', says: '' } },
  run: ({ operands: { project: projectId = '' }, values }, terminal) =>
    withStore(terminal, async (store) => {
      const { settings } = await findProject(store, projectId);
      if (settings.personalPaths === 'keep') {
        throw new CommandError(
          `Project ${projectId} keeps personal paths: set it to mask them first, with "${program} project set ${projectId} --personal-paths mask".`,
        );
      }
      const moveOf = (from: string) => {
        const to = maskPersonalParts(from);
        return to === from ? undefined : { from, to };
      };
      const words = { done: 'folded', planned: 'would be folded' };
      await change(store, terminal, { projectId, moveOf, ...words }, values);
    }),
};

/** Deletes names and counts of paths. */
export async function forgetPaths(
  projectId: string,
  globs: readonly string[],
  chosen: Chosen,
  terminal: Terminal,
): Promise<void> {
  const isForgotten = pathMatcher(globs);
  const moveOf = (from: string) => (isForgotten(from) ? { from, to: null } : undefined);
  const words = { done: 'deleted', planned: 'would be deleted' };
  await withStore(terminal, (store) => change(store, terminal, { projectId, moveOf, ...words }, chosen));
}

export const pathActions: OwnAction[] = [
  foldPaths,
  {
    name: 'project forget-paths',
    operands: ['project'],
    rest: ['glob', '"/reset/**"'],
    options: { yes: { type: 'boolean', says: '' } },
    run: ({ operands: { project = '' }, rest, values }, terminal) =>
      forgetPaths(project, rest, values, terminal),
  },
];

async function change(
  store: Store,
  terminal: Terminal,
  { projectId, moveOf, done, planned }: Change,
  { yes: isMeant, json = false }: Chosen,
): Promise<void> {
  const yes = isMeant === true;
  const project = await findProject(store, projectId);
  const moves = await findMoves(store, projectId, moveOf);
  if (yes && moves.length > 0) await moveAll(store, project, moves, terminal.now);
  if (json) {
    terminal.print(`${JSON.stringify({ projectId, done: yes, paths: moves })}\n`);
    return;
  }
  const shown = moves.slice(0, maxShown);
  const rest = moves.length > maxShown ? `and ${moves.length - maxShown} more\n` : '';
  const count = moves.length === 1 ? '1 path' : `${moves.length} paths`;
  const remedy = yes || moves.length === 0 ? '' : ' Nothing was changed: add --yes to do it.';
  if (shown.length > 0) terminal.print(describeMoves(shown, yes) + rest);
  terminal.print(`${count} ${yes ? `${moves.length === 1 ? 'was' : 'were'} ${done}` : planned}.${remedy}\n`);
}

function describeMoves(moves: readonly PathMove[], isDone: boolean): string {
  const kept = moves.flatMap(({ from, to }) => (to === null ? [] : [[from, to]]));
  if (kept.length > 0) return table(['PATH', 'BECOMES'], kept);
  return `${isDone ? 'Deleted' : 'Would delete'}:\n${moves.map(({ from }) => `  ${from}\n`).join('')}`;
}

async function findMoves(store: Store, projectId: string, moveOf: Change['moveOf']): Promise<PathMove[]> {
  const moves = new Map<string, PathMove>();
  for await (const path of listPaths(store, projectId)) {
    const move = path === otherName ? undefined : moveOf(path);
    if (move) moves.set(path, move);
  }
  return [...moves.values()];
}

/** Some come more than once. */
async function* listPaths({ paths }: Store, projectId: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const page = await paths.list(projectId, after, pathsPerPage);
    for (const { path } of page) yield path;
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
  }
  for (let after = ''; ; ) {
    const page = await paths.listCounted(projectId, after, pathsPerPage);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function moveAll(
  store: Store,
  { id: projectId, settings }: ListedProject,
  all: PathMove[],
  now: () => number,
): Promise<void> {
  const { entries } = auditing(commandLine, now);
  for (let start = 0; start < all.length; start += movesPerStep) {
    const moves = all.slice(start, start + movesPerStep);
    // Only how many: the paths themselves may be personal data.
    const noted = entries({
      action: moves[0]?.to === null ? 'paths.forgotten' : 'paths.folded',
      projectId,
      subject: settings.name,
      changes: [`paths: ${moves.length}`],
    });
    const isThere = await store.callAudited('paths', 'move', [projectId, moves], noted);
    if (!isThere) throw unknownProject(projectId);
  }
  await store.erase();
}

const options = {
  project: { type: 'string' },
  path: { type: 'string', multiple: true },
  'details-before': { type: 'string' },
  before: { type: 'string' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>['values'];

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, options);
  const { project, path } = values;
  if (project === undefined) throw new UsageError('Name the project: --project <project>.');
  const asked = [path, values['details-before'], values.before].filter((one) => one !== undefined);
  if (asked.length !== 1) throw new UsageError('Give one of --path, --details-before and --before.');
  if (path === undefined) return await forgetDays(project, values, terminal);
  await forgetPaths(project, path, values, terminal);
}

async function forgetDays(projectId: string, values: Values, terminal: Terminal): Promise<void> {
  const details = readDay('--details-before', values['details-before']);
  const counts = readDay('--before', values.before);
  const { yes = false, json = false } = values;
  await withStore(terminal, async (store) => {
    const project = await findProject(store, projectId);
    const calendar = (await store.listCalendars()).find((one) => one.projectId === projectId);
    const end = Math.min(details ?? counts ?? 0, (calendar?.sealedThrough ?? Number.NEGATIVE_INFINITY) + 1);
    const counted = (await store.imports.listDays(projectId)).map(({ day }) => day);
    // Days of hits that were not counted, too.
    const known = new Set([...counted, ...(await store.imports.listNotedDays(projectId))]);
    const days = [...known].filter((day) => day < end).sort((a, b) => a - b);
    if (yes)
      await forgetOldDays(store, project, { details, counts }, { actor: commandLine, at: terminal.now() });
    const dates = days.map((day) => String(fromDay(day)));
    const [from = null, to = null] = [dates.at(0), dates.at(-1)];
    terminal.print(
      json
        ? `${JSON.stringify({ projectId, done: yes, days: days.length, from, to })}\n`
        : describe(dates, details !== null, yes),
    );
  });
}

function describe(dates: string[], isDetails: boolean, isDone: boolean): string {
  if (dates.length === 0) return 'No closed day is older than that. Nothing was changed.\n';
  const days =
    dates.length === 1 ? `1 day (${dates[0]})` : `${dates.length} days (${dates[0]} to ${dates.at(-1)})`;
  const what = isDetails ? 'The details of' : 'All counts of';
  if (isDone) return `${what} ${days} were deleted.\n`;
  return `${what} ${days} would be deleted. Nothing was changed: add --yes to do it.\n`;
}

/** @throws UsageError */
function readDay(option: string, text: string | undefined): Day | null {
  if (text === undefined) return null;
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new RangeError();
    return toDay(Temporal.PlainDate.from(text));
  } catch {
    throw new UsageError(`${option} must be a date such as 2026-05-10, not "${text}".`);
  }
}

export const forgetCommand: Command = {
  help: `Usage: headcount forget --project <project> --path <glob>… [--yes] [--json]
       headcount forget --project <project> --details-before <date> [--yes] [--json]
       headcount forget --project <project> --before <date> [--yes] [--json]

Deletes counts permanently, also while the server runs. Without --yes it only prints what it would delete.

  --path <glob>            delete names and counts of these paths, such as "/reset/**", on all days, those that are still
                           open included; the totals of the site stay; may be given several times
  --details-before <date>  delete counts by path, source, AI client and so on of days before this one; the totals of the
                           site stay
  --before <date>          delete all counts of days before this one
  --yes                    do it
  --json                   print the result as JSON, for programs

--details-before and --before leave active days as they are. "headcount project set" has --keep-details
and --keep-counts, with which the server does the same every day. Deleted counts remain in your backups.
`,
  run,
};
