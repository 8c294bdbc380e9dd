import type { MarkReply } from '../../shared/replies/insights.ts';
import { type NewMark, newMark } from '../../shared/reports/insights.ts';
import { Calendar } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { addMark, toMarkReply } from '../insights/marks.ts';
import { program } from '../process/program.ts';
import type { Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const addOptions = {
  text: { type: 'string' },
  date: { type: 'string' },
  kind: { type: 'string', default: 'note' },
  path: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

const optionOf: Record<keyof NewMark, string> = {
  text: '--text',
  date: '--date',
  kind: '--kind',
  paths: '--path',
};

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, addOptions, ['project']);
  const { text = '', date, kind, path: paths } = values;
  const given = readMark({ text, date, kind, paths });
  const mark = await withProject(terminal, positionals[0], async (store, { id, settings }) => {
    const now = terminal.now();
    const today = new Calendar(settings.timeZone).dayOf(now);
    return addMark(store.marks, id, given, { today, now }).catch(refuse);
  });
  terminal.print(values.json ? `${JSON.stringify(mark)}\n` : `${describe(mark)} was noted as ${mark.id}.\n`);
}

function readMark(given: object): NewMark {
  const result = newMark.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`${optionOf[issue?.path[0] as keyof NewMark]} ${issue?.message}.`);
}

/** What the API refuses in words is refused here too. */
function refuse(error: unknown): never {
  throw error instanceof ApiError ? new CommandError(error.message, { cause: error }) : error;
}

const describe = ({ date, text }: MarkReply) => `${date}: ${text}`;

async function list(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['project']);
  const marks = await withProject(terminal, positionals[0], async (store, { id: projectId }) =>
    (await store.marks.listMarks({ projectId, from: null, to: null })).toReversed().map(toMarkReply),
  );
  if (values.json) terminal.print(`${JSON.stringify(marks)}\n`);
  else if (marks.length === 0) terminal.print('Nothing is marked.\n');
  else {
    const rows = marks.map(({ id, date, kind, text }) => [id, date, kind, text]);
    terminal.print(table(['MARK', 'DATE', 'KIND', 'TEXT'], rows));
  }
}

async function remove(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['project', 'mark']);
  const markId = String(positionals[1]);
  const removed = await withProject(terminal, positionals[0], (store, { id }) =>
    store.marks.removeMark(id, markId),
  );
  if (!removed) {
    throw new CommandError(
      `There is no mark ${markId}: "${program} mark list ${positionals[0]}" shows those there are.`,
    );
  }
  terminal.print(values.json ? `${JSON.stringify({ markId, removed })}\n` : `Mark ${markId} was removed.\n`);
}

function withProject<T>(
  terminal: Terminal,
  projectId = '',
  use: (store: Store, project: Project) => Promise<T>,
): Promise<T> {
  return withStore(terminal, async (store) => {
    const project = (await store.directory()).projects.find(({ id }) => id === projectId);
    if (!project) throw unknownProject(projectId);
    return use(store, project);
  });
}

const actions = { add, list, remove };

export const markCommand: Command = {
  help: `Usage: headcount mark add <project> --text <text> [--date <date>] [--kind <kind>] [--path <path>] [--json]
       headcount mark list <project> [--json]
       headcount mark remove <project> <mark> [--json]

Marks stand on the chart of the project, and among the changes that explain its numbers.

  --text <text>          what happened, in a line of up to 200 characters
  --date <date>          on which day in the project's time zone, such as 2026-11-20 (today)
  --kind <kind>          note or release (note)
  --path <path>          a page that the release touched, such as /prices or "/docs/*", so that its
                         effect can be told; can be given several times
  --json                 print the result as JSON, for programs

It works beside a running server.
`,
  run: (args, terminal) => runAction('mark', actions, args, terminal),
};
