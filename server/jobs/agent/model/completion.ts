import { jsonSchema, type LanguageModelUsage, tool as sdkTool, streamText, type ToolSet } from 'ai';
import type { Usage } from '../../../store/jobs/job.ts';
import {
  type Message,
  markForCache,
  type Picture,
  spokenText,
  systemMessage,
  type ToolCall,
  withImages,
} from '../message.ts';
import type { Tool } from '../tools/tool.ts';
import type { Model } from './model.ts';
import { costOf } from './prices.ts';
import { seesImages } from './vision.ts';

export interface Completion {
  text: string;
  calls: ToolCall[];
  /** `cut`: it was longer than the model may write. */
  finish: 'whole' | 'cut' | 'refused';
  usage: Usage;
  /** Name of the model that answered. */
  model: string;
  /** What to append to the conversation; undefined where the model said nothing. */
  message: Message | undefined;
}

export interface CompletionRequest {
  model: Model;
  instructions: string;
  messages: readonly Message[];
  tools: readonly Tool[];
  /** Those that the messages have places for. */
  images: readonly Picture[];
  cacheKey?: string | undefined;
  /** Tokens of the answer; undefined: as many as the server allows. */
  maxOutputTokens?: number | undefined;
  signal: AbortSignal;
}

/**
 * One request to a model, not repeated. Its answer is streamed, so that only silence is a reason to give it up, and read
 * to its end before anything in it counts.
 *
 * @throws whatever went wrong, for describeModelError.
 */
export async function askModel(request: CompletionRequest): Promise<Completion> {
  const { model, instructions, messages, tools } = request;
  const result = await streamAnswer(request);
  const calls = result.toolCalls.map((call): ToolCall => {
    const { toolCallId: id, toolName: name, input } = call;
    // Unknown names are left to the tools, which answer with what there is.
    const broken = call.invalid === true && tools.some((tool) => tool.name === name);
    return broken
      ? { id, name, input, fault: 'The arguments are not valid JSON. Send the call again.' }
      : { id, name, input };
  });
  const text = spokenText(result.text);
  const said = text !== '' || calls.length > 0;
  const message = said ? result.messages.find(({ role }) => role === 'assistant') : undefined;
  return {
    text,
    calls,
    finish:
      result.finishReason === 'content-filter'
        ? 'refused'
        : result.finishReason === 'length'
          ? 'cut'
          : 'whole',
    model: model.name,
    usage: countUsage(model, result.usage, instructions, messages, message),
    message,
  };
}

async function streamAnswer(request: CompletionRequest) {
  const { model, instructions, messages, tools, images, cacheKey, maxOutputTokens, signal } = request;
  const errors: unknown[] = [];
  const answer = streamText({
    model: model.languageModel,
    instructions: systemMessage(instructions),
    messages: markForCache(withImages(messages, images, seesImages(model.name))),
    tools: toToolSet(tools),
    maxRetries: 0,
    telemetry: { isEnabled: false },
    abortSignal: signal,
    onError: ({ error }) => void errors.push(error),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(model.options && {
      providerOptions: withCacheKey(model.options, model.refusesCacheKey ? undefined : cacheKey),
    }),
  });
  await answer.consumeStream({ onError: (error) => void errors.push(error) });
  signal.throwIfAborted();
  if (errors.length > 0) throw errors[0];
  const { text, toolCalls, finishReason, usage } = await answer.finalStep;
  return { text, toolCalls, finishReason, usage, messages: await answer.responseMessages };
}

/** OpenAI sends requests of one key to where their beginning is cached. */
function withCacheKey(
  { openai }: NonNullable<Model['options']>,
  cacheKey: string | undefined,
): { openai: { store?: false; promptCacheKey?: string } } {
  return { openai: { ...openai, ...(cacheKey !== undefined && { promptCacheKey: cacheKey }) } };
}

/** Without functions to execute: the loop runs the tools. */
function toToolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      sdkTool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

/** Some servers report no usage: four characters are about a token, so that the limit holds for them too. */
function countUsage(
  model: Model,
  usage: LanguageModelUsage,
  instructions: string,
  messages: readonly Message[],
  message: Message | undefined,
): Usage {
  const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = usage.inputTokenDetails ?? {};
  const input = usage.inputTokens || Math.ceil((instructions.length + JSON.stringify(messages).length) / 4);
  const output = usage.outputTokens || Math.ceil(JSON.stringify(message ?? '').length / 4);
  const cost = costOf(model.name, { input, output, cacheRead, cacheWrite });
  return { steps: 1, inputTokens: input, outputTokens: output, cachedTokens: cacheRead, cost };
}
