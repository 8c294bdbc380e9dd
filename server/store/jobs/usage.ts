/** What agents took from a model. */
export interface Usage {
  /** Answers of the model. */
  steps: number;
  /** Those read from the provider's cache included. */
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** In millionths of a dollar; null: nobody knows. */
  cost: number | null;
}

export const noUsage: Readonly<Usage> = {
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cost: null,
};

export function addUsage(sum: Readonly<Usage>, more: Readonly<Usage>): Usage {
  return {
    steps: sum.steps + more.steps,
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedTokens: sum.cachedTokens + more.cachedTokens,
    cost: more.cost === null ? sum.cost : (sum.cost ?? 0) + more.cost,
  };
}

/** As people read it: in dollars. */
export function toShown({ cost, ...counts }: Readonly<Usage>): Usage {
  return { ...counts, cost: cost === null ? null : cost / 1_000_000 };
}
