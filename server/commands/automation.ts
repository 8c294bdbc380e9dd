import { automationPatch, newAutomation, usualJobsPerWeek, weekdays } from '../../shared/jobs/automation.ts';
import { recipeNames } from '../../shared/jobs/recipes.ts';
import { escapeLine } from '../../shared/plain-text.ts';
import type { AutomationReply } from '../../shared/replies/automation.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import {
  addAutomation,
  changeAutomation,
  listAutomations,
  noAutomation,
  type ProjectAutomations,
} from '../jobs/automation/automations.ts';
import { program } from '../process/program.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { type OptionValues, readOptions } from './terminal/options.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const options = {
  name: { type: 'string' },
  weekly: { type: 'string' },
  monthly: { type: 'string' },
  hour: { type: 'string' },
  'missing-pages': { type: 'string' },
  'unread-pages': { type: 'string' },
  release: { type: 'string' },
  recipe: { type: 'string' },
  prompt: { type: 'string' },
  'jobs-per-week': { type: 'string' },
  on: { type: 'boolean' },
  off: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Values = OptionValues<typeof options>;

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['project']);
  await withAutomations(terminal, positionals[0], async (within) => {
    const given = givenIn(values);
    if (given.when === undefined) throw new UsageError(`Say when it starts jobs: give one of ${occasions}.`);
    print(
      terminal,
      values,
      'was added',
      await addAutomation(within, parse(newAutomation, given, 'The automation')),
    );
  });
}

async function set(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['project', 'automation']);
  await withAutomations(terminal, positionals[0], async (within) => {
    const given = parse(automationPatch, givenIn(values), 'The automation');
    print(terminal, values, 'was changed', await changeAutomation(within, String(positionals[1]), given));
  });
}

async function list(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['project']);
  await withAutomations(terminal, positionals[0], async (within) => {
    const automations = await listAutomations(within);
    if (values.json) terminal.print(`${JSON.stringify(automations)}\n`);
    else if (automations.length === 0) terminal.print('Nothing starts jobs by itself.\n');
    else {
      const head = ['AUTOMATION', 'NAME', 'WHEN', 'NEXT', 'LAST'];
      terminal.print(table(head, automations.map(rowOf)));
    }
  });
}

function rowOf({ id, name, when, enabled, nextAt, lastRun }: AutomationReply): string[] {
  const next = enabled ? (nextAt?.slice(0, 16).replace('T', ' ') ?? 'when it happens') : 'off';
  const last = lastRun === null ? '' : (lastRun.jobId ?? lastRun.reason ?? '');
  return [id, name, when.kind, next, last];
}

async function remove(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['project', 'automation']);
  const id = String(positionals[1]);
  await withAutomations(terminal, positionals[0], async ({ store, project }) => {
    if (!(await store.removeAutomation(project.id, id))) throw noAutomation();
    terminal.print(
      values.json
        ? `${JSON.stringify({ automationId: id, removed: true })}\n`
        : `The automation ${id} was removed.\n`,
    );
  });
}

/** Only what was given: `undefined` leaves a setting as it is. @throws UsageError */
function givenIn(values: Values): Record<string, unknown> {
  if (values.on && values.off) throw new UsageError('Give either --on or --off.');
  return {
    name: values.name,
    when: occasionIn(values),
    recipe: orNull(values.recipe),
    prompt: orNull(values.prompt),
    jobsPerWeek: numberIn(values['jobs-per-week']),
    enabled: values.on ? true : values.off ? false : undefined,
  };
}

const occasions = '--weekly, --monthly, --missing-pages, --unread-pages and --release';

function occasionIn(values: Values): object | undefined {
  const { weekly, monthly, release, hour } = values;
  const [missing, unread] = [values['missing-pages'], values['unread-pages']];
  const given = [weekly, monthly, missing, unread, release].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new UsageError(`Give one of ${occasions}.`);
  }
  if (weekly !== undefined) {
    const named = weekly.split(',').map((weekday) => weekday.trim().toLowerCase());
    return { kind: 'weekly', weekdays: named, hour: numberIn(hour) };
  }
  if (monthly !== undefined) return { kind: 'monthly', day: numberIn(monthly), hour: numberIn(hour) };
  if (missing !== undefined) return { kind: 'missing_page', requests: numberIn(missing) };
  if (unread !== undefined) return { kind: 'unread_page', days: numberIn(unread) };
  return release === undefined ? undefined : { kind: 'release', repository: release };
}

/** What is no number is refused as that. */
function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function orNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

function print(terminal: Terminal, { json }: Values, done: string, automation: AutomationReply): void {
  const { id, name, enabled, nextAt } = automation;
  const next = nextAt === null ? '' : `, next at ${nextAt.slice(0, 16).replace('T', ' ')} UTC`;
  const state = enabled ? `on${next}` : 'off';
  terminal.print(
    json
      ? `${JSON.stringify(automation)}\n`
      : `The automation "${escapeLine(name)}" ${done} as ${id}: it is ${state}.\n`,
  );
}

/** What the API refuses is refused here in the same words. @throws CommandError */
function withAutomations(
  terminal: Terminal,
  projectId = '',
  use: (within: ProjectAutomations) => Promise<void>,
): Promise<void> {
  return withStore(terminal, async (store) => {
    const project = (await store.directory()).projects.find(({ id }) => id === projectId);
    if (!project) throw unknownProject(projectId);
    try {
      await use({ store: store.automations, project, now: terminal.now() });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const hint =
        error.code === 'not_found' ? ` "${program} automation list ${projectId}" shows those there are.` : '';
      throw new CommandError(`${error.message}${hint}`, { cause: error });
    }
  });
}

const actions = { add, list, set, remove };

export const automationCommand: Command = {
  help: `Usage: headcount automation add <project> --name <name> <when> [--recipe <name>] [--prompt <text>]
                                [--jobs-per-week <number>] [--on] [--json]
       headcount automation list <project> [--json]
       headcount automation set <project> <automation> [the same, and --off] [--json]
       headcount automation remove <project> <automation> [--json]

Automations start jobs by themselves: at times, or when something happens. They are off until they
are turned on.

One of these says when:
  --weekly <weekdays>    such as monday,thursday (${weekdays[0]} to ${weekdays[6]}), at --hour
  --monthly <day>        on that day of the month, or its last one where it is shorter, at --hour
  --missing-pages <requests>  when AI clients asked so often within 14 days for a page that is not there
  --unread-pages <days>  when no AI client has read a page of the sitemap for so long
  --release <address>    when another repository has the tag of a newer version

  --hour <hour>          0 to 23, in the project's time zone
  --recipe <name>        ${recipeNames.slice(0, 3).join(', ')},
                         ${recipeNames.slice(3).join(', ')}
  --prompt <text>        what the agent shall do, or what more than the recipe says
  --jobs-per-week <number>  how many jobs it may start in any 7 days (${usualJobsPerWeek})
  --on, --off            whether it starts jobs (off)
  --json                 print the result as JSON, for programs

It works beside a running server, which starts the jobs.
`,
  run: (args, terminal) => runAction('automation', actions, args, terminal),
};
