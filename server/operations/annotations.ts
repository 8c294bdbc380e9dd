import { z } from 'zod';
import { changesQuery, newAnnotation } from '../../shared/reports/insights.ts';
import { parseRange } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { table } from '../commands/terminal/table.ts';
import { Calendar, toDay } from '../counting/calendar.ts';
import { ApiError, invalid } from '../errors.ts';
import { findAnnotation, noAnnotation } from '../insights/changes.ts';
import { dateOf } from '../insights/days.ts';
import { rowsRoute } from '../insights/report-call.ts';
import { randomText } from '../projects/key.ts';
import { type Annotation, type AnnotationQuery, maxAnnotations } from '../store/annotations.ts';
import type { Store } from '../store/store.ts';
import { commandOf } from './command.ts';
import { operation, withCommand } from './operation.ts';

const annotation = z.object({
  id: z.string(),
  date: z.iso.date(),
  kind: z.enum(['release', 'note', 'merge']),
  text: z.string(),
  affected: z
    .array(z.string())
    .describe('Of a release: paths of the site. Of a merged pull request: files of the repository.'),
  url: z.string().nullable().describe('Of the pull request.'),
  createdAt: z.iso.datetime(),
});
const annotationReply = annotation.meta({ id: 'Annotation' });
const annotationsReply = z
  .object({
    annotations: z.array(annotation),
    hasMore: z.boolean().describe('Whether there are rows after these.'),
  })
  .meta({ id: 'Annotations' });

export type AnnotationReply = z.infer<typeof annotation>;

const path = '/v1/analytics/:projectId/annotations';
/** 200 paths of 1,024 characters, each of which may be an escape of six bytes. */
const maxBytes = 1_500_000;

function toReply({ projectId: _, day, createdAt, ...annotation }: Annotation): AnnotationReply {
  return { ...annotation, date: dateOf(day), createdAt: new Date(createdAt).toISOString() };
}

/** The newest first. */
const listAnnotations = async ({ annotations }: Store, query: AnnotationQuery) =>
  (await annotations.listAnnotations(query)).toReversed().map(toReply);

const list = withCommand(
  rowsRoute('annotations', {
    name: 'annotations.list',
    query: changesQuery,
    reply: () => annotationsReply,
    async read({ store }, { project, query }) {
      const range = parseRange(query, project.settings.timeZone);
      const rows = await listAnnotations(store, { projectId: project.id, ...range });
      return { rows, answer: (annotations, hasMore) => ({ annotations, hasMore }) };
    },
  }),
  ({ store }, { project }) => listAnnotations(store, { projectId: project.id, from: null, to: null }),
  {
    name: 'annotation list',
    print: (annotations) =>
      annotations.length > 0
        ? table(
            ['ANNOTATION', 'DATE', 'KIND', 'TEXT'],
            annotations.map(({ id, date, kind, text }) => [id, date, kind, text]),
          )
        : 'There are no annotations.\n',
  },
);

const add = operation({
  via: reportRoute,
  name: 'analytics.annotations.add',
  method: 'POST',
  path,
  access: 'project',
  summary: 'Annotate a release, or note what else happened',
  body: { schema: newAnnotation, maxBytes, subject: 'The annotation' },
  answers: { 201: { says: 'The annotation', json: () => annotationReply } },
  tool: {
    name: 'add_annotation',
    title: 'Add an annotation',
    description:
      'Notes that the site was released, with the pages that changed, so that its effect can be measured later; or, as `note`, another event, such as a campaign.',
  },
  async run({ store, now, entries }, { project, body: { kind, date, text, paths } }) {
    const today = new Calendar(project.settings.timeZone).dayOf(now());
    const day = date === undefined ? today : toDay(Temporal.PlainDate.from(date));
    if (day > today) throw invalid('The annotation is not valid', 'date', 'must not be later than today');
    const id = `annotation_${randomText(12)}`;
    const affected = [...new Set(paths)];
    const annotation: Annotation = {
      projectId: project.id,
      id,
      day,
      kind,
      text,
      affected,
      url: null,
      createdAt: now(),
    };
    const noted = entries({
      action: 'annotation.added',
      projectId: project.id,
      subject: text,
      changes: [`kind: ${kind}`],
    });
    const outcome = await store.callAudited('annotations', 'addAnnotation', [annotation], noted);
    if (outcome === 'gone') throw new ApiError('not_found', 'The project was removed.');
    if (outcome === 'full') {
      throw new ApiError(
        'invalid',
        `The project has ${maxAnnotations} annotations, which is the most: remove some first.`,
      );
    }
    return toReply(annotation);
  },
  command: {
    name: 'annotation add',
    usage: '<project>  --text <text>  [--date <date>]  [--kind <kind>]  [--path <path>]',
    options: {
      text: {
        type: 'string',
        default: '',
        value: 'text',
        needed: true,
        says: 'what happened, in a line of up to 200 characters',
      },
      date: {
        type: 'string',
        value: 'date',
        says: "on which day in the project's time zone, such as 2026-11-20 (today)",
      },
      kind: { type: 'string', default: 'note', value: 'kind', says: 'note or release (note)' },
      path: {
        type: 'string',
        multiple: true,
        value: 'path',
        field: 'paths',
        says: 'a page that the release changed, such as /prices or "/docs/*", so that its\neffect can be measured; can be given several times',
      },
    },
    print: ({ id, date, text }) => `${date}: ${text} was noted as ${id}.\n`,
  },
});

const remove = operation({
  via: reportRoute,
  name: 'analytics.annotations.remove',
  method: 'DELETE',
  path: `${path}/:annotationId`,
  access: 'project',
  summary: 'Remove an annotation',
  answers: { 204: { says: 'It is gone' } },
  refusals: ['not_found'],
  async run({ store, entries }, { project: { id: projectId }, params: { annotationId } }) {
    const { id, text } = await findAnnotation(store.annotations, projectId, String(annotationId));
    const noted = entries({ action: 'annotation.removed', projectId, subject: text });
    if (!(await store.callAudited('annotations', 'removeAnnotation', [projectId, id], noted)))
      throw noAnnotation();
  },
  command: {
    name: 'annotation remove',
    json: (_, { operands }) => ({ annotationId: operands.annotation, removed: true }),
    print: (_, { operands }) => `Annotation ${operands.annotation} was removed.\n`,
  },
});

/** Events that explain a change in the counts: annotations of the owner, and merged pull requests. */
export const annotationOperations = [list, add, remove];

export const annotationCommand = commandOf(
  {
    name: 'annotation',
    about:
      'Annotations are shown on the chart of the project, and in the list of changes that explain its numbers.\n',
    after: 'It works while a server runs.\n',
    width: 110,
  },
  annotationOperations,
);
