import { type ModelLimits, readModelLimits } from '../../../../shared/jobs/model-limits.ts';

/**
 * What models of the usual providers take, in tokens, by the beginnings of their names; the first that fits holds.
 * https://docs.anthropic.com/en/docs/about-claude/models, https://platform.openai.com/docs/models,
 * https://ai.google.dev/gemini-api/docs/models
 */
const known: readonly (readonly [name: RegExp, context: number, output: number])[] = [
  [/^anthropic\/claude-(?:instant|2)/, 100_000, 4_096],
  [/^anthropic\/claude-3-(?:opus|sonnet|haiku)/, 200_000, 4_096],
  [/^anthropic\/claude-3-5-/, 200_000, 8_192],
  [/^anthropic\/claude-/, 200_000, 32_000],
  [/^openai\/gpt-3\.5/, 16_385, 4_096],
  [/^openai\/gpt-4-32k/, 32_768, 4_096],
  [/^openai\/gpt-4-(?:turbo|1106|0125|vision)/, 128_000, 4_096],
  [/^openai\/(?:gpt-4o|chatgpt-4o)/, 128_000, 16_384],
  [/^openai\/gpt-4\.1/, 1_047_576, 32_768],
  [/^openai\/gpt-4(?:-|$)/, 8_192, 4_096],
  [/^openai\/o1-(?:mini|preview)/, 128_000, 32_768],
  [/^openai\/o[134]/, 200_000, 100_000],
  [/^openai\/gpt-[5-9]/, 400_000, 128_000],
  [/^google\/gemini-(?:1\.5|2\.0)/, 1_048_576, 8_192],
  [/^google\/gemini-/, 1_048_576, 65_536],
];

/** Undefined where its maker's documents are not known. */
export function knownLimits(model: string): ModelLimits {
  const [, context, output] = known.find(([name]) => name.test(model)) ?? [];
  return { context, output };
}

/** What a project says of a model. */
export function setLimits(model: string, settings: readonly string[]): ModelLimits {
  return settings.map(readModelLimits).find((limits) => limits?.model === model) ?? {};
}

/** What the error of a model's server says of its limits. */
export interface ReportedLimits {
  /** All that it reads and writes at once. */
  context?: number | undefined;
  /** How many tokens it was sent. */
  sent?: number | undefined;
  output?: number | undefined;
}

const number = String.raw`([\d,]{3,12})`;
const any = (...forms: string[]) => forms.map((form) => new RegExp(form.replaceAll('#', number), 'i'));

/** The sentences of Anthropic, OpenAI, Google, Mistral, Groq, xAI, Together, vLLM, llama.cpp and LM Studio. */
const outputForms = any(
  String.raw`max_tokens: [\d,]{1,12} > #`,
  'at most # (?:completion|output) tokens',
  String.raw`max(?:imum)?_?(?:output|completion)?_?tokens\b.{0,80}(?:less than or equal to|at most|<=|must be (?:below|under)) .?#`,
  String.raw`supported range is from 1 \(inclusive\) to #`,
);
const contextForms = any(
  'maximum (?:context|prompt) length (?:is|of) #',
  String.raw`context limit: [\d,]{1,12} \+ [\d,]{1,12} > #`,
  '> # maximum',
  String.raw`maximum number of tokens allowed \(?#`,
  '# maximum context length',
  'must be <= #',
  String.raw`n_ctx"?\s?[:=]\s?#`,
  'context (?:length|window|size) (?:of|is)(?: only)? #',
  'limit #, requested',
);
const sentForms = any(
  'resulted in #',
  'too long: # tokens',
  String.raw`token count \(?#`,
  'contains # tokens',
  'n_prompt_tokens"?\\s?[:=]\\s?#',
  'given: #',
  'requested (?:about )?#',
  'has # input tokens',
  'first # tokens',
  String.raw`context limit: # \+`,
);

const maxRead = 4_000;

export function readReportedLimits(body: string): ReportedLimits {
  const text = body.slice(0, maxRead);
  const find = (forms: readonly RegExp[]) => {
    const found = forms.map((form) => form.exec(text)?.[1]).find((digits) => digits !== undefined);
    const tokens = Number(found?.replaceAll(',', ''));
    return tokens > 0 ? tokens : undefined;
  };
  const output = find(outputForms);
  if (output !== undefined) return { output };
  const [context, sent] = [find(contextForms), find(sentForms)];
  // What was sent fits, and the answer that was asked for does not beside it.
  const isRoom = context !== undefined && sent !== undefined && sent < context;
  return isRoom ? { output: Math.max(1, Math.floor((context - sent) * 0.9)) } : { context, sent };
}
