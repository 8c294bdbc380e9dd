import { auditing } from '../audit/audit-list.ts';
import { commandLine } from '../audit/audited-store.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../commands/terminal/command.ts';
import { readOptions } from '../commands/terminal/options.ts';
import { findServerUrl } from '../commands/terminal/running-server.ts';
import { unknownProject } from '../commands/terminal/unknown-project.ts';
import { withNewStore, withStore } from '../commands/terminal/with-store.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { type Effect, effectOf, type Route } from '../http/route.ts';
import { program } from '../process/program.ts';
import { Secrets } from '../projects/secrets.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import type { CommandPart, Given, Operation, Option, Options, Told } from './operation.ts';

/** A command that is of no operation. */
export interface OwnAction {
  name: string;
  effect: Effect;
  operands: readonly string[];
  options?: Options;
  usage?: string;
  run(told: Told<Options>, terminal: Terminal): Promise<void>;
}

interface Group {
  /** Such as `mark`. */
  name: string;
  /** What the help says before the options, and after them. */
  about: string;
  after?: string;
  /** Where texts of options begin. */
  column?: number;
  /** How long a line of the usage may be. */
  width?: number;
  /** What is said of `--json` besides. */
  json?: string;
}

type Action = OwnAction | (Operation & { command: CommandPart<Options, never> });

const isOwn = (action: Action): action is OwnAction => !('method' in action);
const partOf = (action: Action) => (isOwn(action) ? action : action.command);
const actionOf = (action: Action) => partOf(action).name.split(' ').slice(1).join(' ');

const order: readonly Effect[] = ['adds', 'reads', 'changes', 'ends'];

/** The command of a resource: what its operations do, first what adds something and last what ends it. */
export function commandOf(group: Group, all: readonly (Route | OwnAction)[]): Command {
  const commands = all.filter((one): one is Action => !('method' in one) || 'command' in one);
  const rank = (action: Action) => order.indexOf(isOwn(action) ? action.effect : effectOf(action));
  const actions = commands.toSorted((a, b) => rank(a) - rank(b));
  const json: Option = {
    type: 'boolean',
    says: `print the result as JSON, for programs${group.json ?? ''}`,
  };
  return {
    help: describe(group, actions, json),
    run: ([name, ...args], terminal) => {
      const action = actions.find((one) => actionOf(one) === name);
      if (action) return run(action, args, json, terminal);
      const names = actions.map(actionOf);
      const wanted = names.length > 1 ? `one of ${names.join(', ')}` : `"${names}"`;
      const got = name === undefined ? '' : `, not "${name}"`;
      throw new UsageError(`"${group.name}" must be followed by ${wanted}${got}.`);
    },
  };
}

const lead = 'Usage: ';

function describe(
  { about, after, column = 25, width = 100 }: Group,
  actions: readonly Action[],
  json: Option,
): string {
  const usage = actions.map((action, i) => {
    const head = `${i === 0 ? lead : ' '.repeat(lead.length)}headcount ${partOf(action).name} `;
    return wrap(head, usageOf(action), width);
  });
  const options = new Map(actions.flatMap((action) => Object.entries(partOf(action).options ?? {})));
  const texts = [...options, ['json', json] as const].map(([name, option]) =>
    describeOption(name, option, column),
  );
  return `${usage.join('\n')}\n\n${about}\n${texts.join('')}${after === undefined ? '' : `\n${after}`}`;
}

function usageOf(action: Action): readonly string[] {
  const { usage, options = {} } = partOf(action);
  const operands = operandsOf(action).map((name) => `<${name}>`);
  const told = usage?.split('  ') ?? [
    ...operands,
    ...Object.entries(options).flatMap(([name, option]) => shown(name, option, options)),
  ];
  return [...told, '[--json]'];
}

function shown(name: string, option: Option, options: Options): string[] {
  const text = withValue(name, option);
  const { needed, multiple } = option;
  if (needed === true) return [text];
  if (needed !== undefined) return [`(${text} | ${withValue(needed, options[needed] as Option)})`];
  if (Object.values(options).some((other) => other.needed === name)) return [];
  return [`[${text}]${multiple ? '...' : ''}`];
}

const withValue = (name: string, { value }: Option) => `--${name}${value === undefined ? '' : ` <${value}>`}`;

function wrap(head: string, words: readonly string[], width: number): string {
  const lines = [head.trimEnd()];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(' '.repeat(head.length) + word);
  }
  return lines.join('\n');
}

