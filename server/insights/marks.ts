import type { MarkReply, NewMark } from '../../shared/reports/insights.ts';
import { type Day, toDay } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { randomText } from '../projects/key.ts';
import { type Mark, type MarkStore, maxMarks } from '../store/marks.ts';
import { dateOf } from './days.ts';

/** @throws ApiError `invalid` for a day that is yet to come, and where there are too many */
export async function addMark(
  store: MarkStore,
  projectId: string,
  { kind, date, text, paths }: NewMark,
  { today, now }: { today: Day; now: number },
): Promise<MarkReply> {
  const day = date === undefined ? today : toDay(Temporal.PlainDate.from(date));
  if (day > today) {
    const message = 'must not be later than today';
    throw new ApiError('invalid', `The mark is not valid: date ${message}.`, {
      details: [{ message, path: 'date' }],
    });
  }
  const mark: Mark = {
    projectId,
    id: `mark_${randomText(12)}`,
    day,
    kind,
    text,
    touched: [...new Set(paths)],
    url: null,
    createdAt: now,
  };
  const outcome = await store.addMark(mark);
  if (outcome === 'gone') throw new ApiError('not_found', 'The project was removed.');
  if (outcome === 'full') {
    throw new ApiError('invalid', `The project has ${maxMarks} marks, which is the most: remove some first.`);
  }
  return toMarkReply(mark);
}

export function toMarkReply({ projectId: _, day, createdAt, ...mark }: Mark): MarkReply {
  return { ...mark, date: dateOf(day), createdAt: new Date(createdAt).toISOString() };
}

/** @throws ApiError `not_found` */
export async function findMark(store: MarkStore, projectId: string, id: string): Promise<Mark> {
  const marks = await store.listMarks({ projectId, from: null, to: null });
  const mark = marks.find((one) => one.id === id);
  if (!mark) throw noMark();
  return mark;
}

export function noMark(): ApiError {
  return new ApiError('not_found', 'The project has no such mark: it may have been removed.');
}
