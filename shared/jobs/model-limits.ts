/** Limits of a model in tokens; undefined: the limits that Headcount knows apply. */
export interface ModelLimits {
  /** All that it reads and writes at once. */
  context?: number | undefined;
  /** Of one answer. */
  output?: number | undefined;
}

const form =
  /^((?:anthropic|openai|google|compatible)\/[\x21-\x7e]{1,200})(?: context=([1-9]\d{0,7}))?(?: output=([1-9]\d{0,7}))?$/;

/** Below these there is no room for a page and the work on it. */
export const leastTokens = { context: 8_000, output: 500 } as const;

/** Reads `compatible/qwen context=32768 output=8192`; undefined where it is no such text. */
export function readModelLimits(text: string): ({ model: string } & ModelLimits) | undefined {
  const [, model, context, output] = form.exec(text) ?? [];
  if (model === undefined || (context === undefined && output === undefined)) return undefined;
  const limits = { context: context && Number(context), output: output && Number(output) };
  if (limits.context && limits.context < leastTokens.context) return undefined;
  if (limits.output && limits.output < leastTokens.output) return undefined;
  return { model, context: limits.context || undefined, output: limits.output || undefined };
}
