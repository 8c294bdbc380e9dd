import type { Occasion } from '../../../../shared/jobs/automation.ts';
import { Calendar, type Day } from '../../../counting/calendar.ts';
import { outsideText, quotePath } from '../../../insights/prompt.ts';
import type { AnalyticsStore } from '../../../store/counts/analytics.ts';
import { type JobCause, type Search, unknownOf } from './job-cause.ts';
import { looksLikePage } from './page-path.ts';

type When = Extract<Occasion, { kind: 'missing_page' }>;

/** `requests` stands for so many days, today among them. */
const windowDays = 14;
/** What was asked for no more since then has been mended, or was a whim. */
const recentDays = 3;
const maxRows = 5_000;
const shownClients = 5;

interface Missing {
  hits: number;
  clients: Set<string>;
}

/** Paths of pages that are not there, and that AI clients keep asking for: those with the most requests. */
export async function findMissingPages({
  services: { store, now },
  project: { id: projectId, settings },
  when,
  memory,
}: Search<When>): Promise<JobCause | undefined> {
  const today = new Calendar(settings.timeZone).dayOf(now());
  const recent = await readMissing(store, projectId, today + 1 - recentDays, today);
  const counted = await readMissing(store, projectId, today + 1 - windowDays, today);
  const asked = Array.from(counted, ([key, missing]) => ({ key, ...missing }))
    .filter(({ key, hits }) => hits >= when.requests && recent.has(key) && looksLikePage(key))
    .sort((a, b) => b.hits - a.hits);
  const found = await unknownOf(asked, memory);
  if (found.length === 0) return undefined;
  const lines = found.map(({ key, hits, clients }) => {
    const by = [...clients].sort().slice(0, shownClients).join(', ');
    return `- ${quotePath(key)}: ${hits} requests, by ${by}`;
  });
  const evidence = `In the last ${windowDays} days AI clients asked for these paths and got the answer that there is no such page (404 or 410). This job is about them alone:\n\n${lines.join('\n')}\n\n${outsideText}`;
  return { keys: found.map(({ key }) => key), evidence };
}

async function readMissing(
  store: AnalyticsStore,
  projectId: string,
  from: Day,
  to: Day,
): Promise<Map<string, Missing>> {
  const range = { projectId, from, to: to + 1 };
  const { rows } = await store.readCounter({ ...range, counter: 'ai-failures', limit: maxRows, offset: 0 });
  const found = new Map<string, Missing>();
  for (const { group, name, hits } of rows) {
    const [client = '', status = ''] = group.split('\t');
    if (status !== '404' && status !== '410') continue;
    const missing = found.get(name) ?? { hits: 0, clients: new Set() };
    found.set(name, missing);
    missing.hits += hits;
    missing.clients.add(client);
  }
  return found;
}
