import { assistants } from '../../shared/identity/assistant.ts';
import type { OperatorsQuery } from '../../shared/reports/insights.ts';
import type { Measured } from '../../shared/reports/replies.ts';
import { measuredBy, measuredDays } from '../analytics/measured.ts';
import { nameMeant } from '../analytics/spelling.ts';
import type { Day } from '../counting/calendar.ts';
import { factsOf } from '../identity/client-facts.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import { type BoundedRange, dateOf, mondayOf } from './days.ts';

const assistantNames = [...new Set(assistants.values())];

/** More clients than any catalogue has. */
const maxClients = 2000;

export interface OperatorRow {
  date: string | null;
  operator: string;
  aiViews: number;
  visits: number;
  ratio: number | null;
}

/** Null: it is not known. */
interface PurposeRow {
  purpose: string | null;
  views: number;
}

interface Counts {
  aiViews: number;
  visits: number;
}

const noCounts: Counts = { aiViews: 0, visits: 0 };

interface Sum extends Counts {
  day: Day;
  operator: string;
  /** Of the days on which both could be counted. */
  compared: Counts;
}

/**
 * Views by an operator's AI clients against people who came from its assistants, by range, week or day, and in each the
 * operator that reads most first. Where a server joined later, the ratio is that of the days since.
 */
export async function readOperators(
  store: AnalyticsStore,
  projectId: string,
  { from, to }: BoundedRange,
  { by, operator: only, sort }: Pick<OperatorsQuery, 'by' | 'operator' | 'sort'>,
): Promise<{ rows: OperatorRow[]; purposes: PurposeRow[]; measured: Measured }> {
  const range = { projectId, from, to };
  const clients = await namesOfClients(store, { ...range });
  const [read, sent, dataSources] = await Promise.all([
    store.readNamedDays({ ...range, of: 'client', names: clients }),
    store.readNamedDays({ ...range, of: 'source', names: assistantNames }),
    store.readCounterDays({ ...range, counter: 'data-sources' }),
  ]);
  const measuredOn = measuredDays(dataSources);
  const sums = new Map<string, Sum>();
  const sumOf = (day: Day, operator: string): Sum => {
    const first = startOf(day, by);
    const key = `${first} ${operator}`;
    const sum = sums.get(key) ?? { day: first, operator, ...noCounts, compared: { ...noCounts } };
    sums.set(key, sum);
    return sum;
  };
  const add = (day: Day, operator: string, kind: keyof Counts, count: number) => {
    const sum = sumOf(day, operator);
    sum[kind] += count;
    const { people, ai } = measuredOn(day);
    if (people !== false && ai !== false) sum.compared[kind] += count;
  };
  for (const { day, name, views } of read) {
    const { operator } = factsOf(name);
    if (operator !== null) add(day, operator, 'aiViews', views.ai);
  }
  for (const { day, name, visitors } of sent) add(day, operatorOf(name), 'visits', visitors.human);
  const all = [...sums.values()].filter(({ aiViews, visits }) => aiViews + visits > 0);
  const names = [...new Set(all.map(({ operator }) => operator))];
  const meant = only && (nameMeant(only, names, { parameter: 'operator', isOfWords: true }) ?? only);
  const rows = all
    .filter(({ operator }) => operator === (meant ?? operator))
    .sort(
      (a, b) =>
        (sort === 'oldest' ? a.day - b.day : b.day - a.day) ||
        b.aiViews - a.aiViews ||
        (a.operator < b.operator ? -1 : 1),
    )
    .map((sum) => toRow(sum, by));
  const purposes = new Map<string | null, number>();
  for (const { name, views } of read) {
    const { operator, purpose } = factsOf(name);
    if (meant === undefined || operator === meant) {
      purposes.set(purpose, (purposes.get(purpose) ?? 0) + views.ai);
    }
  }
  return {
    rows,
    purposes: Array.from(purposes, ([purpose, views]) => ({ purpose, views })).sort(
      (a, b) => b.views - a.views,
    ),
    measured: measuredBy(dataSources),
  };
}

/** AI clients with a view in the range. */
export async function namesOfClients(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<string[]> {
  const { rows } = await store.readClients({ ...range, limit: maxClients, offset: 0 });
  return [...new Set(rows.map(({ name }) => name))];
}

function startOf(day: Day, by: OperatorsQuery['by']): Day {
  if (by === 'range') return 0;
  return by === 'week' ? mondayOf(day) : day;
}

function toRow({ day, operator, aiViews, visits, compared }: Sum, by: OperatorsQuery['by']): OperatorRow {
  return {
    date: by === 'range' ? null : dateOf(day),
    operator,
    aiViews,
    visits,
    ratio: compared.visits === 0 ? null : Math.round((compared.aiViews / compared.visits) * 100) / 100,
  };
}

/** Who runs an assistant, by the assistant's name and as the catalogue of AI clients calls the operator. */
const operators: ReadonlyMap<string, string> = new Map([
  ['ChatGPT', 'OpenAI'],
  ['Claude', 'Anthropic'],
  ['Perplexity', 'Perplexity'],
  ['Gemini', 'Google'],
  ['NotebookLM', 'Google'],
  ['Microsoft Copilot', 'Microsoft'],
  ['Grok', 'xAI'],
  ['Meta AI', 'Meta'],
  ['Mistral', 'Mistral AI'],
  ['DeepSeek', 'DeepSeek'],
  ['You.com', 'You.com'],
  ['Duck.ai', 'DuckDuckGo'],
  ['Qwen', 'Alibaba'],
  ['ChatGLM', 'Zhipu AI'],
  ['iAsk', 'iAsk'],
  ['Ernie', 'Baidu'],
]);

/** An assistant that is not listed is its own operator. */
export function operatorOf(assistant: string): string {
  return operators.get(assistant) ?? assistant;
}
