import { isDeepStrictEqual } from 'node:util';
import type { AutomationReply, RunsReply } from '../../shared/jobs/automation.ts';
import {
  automationPatch,
  automationReply,
  automationSettings,
  automationsReply,
  isSchedule,
  newAutomation,
  recipesReply,
  runsQuery,
  runsReply,
  usualJobsPerWeek,
  weekdays,
} from '../../shared/jobs/automation.ts';
import { recipeNames, recipes } from '../../shared/jobs/recipes.ts';
import { escapeLine } from '../../shared/plain-text.ts';
import { UsageError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { notStarted } from '../jobs/automation/automation-watch.ts';
import { nextDue, type Schedule } from '../jobs/automation/timetable.ts';
import { randomText } from '../projects/key.ts';
import { type Automation, type AutomationRun, maxAutomations } from '../store/jobs/automations.ts';
import type { ListedProject } from '../store/projects.ts';
import { commandOf } from './command.ts';
import { type Deps, type Given, operation, type Typed } from './operation.ts';

const path = '/v2/agent/:projectId/automations';
const reply = automationReply;
/** 32,000 characters of at most twelve bytes each, and some room. */
const maxBytes = 512 * 1024;
/** Everybody who may start jobs may see automations. */
const reading = { access: 'project', scope: 'read', role: 'editor' } as const;

const noAutomation = () =>
  new ApiError('not_found', 'The project has no such automation: it may have been removed.');

/** @throws ApiError `not_found` */
async function find({ store }: Deps, { id }: ListedProject, automationId = ''): Promise<Automation> {
  const found = (await store.automations.listAutomations(id)).find((one) => one.id === automationId);
  if (!found) throw noAutomation();
  return found;
}

async function toReply(
  { store, now }: Deps,
  project: ListedProject,
  automation: Automation,
): Promise<AutomationReply> {
  const { id, settings, createdAt, onSince } = automation;
  const { rows } = await store.automations.listRuns({ projectId: project.id, id, limit: 1, offset: 0 });
  const { when } = settings;
  const hasNext = onSince !== null && isSchedule(when);
  const nextAt = hasNext && nextDue(when as Schedule, project.settings.timeZone, now()).at;
  return {
    id,
    ...settings,
    enabled: onSince !== null,
    createdAt: new Date(createdAt).toISOString(),
    nextAt: nextAt === false ? null : new Date(nextAt).toISOString(),
    lastRun: rows[0] ? toRunReply(rows[0]) : null,
  };
}

function toRunReply({ key, at, jobId, reason }: AutomationRun): RunsReply['runs'][number] {
  return { at: new Date(at).toISOString(), about: key === notStarted ? null : key, jobId, reason };
}

/** For the audit list; prompts are in the jobs themselves. */
const noted = (
  action: 'automation.added' | 'automation.changed',
  one: Pick<Automation, 'projectId' | 'settings' | 'onSince'>,
) => ({
  action,
  projectId: one.projectId,
  subject: one.settings.name,
  changes: [one.onSince === null ? 'off' : 'on', `kind: ${one.settings.when.kind}`],
});

const options = {
  name: { type: 'string', value: 'name', needed: true, says: '' },
  weekly: {
    type: 'string',
    value: 'weekdays',
    before: 'One of these says when:\n',
    says: `such as monday,thursday (${weekdays[0]} to ${weekdays[6]}), at --hour`,
  },
  monthly: {
    type: 'string',
    value: 'day',
    says: 'on that day of the month, or its last one where it is shorter, at --hour',
  },
  'missing-pages': {
    type: 'string',
    value: 'requests',
    says: 'when AI clients asked so often within 14 days for a page that is not there',
  },
  'unread-pages': {
    type: 'string',
    value: 'days',
    says: 'when no AI client has read a page of the sitemap for so long',
  },
  release: {
    type: 'string',
    value: 'address',
    says: 'when another repository has the tag of a newer version',
  },
  hour: { type: 'string', value: 'hour', before: '\n', says: "0 to 23, in the project's time zone" },
  recipe: {
    type: 'string',
    value: 'name',
    says: `${recipeNames.slice(0, 3).join(', ')},\n${recipeNames.slice(3).join(', ')}`,
  },
  prompt: {
    type: 'string',
    value: 'text',
    says: 'what the agent shall do, or additions to the recipe',
  },
  'jobs-per-week': {
    type: 'string',
    value: 'number',
    says: `how many jobs it may start in any 7 days (${usualJobsPerWeek})`,
  },
  on: { type: 'boolean', with: 'off', says: 'whether it starts jobs (off)' },
  off: { type: 'boolean', says: '' },
} as const;

/** Only what was given: `undefined` leaves a setting as it is. @throws UsageError */
function read({ values }: Typed<typeof options>): Given {
  if (values.on && values.off) throw new UsageError('Give either --on or --off.');
  return {
    body: {
      name: values.name,
      when: occasionIn(values),
      recipe: orNull(values.recipe),
      prompt: orNull(values.prompt),
      jobsPerWeek: numberIn(values['jobs-per-week']),
      enabled: values.on ? true : values.off ? false : undefined,
    },
  };
}

const occasions = '--weekly, --monthly, --missing-pages, --unread-pages and --release';

function occasionIn(values: Typed<typeof options>['values']): object | undefined {
  const { weekly, monthly, release, 'missing-pages': missing, 'unread-pages': unread } = values;
  const given = [weekly, monthly, missing, unread, release].filter((value) => value !== undefined);
  if (given.length > 1) throw new UsageError(`Give one of ${occasions}.`);
  const hour = numberIn(values.hour);
  if (weekly !== undefined) {
    const named = weekly.split(',').map((weekday) => weekday.trim().toLowerCase());
    return { kind: 'weekly', weekdays: named, hour };
  }
  if (monthly !== undefined) return { kind: 'monthly', day: numberIn(monthly), hour };
  if (missing !== undefined) return { kind: 'missing_page', requests: numberIn(missing) };
  if (unread !== undefined) return { kind: 'unread_page', days: numberIn(unread) };
  return release === undefined ? undefined : { kind: 'release', repository: release };
}

/** A text that is not a number is passed on, to be rejected by the schema. */
const numberIn = (text: string | undefined) =>
  text === undefined ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;

const orNull = (text: string | undefined) => (text === '' ? null : text);

const print =
  (done: string) =>
  ({ id, name, enabled, nextAt }: AutomationReply) => {
    const next = nextAt === null ? '' : `, next at ${nextAt.slice(0, 16).replace('T', ' ')} UTC`;
    const state = enabled ? `on${next}` : 'off';
    return `The automation "${escapeLine(name)}" ${done} as ${id}: it is ${state}.\n`;
  };

function rowOf({ id, name, when, enabled, nextAt, lastRun }: AutomationReply): string[] {
  const next = enabled ? (nextAt?.slice(0, 16).replace('T', ' ') ?? 'when it happens') : 'off';
  return [id, name, when.kind, next, lastRun?.jobId ?? lastRun?.reason ?? ''];
}

/** Automations, which start jobs by themselves. */
export const automationOperations = [
  operation({
    name: 'jobs.recipes',
    method: 'GET',
    path: '/v2/agent/:projectId/recipes',
    ...reading,
    summary: 'Recipes for recurring work on documentation',
    description: 'A recipe is named in place of a prompt, or in addition to one.',
    answers: { 200: { says: 'All recipes', json: recipesReply } },
    run: () => ({ recipes: Object.entries(recipes).map(([name, recipe]) => ({ name, ...recipe })) }),
  }),
  operation({
    name: 'jobs.automations.list',
    method: 'GET',
    path,
    ...reading,
    summary: 'List the automations',
    answers: { 200: { says: 'The oldest first', json: automationsReply } },
    tool: {
      name: 'list_automations',
      title: 'Automations',
      description:
        'Lists automations, which start jobs on a schedule or when something happens: whether each is on, its next run, and the result of its last one.',
    },
    async run(deps, { project }) {
      const all = await deps.store.automations.listAutomations(project.id);
      return { automations: await Promise.all(all.map((one) => toReply(deps, project, one))) };
    },
    command: {
      name: 'automation list',
      json: ({ automations }) => automations,
      print: ({ automations }) =>
        automations.length === 0
          ? 'There are no automations.\n'
          : table(['AUTOMATION', 'NAME', 'WHEN', 'NEXT', 'LAST'], automations.map(rowOf)),
    },
  }),
  operation({
    name: 'jobs.automations.add',
    method: 'POST',
    path,
    access: 'project',
    summary: 'Add an automation: jobs on a schedule, or when something happens',
    description: 'It is off unless `enabled` says otherwise. A project has 50 at most.',
    body: { schema: newAutomation, maxBytes, subject: 'The automation' },
    answers: { 201: { says: 'The automation', json: reply } },
    tool: {
      name: 'add_automation',
      title: 'Add an automation',
      description:
        'Starts jobs by itself: on a schedule (`weekly`, `monthly`), when AI clients keep asking for a page that is not there (`missing_page`), when none reads a page for long (`unread_page`), or when another repository publishes a release (`release`). It is off unless `enabled` is true.',
    },
    async run(deps, { project, body: { enabled, ...settings } }) {
      const at = deps.now();
      const automation: Automation = {
        projectId: project.id,
        id: `auto_${randomText(12)}`,
        settings,
        createdAt: at,
        onSince: enabled ? at : null,
      };
      const entries = deps.entries(noted('automation.added', automation));
      const outcome = await deps.store.callAudited('automations', 'addAutomation', [automation], entries);
      if (outcome === 'gone') throw new ApiError('not_found', 'The project was removed.');
      if (outcome === 'full') {
        const most = `The project has ${maxAutomations} automations, which is the most`;
        throw new ApiError('invalid', `${most}: remove some first.`);
      }
      return toReply(deps, project, automation);
    },
    command: {
      name: 'automation add',
      options,
      usage:
        '<project>  --name <name>  <when>  [--recipe <name>]  [--prompt <text>]  [--jobs-per-week <number>]  [--on]',
      read(typed) {
        const given = read(typed);
        if (occasionIn(typed.values) !== undefined) return given;
        throw new UsageError(`Say when it starts jobs: give one of ${occasions}.`);
      },
      print: print('was added'),
    },
  }),
  operation({
    name: 'jobs.automations.change',
    method: 'PATCH',
    path: `${path}/:automationId`,
    access: 'project',
    summary: 'Change an automation, or turn it on and off',
    body: { schema: automationPatch, maxBytes, subject: 'The automation' },
    answers: { 200: { says: 'The automation', json: reply } },
    refusals: ['not_found'],
    tool: {
      name: 'change_automation',
      title: 'Change an automation',
      description: 'Changes the given fields of an automation, or turns it on and off with `enabled`.',
    },
    /** Fields that are left out stay. */
    async run(deps, { project, params: { automationId }, body: { enabled, ...patch } }) {
      const before = await find(deps, project, automationId);
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      const settings = parse(automationSettings, { ...before.settings, ...given }, 'The automation');
      const isOn = enabled ?? before.onSince !== null;
      // Times that were set anew count from now on, so that none of today is made up for.
      const isSame = isDeepStrictEqual(settings.when, before.settings.when) && before.onSince !== null;
      const onSince = isOn ? (isSame ? before.onSince : deps.now()) : null;
      const changed = { projectId: project.id, id: before.id, settings, onSince };
      const entries = deps.entries(noted('automation.changed', changed));
      const isChanged = await deps.store.callAudited('automations', 'setAutomation', [changed], entries);
      if (!isChanged) throw noAutomation();
      return toReply(deps, project, { ...before, settings, onSince });
    },
    command: {
      name: 'automation set',
      options,
      usage: '<project>  <automation>  [the same, and --off]',
      read,
      print: print('was changed'),
    },
  }),
  operation({
    name: 'jobs.automations.remove',
    method: 'DELETE',
    path: `${path}/:automationId`,
    access: 'project',
    summary: 'Remove an automation, with its state',
    answers: { 204: { says: 'It is gone' } },
    refusals: ['not_found'],
    async run(deps, { project, params: { automationId } }) {
      const { id, projectId, settings } = await find(deps, project, automationId);
      const entries = deps.entries({ action: 'automation.removed', projectId, subject: settings.name });
      const isRemoved = await deps.store.callAudited(
        'automations',
        'removeAutomation',
        [projectId, id],
        entries,
      );
      if (!isRemoved) throw noAutomation();
    },
    command: {
      name: 'automation remove',
      json: (_, { operands }) => ({ automationId: operands.automation, removed: true }),
      print: (_, { operands }) => `The automation ${operands.automation} was removed.\n`,
    },
  }),
  operation({
    name: 'jobs.automations.runs',
    method: 'GET',
    path: `${path}/:automationId/runs`,
    ...reading,
    summary: 'Runs of an automation, and why it started no job',
    query: runsQuery,
    answers: { 200: { says: 'A page, the newest first', json: runsReply } },
    refusals: ['not_found'],
    async run(deps, { project, params: { automationId }, query }) {
      const { id, projectId } = await find(deps, project, automationId);
      const { rows, hasMore } = await deps.store.automations.listRuns({ projectId, id, ...query });
      return { runs: rows.map(toRunReply), hasMore };
    },
  }),
];

export const automationCommand = commandOf(
  {
    name: 'automation',
    about: `Automations start jobs on a schedule, or when something happens. They are off until they
are turned on.
`,
    after: 'It works while a server runs, which starts the jobs.\n',
  },
  automationOperations,
);
