import { parseArgs } from 'node:util';
import { modelSettings } from '../../server/config/job-settings.ts';
import { keyVariables, parseModelName } from '../../server/jobs/agent/model/model-name.ts';
import { JobFailure } from '../../server/jobs/failure.ts';
import type { Task } from './task.ts';
import { tasks } from './tasks.ts';

export const help = `npm run eval -- --model <provider/model> [options]

Lets a model work on ${tasks.length} tasks of documentation, and judges what comes of it.

  --model <provider/model>  such as anthropic/claude-opus-4-5; its key comes from the environment
  --task <name>             only this task; may be given several times
  --runs <number>           how often each task is done (3); it is passed when all of them pass
  --json                    prints JSON instead of a table
  --list                    prints the names of the tasks
`;

export interface Options {
  model: string;
  tasks: readonly Task[];
  runs: number;
  isJson: boolean;
  /** What the server is told of models. */
  env: Record<string, string>;
}

/** What is wrong with the words of the command, in a sentence. */
export class WrongUse extends Error {}

export type Wish = { show: string } | { run: Options };

export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Wish {
  const { values } = parse(args);
  if (values.help) return { show: help };
  if (values.list) return { show: tasks.map(({ name }) => `${name}\n`).join('') };
  const { model, task: names = [], runs = '3', json = false } = values;
  if (model === undefined) throw new WrongUse('Name a model, such as --model anthropic/claude-opus-4-5.');
  if (!/^[1-9]\d?$/.test(runs)) throw new WrongUse('--runs takes a number from 1 to 99.');
  const env = modelEnvironment(environment);
  requireKey(model, env);
  return { run: { model, tasks: chooseTasks(names), runs: Number(runs), isJson: json, env } };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        model: { type: 'string' },
        task: { type: 'string', multiple: true },
        runs: { type: 'string' },
        json: { type: 'boolean' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function chooseTasks(names: readonly string[]): readonly Task[] {
  const unknown = names.find((name) => tasks.every((task) => task.name !== name));
  if (unknown !== undefined)
    throw new WrongUse(`There is no task ${JSON.stringify(unknown)}: --list prints their names.`);
  return names.length === 0 ? tasks : tasks.filter(({ name }) => names.includes(name));
}

function modelEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.values(modelSettings).flatMap(({ name }) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** A model on a server of one's own may need none. */
function requireKey(model: string, env: Readonly<Record<string, string>>): void {
  const { provider } = parseModel(model);
  const variable = provider === 'compatible' ? modelSettings.compatibleUrl.name : keyVariables[provider];
  if (env[variable] !== undefined) return;
  const what = provider === 'compatible' ? 'the address of its server' : 'the key';
  throw new WrongUse(`Set ${variable} to ${what} of ${model}: without it, it cannot be asked.`);
}

function parseModel(model: string): ReturnType<typeof parseModelName> {
  try {
    return parseModelName(model);
  } catch (error) {
    if (error instanceof JobFailure)
      throw new WrongUse(
        `--model takes ${Object.keys(keyVariables).join(', ')}, a slash and a name, such as anthropic/claude-opus-4-5.`,
      );
    throw error;
  }
}
