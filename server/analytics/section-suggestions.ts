import { sectionOf } from '../../shared/project/sections.ts';
import { Calendar } from '../counting/calendar.ts';
import { suggestSections } from '../counting/sections.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';

const maxPages = 10_000;
const days = 28;

/** Without what makes no other page of it. */
const bare = (path: string) => path.replace(/\.html?$/, '').replace(/(?:\/index)?\/?$/, '');

/** By what was viewed lately. @param listed pages that are known in another way */
export async function readSuggestions(
  { store, now }: { store: Pick<Store, 'readCounts'>; now: () => number },
  { id: projectId, settings }: Pick<ListedProject, 'id' | 'settings'>,
  listed: readonly string[],
) {
  const to = new Calendar(settings.timeZone).dayOf(now()) + 1;
  const range = { projectId, from: to - days, to, limit: maxPages, offset: 0 };
  const { rows } = await store.readCounts({ ...range, dimension: 'path', measure: 'views' });
  const viewed = new Set(rows.map(({ name }) => bare(name)));
  const views = new Map(rows.map(({ name, total }) => [name, total]));
  for (const path of listed) if (!viewed.has(bare(path))) views.set(path, 0);
  return { suggestions: suggestSections(views, settings.sections.map(sectionOf)) };
}
