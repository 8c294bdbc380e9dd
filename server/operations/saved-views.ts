import {
  maxSavedViews,
  newSavedView,
  type SavedViewReply,
  savedViewPatch,
  savedViewReply,
  savedViewsReply,
} from '../../shared/reports/saved-views.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { UsageError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import { ApiError } from '../errors.ts';
import { noProject } from '../http/authorize.ts';
import { randomText } from '../projects/key.ts';
import type { SavedView } from '../store/saved-views.ts';
import { commandOf } from './command.ts';
import { type Deps, maxBodyBytes, type Option, operation } from './operation.ts';

const path = '/v1/analytics/:projectId/saved-views';
const body = { maxBytes: maxBodyBytes, subject: 'The view' };

const toReply = ({ createdAt, ...view }: SavedView): SavedViewReply => ({
  ...view,
  createdAt: new Date(createdAt).toISOString(),
});

/** For the audit list. */
const describe = ({ page, range, filter }: SavedView): string[] => [
  `page: ${page}`,
  `range: ${range}`,
  ...Object.entries(filter).map(([name, value]) => `${name}: ${value}`),
];

const noView = () => new ApiError('not_found', 'The project has no such view: it may have been removed.');

/** @throws ApiError `not_found` */
async function find({ store }: Pick<Deps, 'store'>, projectId: string, id = ''): Promise<SavedView> {
  const found = (await store.savedViews.listSavedViews(projectId)).find((one) => one.id === id);
  if (!found) throw noView();
  return found;
}

/** @throws ApiError */
async function save({ store, entries }: Deps, projectId: string, view: SavedView, isNew: boolean) {
  const action = isNew ? 'view.added' : 'view.changed';
  const noted = entries({ action, projectId, subject: view.name, changes: describe(view) });
  const outcome = await store.callAudited('savedViews', 'setSavedView', [projectId, view, isNew], noted);
  if (outcome === 'gone') throw isNew ? noProject() : noView();
  if (outcome === 'repeated')
    throw new ApiError(
      'conflict',
      `The project has a view of the name "${view.name}" already: choose another name, or remove that view.`,
      { details: [{ message: 'is taken', path: 'name' }] },
    );
  if (outcome === 'full')
    throw new ApiError(
      'invalid',
      `The project has ${maxSavedViews} views, which is the most: remove some first.`,
    );
  return toReply(view);
}

const option = (value: string, says: string): Option & { type: 'string' } => ({
  type: 'string',
  value,
  says,
});
const options = {
  name: option('name', 'up to 80 characters'),
  page: option('page', 'overview, ai, search, conversions, fix or measurement (overview)'),
  range: option('days', 'such as 7d, last-month or 2026-11-01..2026-11-20 (30d)'),
  compare: option('period', 'none, before, year or days from..to (none)'),
  measure: option('what', 'visitors or views (visitors)'),
  filter: {
    type: 'string',
    multiple: true,
    value: 'name=value',
    says: 'as in reports, such as country=DE; can be given several times',
  },
} as const;

/** @throws UsageError */
function readFilter(given: readonly string[] | undefined): Record<string, string> | undefined {
  return (
    given &&
    Object.fromEntries(
      given.map((text) => {
        const at = text.indexOf('=');
        if (at < 1) throw new UsageError(`--filter takes name=value, such as country=DE, not "${text}".`);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
    )
  );
}

/** Filters, days, a comparison and a page of the dashboard under a name. */
export const savedViewOperations = [
  operation({
    via: reportRoute,
    name: 'analytics.saved_views.list',
    method: 'GET',
    path,
    access: 'project',
    scope: 'read',
    summary: 'List the saved views of the dashboard',
    answers: { 200: { says: 'The views', json: savedViewsReply } },
    tool: {
      name: 'list_saved_views',
      title: 'Saved views',
      description: 'Lists the filters and days that people look at often, under the names they gave them.',
    },
    run: async ({ store }, { project }) => ({
      views: (await store.savedViews.listSavedViews(project.id)).map(toReply),
    }),
    command: {
      name: 'view list',
      print: ({ views }) =>
        views.length > 0
          ? table(
              ['VIEW', 'NAME', 'PAGE', 'DAYS', 'FILTERS'],
              views.map(({ id, name, page, range, filter }) => [
                id,
                name,
                page,
                range,
                Object.entries(filter)
                  .map((one) => one.join('='))
                  .join(' '),
              ]),
            )
          : 'There are no saved views.\n',
    },
  }),
  operation({
    via: reportRoute,
    name: 'analytics.saved_views.add',
    method: 'POST',
    path,
    access: 'project',
    summary: 'Save a view of the dashboard',
    body: { ...body, schema: newSavedView },
    answers: { 201: { says: 'The view', json: savedViewReply } },
    refusals: ['conflict'],
    run: (deps, { project, body: view }) =>
      save(deps, project.id, { ...view, id: `view_${randomText(12)}`, createdAt: deps.now() }, true),
    command: {
      name: 'view add',
      options: { ...options, name: { ...options.name, needed: true } },
      read: ({ values: { json: _, filter, ...view } }) => ({ body: { ...view, filter: readFilter(filter) } }),
      print: ({ id, name }) => `The view "${name}" was saved as ${id}.\n`,
    },
  }),
  operation({
    via: reportRoute,
    name: 'analytics.saved_views.change',
    method: 'PATCH',
    path: `${path}/:viewId`,
    access: 'project',
    summary: 'Rename or change a saved view',
    body: { ...body, schema: savedViewPatch },
    answers: { 200: { says: 'The view', json: savedViewReply } },
    refusals: ['not_found', 'conflict'],
    run: async (deps, { project, params: { viewId }, body: changes }) =>
      save(deps, project.id, { ...(await find(deps, project.id, viewId)), ...changes } as SavedView, false),
    command: {
      name: 'view change',
      options,
      read: ({ values: { json: _, filter, ...view } }) => ({ body: { ...view, filter: readFilter(filter) } }),
      print: ({ name }) => `The view "${name}" was changed.\n`,
    },
  }),
  operation({
    via: reportRoute,
    name: 'analytics.saved_views.remove',
    method: 'DELETE',
    path: `${path}/:viewId`,
    access: 'project',
    summary: 'Remove a saved view',
    answers: { 204: { says: 'It is gone' } },
    refusals: ['not_found'],
    async run(deps, { project: { id: projectId }, params: { viewId } }) {
      const { id, name } = await find(deps, projectId, viewId);
      const noted = deps.entries({ action: 'view.removed', projectId, subject: name });
      if (!(await deps.store.callAudited('savedViews', 'removeSavedView', [projectId, id], noted)))
        throw noView();
    },
    command: {
      name: 'view remove',
      json: (_, { operands }) => ({ viewId: operands.view, removed: true }),
      print: (_, { operands }) => `View ${operands.view} was removed.\n`,
    },
  }),
];

export const viewCommand = commandOf(
  {
    name: 'view',
    about: 'A view is filters, days and a page of the dashboard under a name.\n',
    width: 110,
  },
  savedViewOperations,
);
