import type { AskedProject } from '../analytics/filters.ts';
import { ApiError } from '../errors.ts';
import type { SavedView, SavedViewStore } from '../store/saved-views.ts';
import {
  type DigestMeasured,
  type DigestNumbers,
  rangeOf,
  readNumbers,
  rowsOfNumbers,
  rowsOfPages,
} from './digest-numbers.ts';
import type { DigestPeriod } from './digest-period.ts';
import type { NotificationTable } from './notification.ts';

/** A saved view in the days of the mail. */
export interface DigestView extends Partial<DigestNumbers> {
  id: string;
  /** Null: it was removed. */
  name: string | null;
  filter: Readonly<Record<string, string>>;
  /** Why there are no numbers, or what is not known of them. */
  message: string | null;
  url?: string;
}

/** @param url of the project's dashboard */
export async function readViews(
  saved: SavedViewStore,
  asked: AskedProject,
  { ids, period, url }: { ids: readonly string[]; period: DigestPeriod; url: string },
): Promise<DigestView[]> {
  if (ids.length === 0) return [];
  const known = new Map((await saved.listSavedViews(asked.projectId)).map((view) => [view.id, view]));
  const views: DigestView[] = [];
  for (const id of ids) {
    const view = known.get(id);
    views.push(view ? await readView(asked, view, period, url) : { ...gone, id });
  }
  return views;
}

const gone = {
  name: null,
  filter: {},
  message: 'It was removed: take it out under Settings, Reports and alerts.',
};

async function readView(
  asked: AskedProject,
  { id, name, filter, page, measure, compare }: SavedView,
  period: DigestPeriod,
  url: string,
): Promise<DigestView> {
  const shown = {
    range: rangeOf(period),
    ...(compare !== 'none' && { compare }),
    ...(measure !== 'visitors' && { measure }),
    ...filter,
  };
  const at = `${url}${page === 'overview' ? '' : `/${page}`}?${new URLSearchParams(shown)}`;
  const view = { id, name, filter, url: at };
  try {
    return { ...view, ...(await readNumbers(asked, period, filter)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...view, message: `It cannot be answered any more. ${error.message}` };
  }
}

export function tableOfView(
  { id, name, message, url, totals, before, pages = [] }: DigestView,
  measured: DigestMeasured,
  period: DigestPeriod,
): NotificationTable {
  const rows =
    totals && before
      ? [...rowsOfNumbers({ ...measured, totals, before }, period), ...rowsOfPages(pages, measured.measured)]
      : [];
  return { title: `View: ${name ?? id}`, text: message ?? undefined, url, rows };
}
