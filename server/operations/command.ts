import { auditing, commandLine } from '../audit/audit-list.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../commands/terminal/command.ts';
import { readOperands, readOptions } from '../commands/terminal/options.ts';
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
import type { CommandPart, Given, Operation, Option, Options, Typed } from './operation.ts';

/** A command that is of no operation. */
export interface OwnAction {
  name: string;
  /** Left out: it comes last. */
  effect?: Effect;
  operands: readonly string[];
  /** Operands that may follow them once or more, with an example. */
  rest?: readonly [string, string];
  options?: Options;
  usage?: string;
  run(typed: Typed<Options>, terminal: Terminal): Promise<void>;
}

interface Group {
  /** Such as `annotation`. */
  name: string;
  /** Texts of the help before the options, and after them. */
  about: string;
  after?: string;
  /** Where texts of options begin. */
  column?: number;
  /** How long a line of the usage may be. */
  width?: number;
  /** A further description of `--json`. */
  json?: string;
  /** The text before it in the help. */
  beforeJson?: string;
}

type Action = OwnAction | (Operation & { command: CommandPart<Options, never> });

const isOwn = (action: Action): action is OwnAction => !('method' in action);
const partOf = (action: Action) => (isOwn(action) ? action : action.command);
const actionOf = (action: Action) => partOf(action).name.split(' ').slice(1).join(' ');

const order: readonly Effect[] = ['adds', 'reads', 'changes', 'ends'];

/** The command of a resource: what its operations do, first what adds something and last what ends it. */
export function commandOf(group: Group, all: readonly (Route | OwnAction)[]): Command {
  const commands = all.filter((one): one is Action => !('method' in one) || 'command' in one);
  const rank = (action: Action) => {
    const effect = isOwn(action) ? action.effect : effectOf(action);
    return effect === undefined ? order.length : order.indexOf(effect);
  };
  const actions = commands.toSorted((a, b) => rank(a) - rank(b));
  const json: Option = {
    type: 'boolean',
    says: `print the result as JSON, for programs${group.json ?? ''}`,
    ...(group.beforeJson !== undefined && { before: group.beforeJson }),
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

/** Runs an operation whose command is an option of a command that is of none. */
export function runOption(action: Operation, args: string[], terminal: Terminal): Promise<void> {
  return run(action as OfCommand, args, { type: 'boolean', says: '' }, terminal);
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
  const rest = isOwn(action) && action.rest ? [`<${action.rest[0]}>…`] : [];
  const operands = [...operandsOf(action).map((name) => `<${name}>`), ...rest];
  const parts = usage?.split('  ') ?? [
    ...operands,
    ...Object.entries(options).flatMap(([name, option]) => shown(name, option, options)),
  ];
  return [...parts, '[--json]'];
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
  const names = `  ${withValue(name, option)}${other}`;
  const head = names.length < column ? names.padEnd(column) : `${names}  `;
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
  const options = { ...partOf(action).options, json };
  const rest = isOwn(action) && action.rest;
  const { values, positionals } = rest ? readOperands(args, options) : readOptions(args, options, names);
  if (rest && positionals.length <= names.length)
    throw new UsageError(
      `Expected ${names.map((name) => `<${name}>`).join(' ')} and at least one <${rest[0]}>, such as ${rest[1]}.`,
    );
  const operands = Object.fromEntries(names.map((name, i) => [name, String(positionals[i])]));
  const baseUrl = await findServerUrl(terminal);
  const typed = {
    ...{ operands, rest: positionals.slice(names.length), now: terminal.now(), baseUrl },
    values: values as Typed<Options>['values'],
  };
  if (isOwn(action)) return refusing(action, typed, () => action.run(typed, terminal));
  const { command } = action;
  const reply = (await refusing(action, typed, () => ask(action, typed, terminal))) as never;
  terminal.print(
    values.json
      ? `${JSON.stringify(command.json ? command.json(reply, typed) : reply)}\n`
      : command.print(reply, typed),
  );
}

type OfCommand = Exclude<Action, OwnAction>;

/** Runs the operation. */
async function ask(action: OfCommand, typed: Typed<Options>, terminal: Terminal): Promise<unknown> {
  const { command } = action;
  const given = command.read ? await command.read(typed, terminal) : fieldsOf(action, typed);
  const { projectId = typed.operands.project } = given;
  const open = command.isFirst && typeof projectId !== 'string' ? withNewStore : withStore;
  const [group] = command.name.split(' ');
  return open(terminal, async (store) => {
    const { config, now } = terminal;
    const project = typeof projectId === 'string' ? await findProject(store, projectId) : null;
    const { params, query, body, isRead } = command.find ? await command.find(store, typed, given) : given;
    const deps = {
      store,
      config,
      now,
      secrets: new Secrets({ store, ...config }),
      keyUses: { list: () => store.admin.keyUses() },
      ...auditing(commandLine, now),
      untilStopped: terminal.untilStopped,
    };
    const asked = {
      project,
      params: { ...paramsIn(action, typed), ...params },
      query: action.query && parse(action.query, query ?? {}, 'The list'),
      body: isRead ? body : action.body && parse(action.body.schema, body ?? {}, `The ${group}`),
      actor: commandLine,
      key: null,
      baseUrl: typed.baseUrl,
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

const paramsIn = (action: OfCommand, { operands }: Typed<Options>) =>
  Object.fromEntries(paramsOf(action).map((name) => [name, operands[name.replace(/Id$/, '')] ?? '']));

/** The typed values, by the operation's names. @throws UsageError */
function fieldsOf({ query, body, command: { options = {} } }: OfCommand, { values }: Typed<Options>): Given {
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

/** Errors of the API as errors of the command. @throws CommandError */
async function refusing<T>(action: Action, { operands }: Typed<Options>, work: () => Promise<T>): Promise<T> {
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
