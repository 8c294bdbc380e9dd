import { projectSettings } from '../../shared/project/project.ts';
import type { Section } from '../../shared/project/sections.ts';
import type { SectionSuggestionsReply } from '../../shared/reports/replies.ts';

const maxSuggestions = 20;
/** Of one page its own sums are enough. */
const leastPages = 2;

/** Parts of a site by the first two levels of its paths, those with the most views first. */
export function suggestSections(
  views: ReadonlyMap<string, number>,
  declared: readonly Section[],
): SectionSuggestionsReply['suggestions'] {
  const found = new Map<string, { pages: number; views: number }>();
  for (const [path, count] of views) {
    const [, first, second] = /^\/([\w.~%-]+)(?:\/([\w.~%-]+)(?=\/))?(?=\/|$)/.exec(path) ?? [];
    if (first === undefined) continue;
    for (const part of second === undefined ? [`/${first}`] : [`/${first}`, `/${first}/${second}`]) {
      const known = found.get(part) ?? { pages: 0, views: 0 };
      found.set(part, { pages: known.pages + 1, views: known.views + count });
    }
  }
  const names = new Set(declared.map(({ name }) => name.toLowerCase()));
  const globs = new Set(declared.map(({ path }) => path));
  return [...found]
    .map(([part, sums]) => ({ path: `${part}/**`, name: nameOf(part), ...sums }))
    .filter(({ pages }) => pages >= leastPages && pages < views.size)
    .sort((a, b) => b.views - a.views || b.pages - a.pages || (a.path < b.path ? -1 : 1))
    .values()
    .filter(({ path, name }) => {
      const isNew = !globs.has(path) && !names.has(name.toLowerCase());
      return isNew && projectSettings.shape.sections.safeParse([`${path} ${name}`]).success;
    })
    .take(maxSuggestions)
    .toArray();
}

/** `/docs/api-keys` is Docs / Api keys. */
function nameOf(part: string): string {
  const names = part
    .slice(1)
    .split('/')
    .map((text) => {
      const words = decoded(text).replace(/[-_]+/g, ' ').trim();
      return words.charAt(0).toUpperCase() + words.slice(1);
    });
  return names.join(' / ');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