function describeOption(name: string, option: Option, column: number): string {
  if (option.says === '') return '';
  const other = option.with === undefined ? '' : `, --${option.with}`;
  const head = `  ${withValue(name, option)}${other}  `.padEnd(column);
  const indent = `\n${' '.repeat(column)}`;
  return `${option.before ?? ''}${head}${option.says.replaceAll('\n', indent)}\n`;
}

function operandsOf(action: Action): readonly string[] {
  if (isOwn(action)) return action.operands;
  return action.command.operands ?? paramsOf(action).map((name) => name.replace(/Id$/, ''));
}

const paramsOf = ({ path }: Pick<Route, 'path'>) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);

async function run(action: Action, args: string[], json: Option, terminal: Terminal): Promise<void> {
  const names = operandsOf(action);
  const { values, positionals } = readOptions(args, { ...partOf(action).options, json }, names);
  const operands = Object.fromEntries(names.map((name, i) => [name, String(positionals[i])]));
  const baseUrl = await findServerUrl(terminal);
  const told = { values: values as Told<Options>['values'], operands, now: terminal.now(), baseUrl };
  if (isOwn(action)) return refusing(action, told, () => action.run(told, terminal));
  const { command } = action;
  const reply = (await refusing(action, told, () => ask(action, told, terminal))) as never;
  terminal.print(
    values.json
      ? `${JSON.stringify(command.json ? command.json(reply, told) : reply)}\n`
      : command.print(reply, told),
  );
}

type OfCommand = Exclude<Action, OwnAction>;

/** Does what the operation does. */
async function ask(action: OfCommand, told: Told<Options>, terminal: Terminal): Promise<unknown> {
  const { command } = action;
  const given = command.read ? await command.read(told, terminal) : fieldsOf(action, told);
  const { projectId = told.operands.project } = given;
  const open = command.isFirst && typeof projectId !== 'string' ? withNewStore : withStore;
  const [group] = command.name.split(' ');
  return open(terminal, async (store) => {
    const { config, now } = terminal;
    const project = typeof projectId === 'string' ? await findProject(store, projectId) : null;
    const { params, query, body, isRead } = command.find ? await command.find(store, told, given) : given;
    const deps = {
      store,
      config,
      now,
      secrets: new Secrets({ store, ...config }),
      keyUses: { list: () => store.admin.keyUses() },
      ...auditing(commandLine, now),
    };
    const asked = {
      project,
      params: { ...paramsIn(action, told), ...params },
      query: action.query && parse(action.query, query ?? {}, 'The list'),
      body: isRead ? body : action.body && parse(action.body.schema, body ?? {}, `The ${group}`),
      actor: commandLine,
      key: null,
      baseUrl: told.baseUrl,
      headers: {},
    };
    return action.run(deps, asked as never);
  });
}

/** @throws CommandError */
export async function findProject(store: Store, projectId: string | undefined): Promise<ListedProject> {
  const { projects } = await store.directory();
  const project = projects.find(({ id }) => id === projectId);
  if (!project) throw unknownProject(String(projectId));
  return project;
}

const paramsIn = (action: OfCommand, { operands }: Told<Options>) =>
  Object.fromEntries(paramsOf(action).map((name) => [name, operands[name.replace(/Id$/, '')] ?? '']));

/** What is typed, by the names that the operation has for it. @throws UsageError */
function fieldsOf({ query, body, command: { options = {} } }: OfCommand, { values }: Told<Options>): Given {
  const fields = Object.entries(options).map(
    ([name, { field = name }]) => [field, values[name], name] as const,
  );
  const given = Object.fromEntries(fields);
  const schema = body?.schema ?? query;
  const issue = schema?.safeParse(given, { reportInput: true }).error?.issues[0];
  const option = fields.find(([field]) => field === issue?.path[0])?.[2];
  if (issue && option !== undefined)
    throw new UsageError(
      `--${option} ${issue.input === undefined && issue.code === 'invalid_type' ? 'is missing' : issue.message}.`,
    );
  return body ? { body: given } : { query: given };
}

/** What the API refuses is refused here, too. @throws CommandError */
async function refusing<T>(action: Action, { operands }: Told<Options>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [noun, id] = Object.entries(operands).at(-1) ?? [];
    if (error.code !== 'not_found' || noun === undefined)
      throw new CommandError(error.message, { cause: error });
    const [group] = partOf(action).name.split(' ');
    const where = operands.project === undefined ? '' : ` ${operands.project}`;
    throw new CommandError(
      `There is no ${noun.replace(/ id$/, '')} ${id}: "${program} ${group} list${where}" shows those there are.`,
      { cause: error },
    );
  }
}
