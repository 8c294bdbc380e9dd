import type { Count } from '../../shared/reports/analytics.ts';
import type { Condition } from '../../shared/reports/pairs.ts';
import { otherName } from '../counting/names/name-cap.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { NamedQuery } from '../store/counts/analytics-store.ts';
import type { AskedJob } from '../store/jobs/jobs.ts';
import type { BoundedRange } from './days.ts';
import { outsideText, quotePath, titlePath } from './prompt.ts';

export type GapKind = 'failing' | 'ignored' | 'ai_heavy';

export interface GapRow {
  path: string;
  kind: GapKind;
  people: number;
  ai: number;
  failures: number;
  evidence: string;
  prompt: string;
}

type Page = Count & { name: string };

const maxRows = 5000;
export const maxOfKind = 250;
/** So many views by AI would be usual for a page that none reads: by chance alone that is rarer than one in a hundred. */
const minExpected = 5;
/** By people or AI clients. */
const minViews = 20;
const minFailures = 5;
/** Against what is usual on the site. */
const heavyTimes = 10;

/** Pages to work on, those with the most at stake first within a kind; each by the gravest of its kinds, unless one is asked for. */
export async function readGaps(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
  { kind, pages: only }: { kind?: GapKind | undefined; pages?: Condition | undefined } = {},
): Promise<GapRow[]> {
  const views = { ...range, dimension: 'path', measure: 'views', offset: 0 } as const;
  const wanted = only && (await store.listPaths(range.projectId, only));
  const [{ totals, rows }, failures] = await Promise.all([
    store.readCounts({ ...views, names: wanted, unevenFrom: minViews, limit: maxRows }),
    kind === undefined || kind === 'failing' ? readFailures(store, { ...range, pages: only }, isFailure) : [],
  ]);
  const names = failures.map(({ path }) => path);
  const failed = names.length > 0 ? await store.readCounts({ ...views, names, limit: maxOfKind }) : undefined;
  const pages = rows.filter(({ name }) => name !== otherName);
  const found = [
    ...failing(failures, failed?.rows ?? []),
    ...ignored(pages, totals),
    ...aiHeavy(pages, totals),
  ];
  if (kind !== undefined) return found.filter((gap) => gap.kind === kind);
  const known = new Set<string>();
  return found.filter(({ path }) => !known.has(path) && known.add(path));
}

/** Redirects lead somewhere. */
export const isFailure = (status: string) => !status.startsWith('3');

export interface Failures {
  path: string;
  hits: number;
  clients: Set<string>;
  statuses: Set<string>;
}

/** Of the pages that failed most, by these statuses. */
export async function readFailures(
  store: AnalyticsStore,
  range: BoundedRange & Pick<NamedQuery, 'projectId' | 'pages'>,
  isMeant: (status: string) => boolean,
): Promise<Failures[]> {
  const { rows } = await store.readCounter({ ...range, counter: 'ai-failures', limit: maxRows, offset: 0 });
  const failures = new Map<string, Failures>();
  for (const { group, name, hits } of rows) {
    const [client = '', status = ''] = group.split('\t');
    if (name === otherName || !isMeant(status)) continue;
    const sum = failures.get(name) ?? { path: name, hits: 0, clients: new Set(), statuses: new Set() };
    failures.set(name, sum);
    sum.hits += hits;
    sum.clients.add(client);
    sum.statuses.add(status);
  }
  return [...failures.values()]
    .filter(({ hits }) => hits >= minFailures)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, maxOfKind);
}

export const askToMend =
  'Find out what answers them so. Where the page has moved or is gone, add a redirect to the page that took its place, or mend the links that lead to it; where it is there, make it readable again.';

/** A few names. */
export const listed = (names: ReadonlySet<string>): string => [...names].sort().slice(0, 5).join(', ');

/** Pages that AI clients asked for and were refused, or that failed. */
function failing(failures: readonly Failures[], pages: readonly Page[]): GapRow[] {
  const known = new Map(pages.map((page) => [page.name, page]));
  return failures.map(({ path, hits, clients, statuses }) => {
    const page = known.get(path) ?? { name: path, human: 0, ai: 0, total: 0 };
    const evidence = `${write(hits)} requests of AI clients were answered ${listed(statuses)} (${listed(clients)}).`;
    return gapOf(page, { kind: 'failing', title: `Fix ${listed(statuses)}`, evidence, ask: askToMend }, hits);
  });
}

/** Pages of people that no AI client reads, where it would be expected by what AI reads of the site. */
function ignored(pages: readonly Page[], totals: Count): GapRow[] {
  const share = totals.human === 0 ? 0 : totals.ai / totals.human;
  return pages
    .filter(({ human, ai }) => ai === 0 && human >= minViews && human * share >= minExpected)
    .sort((a, b) => b.human - a.human)
    .slice(0, maxOfKind)
    .map((page) => {
      const evidence = `${write(page.human)} views by people and none by an AI client, where some ${write(Math.round(page.human * share))} would be usual on this site.`;
      const ask =
        'Find out why: whether it is linked from other pages and in the sitemap, whether robots.txt or a meta tag keeps AI clients out, and whether its text is there without scripts. Mend what you find in this repository.';
      return gapOf(page, { kind: 'ignored', title: 'Let AI read', evidence, ask });
    });
}

/** Pages that AI clients read far more than people do. */
function aiHeavy(pages: readonly Page[], totals: Count): GapRow[] {
  const usual = (totals.ai + 1) / (totals.human + 1);
  return pages
    .filter(({ human, ai }) => ai >= minViews && (ai + 1) / (human + 1) >= heavyTimes * usual && ai > human)
    .sort((a, b) => b.ai - a.ai)
    .slice(0, maxOfKind)
    .map((page) => {
      const evidence = `${write(page.ai)} views by AI clients and ${write(page.human)} by people: on the whole site there are ${usual.toFixed(2)} by AI for each by people.`;
      const ask =
        'Models answer from this page while people hardly see it. Check that what it says is right and up to date, that it answers by itself, and that it leads to the pages that people should go on to. Improve its text in this repository.';
      return gapOf(page, { kind: 'ai_heavy', title: 'Improve for AI', evidence, ask });
    });
}

/** The job for a page whose title begins so; left out: with any. @param asked the newest first */
export function jobFor(
  path: string,
  asked: readonly AskedJob[],
  title = '',
): Omit<AskedJob, 'prompt'> | null {
  const end = JSON.stringify(`: ${titlePath(path)}\n`).slice(1, -1);
  const found = asked.find(({ prompt }) => prompt.startsWith(`"${title}`) && prompt.includes(end));
  if (!found) return null;
  const { prompt: _, ...job } = found;
  return job;
}

/** 1,136. By hand, as `toLocaleString` takes 10 µs each. */
export const write = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

interface Found {
  kind: GapKind;
  /** The task, as the name of the job and its branch. */
  title: string;
  evidence: string;
  ask: string;
}

function gapOf({ name: path, human, ai }: Page, { kind, title, evidence, ask }: Found, failures = 0): GapRow {
  return {
    path,
    kind,
    people: human,
    ai,
    failures,
    evidence,
    prompt: promptOf(path, { title, evidence, ask }),
  };
}

/** What a job is asked; its first line is the title. */
export function promptOf(path: string, { title, evidence, ask }: Omit<Found, 'kind'>): string {
  return `${title}: ${titlePath(path)}\n\nHeadcount counted for the page ${quotePath(path)}: ${evidence}\n\n${ask}\n\n${outsideText}`;
}
