import {
  InvalidResponseDataError,
  type LanguageModelMiddleware,
  simulateStreamingMiddleware,
  wrapLanguageModel,
} from 'ai';
import { AnswerCut, AnsweredWhole, CompletionTooLarge, findFault, maxAnswerLength } from './answer-fault.ts';

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type Streamed = Awaited<ReturnType<WrapStream>>;
type Part = Streamed['stream'] extends ReadableStream<infer Each> ? Each : never;

/**
 * What ends before the answer does, or never, ends with an error. A server that does not stream is asked for the answer
 * in one piece, and from then on only so. All without warnings about single requests, which the SDK would print to the
 * log of the process, where nobody would act on them.
 */
export function checkStreams(): WrapStream {
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
