import { z } from 'zod';
import { changesQuery, newMark } from '../../shared/reports/insights.ts';
import { parseRange } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { table } from '../commands/terminal/table.ts';
import { Calendar, toDay } from '../counting/calendar.ts';
import { ApiError, invalid } from '../errors.ts';
import { findMark, noMark } from '../insights/changes.ts';
import { dateOf } from '../insights/days.ts';
import { rowsRoute } from '../insights/report-call.ts';
import { randomText } from '../projects/key.ts';
import { type Mark, type MarkQuery, maxMarks } from '../store/marks.ts';
import type { Store } from '../store/store.ts';
import { commandOf } from './command.ts';
import { operation, withCommand } from './operation.ts';

const mark = z.object({
  id: z.string(),
  date: z.iso.date(),
  kind: z.enum(['release', 'note', 'merge']),
  text: z.string(),
  touched: z
    .array(z.string())
    .describe('Of a release: paths of the site. Of a merged pull request: files of the repository.'),
  url: z.string().nullable().describe('Of the pull request.'),
  createdAt: z.iso.datetime(),
});
const markReply = mark.meta({ id: 'Mark' });
const marksReply = z
  .object({ marks: z.array(mark), hasMore: z.boolean().describe('Whether there are rows after these.') })
  .meta({ id: 'Marks' });

export type MarkReply = z.infer<typeof mark>;

const path = '/v1/analytics/:projectId/marks';
/** 200 paths of 1,024 characters, each of which may be an escape of six bytes. */
const maxBytes = 1_500_000;

function toReply({ projectId: _, day, createdAt, ...mark }: Mark): MarkReply {
  return { ...mark, date: dateOf(day), createdAt: new Date(createdAt).toISOString() };
}

/** The newest first. */
const listMarks = async ({ marks }: Store, query: MarkQuery) =>
  (await marks.listMarks(query)).toReversed().map(toReply);

const list = withCommand(
  rowsRoute('marks', {
    name: 'marks.list',
    query: changesQuery,
    reply: () => marksReply,
    async read({ store }, { project, query }) {
      const range = parseRange(query, project.settings.timeZone);
      const rows = await listMarks(store, { projectId: project.id, ...range });
      return { rows, answer: (marks, hasMore) => ({ marks, hasMore }) };
    },
  }),
  ({ store }, { project }) => listMarks(store, { projectId: project.id, from: null, to: null }),
  {
    name: 'mark list',
    print: (marks) =>
      marks.length > 0
        ? table(
            ['MARK', 'DATE', 'KIND', 'TEXT'],
            marks.map(({ id, date, kind, text }) => [id, date, kind, text]),
          )
        : 'Nothing is marked.\n',
  },
);

const add = operation({
  via: reportRoute,
  name: 'analytics.marks.add',
  method: 'POST',
  path,
  access: 'project',
  summary: 'Mark a release, or note what else happened',
  body: { schema: newMark, maxBytes, subject: 'The mark' },
  answers: { 201: { says: 'The mark', json: () => markReply } },
  tool: {
    name: 'mark_release',
    title: 'Mark a release',
    description:
      'Marks that the site was released, with the pages that it touched, so that its effect can be measured later; or, as `note`, another event, such as a campaign.',
  },
  async run({ store, now, entries }, { project, body: { kind, date, text, paths } }) {
    const today = new Calendar(project.settings.timeZone).dayOf(now());
    const day = date === undefined ? today : toDay(Temporal.PlainDate.from(date));
    if (day > today) throw invalid('The mark is not valid', 'date', 'must not be later than today');
    const id = `mark_${randomText(12)}`;
    const touched = [...new Set(paths)];
    const mark: Mark = { projectId: project.id, id, day, kind, text, touched, url: null, createdAt: now() };
    const noted = entries({
      action: 'mark.added',
      projectId: project.id,
      subject: text,
      changes: [`kind: ${kind}`],
    });
    const outcome = await store.callAudited('marks', 'addMark', [mark], noted);
    if (outcome === 'gone') throw new ApiError('not_found', 'The project was removed.');
    if (outcome === 'full') {
      throw new ApiError(
        'invalid',
        `The project has ${maxMarks} marks, which is the most: remove some first.`,
      );
    }
    return toReply(mark);
  },
  command: {
    name: 'mark add',
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
        says: 'a page that the release touched, such as /prices or "/docs/*", so that its\neffect can be measured; can be given several times',
      },
    },
    print: ({ id, date, text }) => `${date}: ${text} was noted as ${id}.\n`,
  },
});

const remove = operation({
  via: reportRoute,
  name: 'analytics.marks.remove',
  method: 'DELETE',
  path: `${path}/:markId`,
  access: 'project',
  summary: 'Remove a mark',
  answers: { 204: { says: 'It is gone' } },
  refusals: ['not_found'],
  async run({ store, entries }, { project: { id: projectId }, params: { markId } }) {
    const { id, text } = await findMark(store.marks, projectId, String(markId));
    const noted = entries({ action: 'mark.removed', projectId, subject: text });
    if (!(await store.callAudited('marks', 'removeMark', [projectId, id], noted))) throw noMark();
  },
  command: {
    name: 'mark remove',
    json: (_, { operands }) => ({ markId: operands.mark, removed: true }),
    print: (_, { operands }) => `Mark ${operands.mark} was removed.\n`,
  },
});

/** Events that explain a change in the counts: marks of the owner, and merged pull requests. */
export const markOperations = [list, add, remove];

export const markCommand = commandOf(
  {
    name: 'mark',
    about:
      'Marks are shown on the chart of the project, and in the list of changes that explain its numbers.\n',
    after: 'It works while a server runs.\n',
    width: 110,
  },
  markOperations,
);
