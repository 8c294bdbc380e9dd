import type { Usage } from '../../../store/jobs/job.ts';
import { JobFailure } from '../../failure.ts';
import type { AgentLimits } from '../limits.ts';
import list from './prices.json' with { type: 'json' };

/** In dollars for a million tokens, which is as many millionths of a dollar for one. */
interface Price {
  input: number;
  /** What is put into the provider's cache, and read from there, where that costs something of its own. */
  cacheWrite?: number;
  cacheRead?: number;
  output: number;
}

interface ListedPrice extends Price {
  /** What each token costs in a request with more input than that. */
  long?: Price & { above: number };
}

/** Those of one request. */
interface TokenCounts {
  /** With those of the cache. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

const prices: Readonly<Record<string, ListedPrice>> = list.models;

/** Undefined for a model whose price nobody has listed, such as one on a server of one's own. */
function findPrice(model: string): ListedPrice | undefined {
  return prices[model] ?? prices[model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')];
}

export function hasPrice(model: string): boolean {
  return findPrice(model) !== undefined;
}

/** What a request cost, in millionths of a dollar; null: nobody knows. @param model `provider/model` */
export function costOf(model: string, tokens: TokenCounts): number | null {
  const found = findPrice(model);
  if (found === undefined) return null;
  const { input, output, cacheRead = input, cacheWrite = input } = priceAt(found, tokens.input);
  const plain = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite);
  const sum =
    plain * input + tokens.cacheRead * cacheRead + tokens.cacheWrite * cacheWrite + tokens.output * output;
  return Math.round(sum);
}

function priceAt({ long, ...usual }: ListedPrice, input: number): Price {
  return long !== undefined && input > long.above ? long : usual;
}

/** How much of a token's price is paid for one that is read from the cache. */
function cachedShare(model: string): number {
  const found = findPrice(model);
  return found?.cacheRead === undefined ? 1 : found.cacheRead / found.input;
}

/** @param model its name @throws JobFailure tokens, money: the turn has used up what it may */
export function checkSpending(
  usage: Readonly<Usage>,
  model: string,
  limits: Pick<AgentLimits, 'tokens' | 'cost'>,
): void {
  const { inputTokens, outputTokens, cachedTokens, cost } = usage;
  // Those of the cache count as what they cost.
  const tokens = inputTokens + outputTokens - cachedTokens * (1 - cachedShare(model));
  if (tokens > limits.tokens) {
    throw new JobFailure(
      'tokens',
      `The agent used up its ${limits.tokens} tokens before it finished. Ask for less at once.`,
    );
  }
  if (limits.cost <= 0) throw new JobFailure('money', 'The budget for jobs of this month is used up.');
  if (cost !== null && cost > limits.cost) {
    throw new JobFailure(
      'money',
      `The agent cost ${inDollars(cost)} before it finished, and may cost ${inDollars(limits.cost)}. Ask for less at once.`,
    );
  }
}

/** @param cost in millionths of a dollar */
function inDollars(cost: number): string {
  return `$${(cost / 1_000_000).toFixed(2)}`;
}
