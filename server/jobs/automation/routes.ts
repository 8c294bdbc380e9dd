import {
  type AutomationPatch,
  automationPatch,
  type NewAutomation,
  newAutomation,
  type RunsQuery,
  runsQuery,
} from '../../../shared/jobs/automation.ts';
import { recipes } from '../../../shared/jobs/recipes.ts';
import type {
  AutomationReply,
  AutomationsReply,
  RecipesReply,
  RunsReply,
} from '../../../shared/replies/automation.ts';
import type { Context } from '../../context.ts';
import { type Call, type Route, route } from '../../http/route.ts';
import {
  addAutomation,
  changeAutomation,
  findAutomation,
  listAutomations,
  noAutomation,
  toRunReply,
} from './automations.ts';

const base = '/v2/agent/:projectId';
const replies = () => import('../../../shared/replies/automation.ts');
const automation = async () => (await replies()).automationReply;
/** 32,000 characters of at most twelve bytes each, and some room. */
const maxBytes = 512 * 1024;

type ProjectCall<Query = undefined, Body = undefined> = Call<'project', Query, Body>;

/** What starts jobs by itself. */
export const automationRoutes: readonly Route[] = [
  route({
    name: 'jobs.recipes',
    method: 'GET',
    path: `${base}/recipes`,
    access: 'project',
    scope: 'read',
    role: 'editor',
    summary: 'Work that documentation needs again and again',
    description: 'A recipe is named in place of a prompt, or is where one begins.',
    answers: { 200: { says: 'All recipes', json: async () => (await replies()).recipesReply } },
    handle: listRecipes,
  }),
  route({
    name: 'jobs.automations.list',
    method: 'GET',
    path: `${base}/automations`,
    access: 'project',
    scope: 'read',
    role: 'editor',
    summary: 'What starts jobs by itself',
    answers: { 200: { says: 'The oldest first', json: async () => (await replies()).automationsReply } },
    handle: sendAutomations,
  }),
  route({
    name: 'jobs.automations.add',
    method: 'POST',
    path: `${base}/automations`,
    access: 'project',
    summary: 'Have jobs started at times, or when something happens',
    description: 'It is off unless `enabled` says otherwise. A project has 50 at most.',
    body: { schema: newAutomation, maxBytes, subject: 'The automation' },
    answers: { 201: { says: 'The automation', json: automation } },
    handle: makeAutomation,
  }),
  route({
    name: 'jobs.automations.change',
    method: 'PATCH',
    path: `${base}/automations/:automationId`,
    access: 'project',
    summary: 'Change it, or turn it on and off',
    body: { schema: automationPatch, maxBytes, subject: 'The automation' },
    answers: { 200: { says: 'The automation', json: automation } },
    refusals: ['not_found'],
    handle: setAutomation,
  }),
  route({
    name: 'jobs.automations.remove',
    method: 'DELETE',
    path: `${base}/automations/:automationId`,
    access: 'project',
    summary: 'Remove it, with what it remembers',
    answers: { 204: { says: 'It is gone' } },
    refusals: ['not_found'],
    handle: removeAutomation,
  }),
  route({
    name: 'jobs.automations.runs',
    method: 'GET',
    path: `${base}/automations/:automationId/runs`,
    access: 'project',
    scope: 'read',
    role: 'editor',
    summary: 'What it did, and why it did not',
    query: runsQuery,
    answers: { 200: { says: 'A page, the newest first', json: async () => (await replies()).runsReply } },
    refusals: ['not_found'],
    handle: listRuns,
  }),
];

async function listRecipes(): Promise<RecipesReply> {
  return { recipes: Object.entries(recipes).map(([name, recipe]) => ({ name, ...recipe })) };
}

const placeOf = ({ store, now }: Context, { project }: Pick<ProjectCall, 'project'>) => ({
  store: store.automations,
  project,
  now: now(),
});

async function sendAutomations(context: Context, call: ProjectCall): Promise<AutomationsReply> {
  return { automations: await listAutomations(placeOf(context, call)) };
}

function makeAutomation(
  context: Context,
  call: ProjectCall<undefined, NewAutomation>,
): Promise<AutomationReply> {
  return addAutomation(placeOf(context, call), call.body);
}

function setAutomation(
  context: Context,
  call: ProjectCall<undefined, AutomationPatch>,
): Promise<AutomationReply> {
  return changeAutomation(placeOf(context, call), String(call.req.params.automationId), call.body);
}

async function removeAutomation({ store }: Context, { project, req }: ProjectCall): Promise<void> {
  const id = String(req.params.automationId);
  if (!(await store.automations.removeAutomation(project.id, id))) throw noAutomation();
}

async function listRuns(context: Context, call: ProjectCall<RunsQuery>): Promise<RunsReply> {
  const { id, projectId } = await findAutomation(
    placeOf(context, call),
    String(call.req.params.automationId),
  );
  const { rows, hasMore } = await context.store.automations.listRuns({ projectId, id, ...call.query });
  return { runs: rows.map(toRunReply), hasMore };
}
