import type { Occasion } from '../../../../shared/jobs/automation.ts';
import { Calendar } from '../../../counting/calendar.ts';
import { outsideText, quotePath } from '../../../insights/prompt.ts';
import { type JobCause, type Search, unknownOf } from './job-cause.ts';
import { looksLikePage } from './page-path.ts';

type When = Extract<Occasion, { kind: 'unread_page' }>;

const maxRows = 5_000;

/** Pages of the site's sitemaps that no AI client has read for long, and was not changed either: what people read first. */
export async function findUnreadPages({
  services: { store, siteFiles, now },
  project,
  when: { days },
  memory,
}: Search<When>): Promise<JobCause | undefined> {
  const { id: projectId, settings } = project;
  const pages = (await siteFiles.pages(project)) ?? [];
  const today = new Calendar(settings.timeZone).dayOf(now());
  const from = today + 1 - days;
  const firstDay = await store.firstDay(projectId);
  if (pages.length === 0 || firstDay === null || firstDay > from) return undefined;
  const read = new Set(await store.listReadPaths({ projectId, client: null, from }));
  // Where none was read, AI clients are rather not seen here than not there.
  if (!pages.some(({ path }) => read.has(path))) return undefined;
  const range = { projectId, from, to: today + 1, limit: maxRows, offset: 0 };
  const { rows } = await store.readCounts({ ...range, dimension: 'path', measure: 'views' });
  const people = new Map(rows.map(({ name, human }) => [name, human]));
  const unread = pages
    .filter(({ path, lastmod }) => !read.has(path) && (lastmod ?? 0) < from && looksLikePage(path))
    .map(({ path }) => ({ key: path, people: people.get(path) ?? 0 }))
    .sort((a, b) => b.people - a.people);
  const found = await unknownOf(unread, memory);
  if (found.length === 0) return undefined;
  const lines = found.map((page) => `- ${quotePath(page.key)} (views by people: ${page.people})`);
  const evidence = `These pages are in the site's sitemap, and no AI client has read them for ${days} days, while others were read. This job is about them alone:\n\n${lines.join('\n')}\n\n${outsideText}`;
  return { keys: found.map(({ key }) => key), evidence };
}
