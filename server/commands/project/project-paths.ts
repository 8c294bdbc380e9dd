import { otherName } from '../../counting/names/name-cap.ts';
import { pathMatcher } from '../../counting/page/path-pattern.ts';
import { maskPersonalParts } from '../../counting/page/personal-path.ts';
import { program } from '../../process/program.ts';
import type { PathMove } from '../../store/paths.ts';
import type { Store } from '../../store/store.ts';
import { CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { readOperands, readOptions } from '../terminal/options.ts';
import { table } from '../terminal/table.ts';
import { unknownProject } from '../terminal/unknown-project.ts';
import { withStore } from '../terminal/with-store.ts';

/** Paths read at a time, and moved at a time: between two such steps the server counts. */
const pathsPerPage = 10_000;
const movesPerStep = 5_000;
/** Moves that are shown to a person. */
const maxShown = 20;

const options = { yes: { type: 'boolean' }, json: { type: 'boolean' } } as const;

interface Change {
  projectId: string;
  /** Undefined: the path stays. */
  moveOf: (path: string) => PathMove | undefined;
  done: string;
  planned: string;
}

/** Counts what was counted under personal paths before they were masked under the masked ones. */
export async function foldPaths(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['project']);
  const projectId = String(positionals[0]);
  await withStore(terminal, async (store) => {
    const project = (await store.directory()).projects.find(({ id }) => id === projectId);
    if (project?.settings.personalPaths === 'keep') {
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
  });
}

/** Deletes names and counts of paths. */
export async function forgetPaths(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOperands(args, options);
  const [projectId, ...globs] = positionals;
  if (projectId === undefined || globs.length === 0) {
    throw new UsageError('Expected <project> and at least one <glob>, such as "/reset/**".');
  }
  const isForgotten = pathMatcher(globs);
  const moveOf = (from: string) => (isForgotten(from) ? { from, to: null } : undefined);
  const words = { done: 'deleted', planned: 'would be deleted' };
  await withStore(terminal, (store) => change(store, terminal, { projectId, moveOf, ...words }, values));
}

async function change(
  store: Store,
  terminal: Terminal,
  { projectId, moveOf, done, planned }: Change,
  { yes = false, json = false }: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  const { projects } = await store.directory();
  if (!projects.some(({ id }) => id === projectId)) {
    throw unknownProject(projectId);
  }
  const moves = await findMoves(store, projectId, moveOf);
  if (yes && moves.length > 0) await moveAll(store, projectId, moves);
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
    const page = await paths.listTallied(projectId, after, pathsPerPage);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function moveAll(store: Store, projectId: string, moves: PathMove[]): Promise<void> {
  for (let start = 0; start < moves.length; start += movesPerStep) {
    const isThere = await store.paths.move(projectId, moves.slice(start, start + movesPerStep));
    if (!isThere) throw unknownProject(projectId);
  }
  await store.paths.erase();
}
