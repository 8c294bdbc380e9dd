import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  InvalidResponseDataError,
  type LanguageModelMiddleware,
  simulateStreamingMiddleware,
  wrapLanguageModel,
} from 'ai';
import { JobFailure } from '../../failure.ts';
import { AnswerCut, AnsweredWhole, CompletionTooLarge, findFault, maxAnswerLength } from './answer-fault.ts';
import { keyVariables, type Provider, parseModelName } from './model-name.ts';
import type { ModelRequest } from './model-request.ts';

interface ProviderSettings {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

/** What the environment says about each provider. */
export type ModelSettings = Partial<Record<Provider, ProviderSettings>>;

export interface Model {
  /** As it is written in settings: `provider/model`. */
  name: string;
  provider: Provider;
  /** The host that answers, for messages to people. */
  host: string;
  languageModel: ReturnType<typeof wrapLanguageModel>;
  /** What each request says besides, by provider. */
  options?: { openai: { store?: false } };
  /** Whether the server has refused the key by which it finds what it has cached. */
  refusesCacheKey?: boolean;
}

const defaultBaseUrls = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  compatible: undefined,
} as const satisfies Record<Provider, string | undefined>;

export const urlVariables = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'the base URL of google',
  compatible: 'HEADCOUNT_MODEL_BASE_URL',
} as const satisfies Record<Provider, string>;

/**
 * @param request how requests are sent.
 * @throws JobFailure `model_settings`, saying which variable to set.
 */
export function createModel(name: string, settings: ModelSettings, request: ModelRequest): Model {
  const { provider, id } = parseModelName(name);
  const { apiKey, baseUrl } = settings[provider] ?? {};
  if (!apiKey && provider !== 'compatible') {
    throw new JobFailure(
      'model_settings',
      `The model ${name} needs a key. Set ${keyVariables[provider]} in the environment of Headcount and start it again.`,
    );
  }
  const url = parseBaseUrl(provider, baseUrl || defaultBaseUrls[provider]);
  const connection = { baseURL: url.href.replace(/\/$/, ''), apiKey: apiKey ?? '', fetch: request };
  const { languageModel, ...rest } = connect(provider, id, connection);
  const checked = wrapLanguageModel({ model: languageModel, middleware: { wrapStream: checkStreams() } });
  return { name, provider, host: url.host, languageModel: checked, ...rest };
}

interface Connection {
  baseURL: string;
  apiKey: string;
  fetch: ModelRequest;
}

function connect(
  provider: Provider,
  id: string,
  connection: Connection,
): Pick<Model, 'options'> & { languageModel: Wrapping['model'] } {
  switch (provider) {
    case 'anthropic':
      return { languageModel: createAnthropic(connection)(id) };
    case 'google':
      return { languageModel: createGoogle(connection)(id) };
    case 'compatible':
      return {
        languageModel: createOpenAICompatible({ ...connection, name: provider, includeUsage: true })(id),
      };
    case 'openai': {
      const openai = createOpenAI(connection);
      // OpenAI takes tools for its newer models at the Responses API only; servers that copy it have the older chat API.
      const { hostname } = new URL(connection.baseURL);
      if (!/(^|\.)api\.openai\.com$/.test(hostname))
        return { languageModel: openai.chat(id), options: { openai: {} } };
      // By default that API would keep every conversation for a month.
      return { languageModel: openai.responses(id), options: { openai: { store: false } } };
    }
    default:
      return provider satisfies never;
  }
}

type Wrapping = Parameters<typeof wrapLanguageModel>[0];

function parseBaseUrl(provider: Provider, text: string | undefined): URL {
  const variable = urlVariables[provider];
  if (text === undefined) {
    throw new JobFailure(
      'model_settings',
      `Set ${variable} to the base URL of the server, up to and with "/v1".`,
    );
  }
  const url = URL.parse(text);
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new JobFailure(
      'model_settings',
      `Set ${variable} to a URL with http or https and without a password in it.`,
    );
  }
  // Anthropic's own clients take the address without the version, the AI SDK takes it with the version.
  if (provider === 'anthropic' && !/\/v\d+\/?$/.test(url.pathname))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1`;
  return url;
}

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type Streamed = Awaited<ReturnType<WrapStream>>;
type Part = Streamed['stream'] extends ReadableStream<infer Each> ? Each : never;

/**
 * What ends before the answer does, or never, ends with an error. A server that does not stream is asked for the answer
 * in one piece, and from then on only so. All without warnings about single requests, which the SDK would print to the
 * log of the process, where nobody would act on them.
 */
function checkStreams(): WrapStream {
  let streams = true;
  return async (call) => {
    try {
      if (streams) return through(await call.doStream(), new Check());
    } catch (error) {
      if (!findFault(error, AnsweredWhole)) throw error;
      streams = false;
    }
    const middleware = [simulateStreamingMiddleware(), withoutWarnings];
    return await wrapLanguageModel({ model: call.model, middleware }).doStream(call.params);
  };
}

const withoutWarnings: LanguageModelMiddleware = {
  wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
};

function through(streamed: Streamed, check: Check): Streamed {
  const parts = new TransformStream<Part, Part>({
    transform: (part, controller) => controller.enqueue(check.read(part)),
    flush: (controller) => {
      if (!check.hasEnded) controller.enqueue({ type: 'error', error: new AnswerCut(check.hasBegun) });
    },
  });
  return { ...streamed, stream: streamed.stream.pipeThrough(parts) };
}

class Check {
  hasBegun = false;
  hasEnded = false;
  #length = 0;

  /** @throws CompletionTooLarge */
  read(part: Part): Part {
    switch (part.type) {
      case 'stream-start':
        return { ...part, warnings: [] };
      case 'error':
        this.hasEnded = true;
        // So one provider's package says that there was no end.
        return InvalidResponseDataError.isInstance(part.error) ? this.#cut() : part;
      case 'finish':
        return this.#finish(part);
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        this.#length += part.delta.length;
        if (this.#length > maxAnswerLength) throw new CompletionTooLarge();
        break;
    }
    this.hasBegun = true;
    return part;
  }

  /** Providers' own words for the end are missing where it did not come; one of OpenAI's APIs has none for a good one. */
  #finish(part: Extract<Part, { type: 'finish' }>): Part {
    const { unified, raw } = part.finishReason;
    const isEnd = this.hasEnded || raw !== undefined || unified === 'stop' || unified === 'tool-calls';
    this.hasEnded = true;
    return isEnd ? part : this.#cut();
  }

  #cut(): Part {
    return { type: 'error', error: new AnswerCut(this.hasBegun) };
  }
}
