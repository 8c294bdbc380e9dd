import type { Day } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { clientsAdded, rulesVersion, ruleVersions, unlistedSince } from '../identity/rule-versions.ts';
import type { Annotation, AnnotationStore, RuleDay } from '../store/annotations.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { type BoundedRange, dateOf } from './days.ts';
import { listUnlisted } from './unlisted-clients.ts';

export interface ChangeRow {
  date: string;
  kind: Annotation['kind'] | 'rules';
  id: string | null;
  text: string;
  url: string | null;
  fromVersion: number | null;
  toVersion: number | null;
  addedViews: number | null;
}

interface Parts {
  store: AnalyticsStore & { readonly annotations: AnnotationStore };
  projectId: string;
}

/** @throws ApiError `not_found` */
export async function findAnnotation(
  store: AnnotationStore,
  projectId: string,
  id: string,
): Promise<Annotation> {
  const annotations = await store.listAnnotations({ projectId, from: null, to: null });
  const annotation = annotations.find((one) => one.id === id);
  if (!annotation) throw noAnnotation();
  return annotation;
}

export function noAnnotation(): ApiError {
  return new ApiError('not_found', 'The project has no such annotation: it may have been removed.');
}

/** Possible explanations of a change in the counts, the newest first. */
export async function readChanges({ store, projectId }: Parts, range: BoundedRange): Promise<ChangeRow[]> {
  const annotations = await store.annotations.listAnnotations({ projectId, ...range });
  const breaks = breaksIn(await store.annotations.listRules(projectId)).filter(
    ({ day }) => day >= range.from && day < range.to,
  );
  const rows = [...annotations.map(ofAnnotation)];
  for (const found of breaks) {
    const addedViews = await readAddedViews(store, projectId, found, range.to);
    rows.push(ofBreak(found, addedViews));
  }
  return rows.sort((a, b) =>
    a.date < b.date ? 1 : a.date > b.date ? -1 : (a.id ?? '') < (b.id ?? '') ? -1 : 1,
  );
}

/** A day whose views were classified with newer rules than those of the day before it. */
interface Break {
  day: Day;
  from: number;
  to: number;
}

/** An older version is not reported: an update was reverted, or an old log was imported. */
function breaksIn(days: readonly RuleDay[]): Break[] {
  const breaks: Break[] = [];
  let known = days[0]?.version ?? rulesVersion;
  for (const { day, version } of days) {
    if (version <= known) continue;
    breaks.push({ day, from: known, to: version });
    known = version;
  }
  return breaks;
}

/** Only for clients that came with the newer version it is known which views the older one classified differently. */
async function readAddedViews(
  store: AnalyticsStore,
  projectId: string,
  { day, from, to }: Break,
  end: Day,
): Promise<number> {
  const range = { projectId, from: day, to: end };
  const unlisted = from < unlistedSince && unlistedSince <= to ? await listUnlisted(store, range) : [];
  const names = [...clientsAdded(from, to), ...unlisted];
  if (names.length === 0) return 0;
  const rows = await store.readNamedDays({ ...range, of: 'client', names });
  return rows.reduce((sum, { views }) => sum + views.ai, 0);
}

function ofAnnotation({ day, kind, id, text, url }: Annotation): ChangeRow {
  return { date: dateOf(day), kind, id, text, url, fromVersion: null, toVersion: null, addedViews: null };
}

function ofBreak({ day, from, to }: Break, addedViews: number): ChangeRow {
  const between = ruleVersions.filter(({ version }) => version > from && version <= to);
  // A newer Headcount may have counted here before.
  const text = between.map(({ says }) => says).join(' ') || 'The rules changed.';
  return {
    date: dateOf(day),
    kind: 'rules',
    id: null,
    text,
    url: null,
    fromVersion: from,
    toVersion: to,
    addedViews,
  };
}
