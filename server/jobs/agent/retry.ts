import { JobFailure } from '../failure.ts';
import { type Answer, askModel, type Question } from './completion.ts';
import type { AgentLimits } from './limits.ts';
import { describeModelError } from './model-error.ts';
import { AnswerTooLarge } from './model-request.ts';
import type { AgentEvent } from './result.ts';

const firstWaitMs = 2_000;

export interface Patience {
  limits: Pick<AgentLimits, 'answerMs' | 'tries' | 'retryAfterMs'>;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  clean: (text: string) => string;
  onEvent: (event: AgentEvent) => void | Promise<void>;
}

/**
 * Asks until there is an answer, waiting longer after each passing error.
 *
 * @throws JobFailure for an error that waiting does not heal, or that lasted for all tries; the reason of the
 *   question's signal when that aborts.
 */
export async function askPatiently(question: Question, patience: Patience): Promise<Answer> {
  const { limits, now, wait, clean, onEvent } = patience;
  for (let tries = 1; ; tries += 1) {
    const tooLong = AbortSignal.timeout(limits.answerMs);
    const signal = AbortSignal.any([question.signal, tooLong]);
    try {
      return await askModel({ ...question, signal });
    } catch (error) {
      question.signal.throwIfAborted();
      if (error instanceof AnswerTooLarge) return thrownAway;
      const failure = tooLong.aborted
        ? tookTooLong(question, limits.answerMs)
        : describeModelError(error, { model: question.model, now: now(), clean });
      if (!failure.passing || tries >= limits.tries) throw failure;
      const waitMs = failure.retryAfterMs ?? firstWaitMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
      if (waitMs > limits.retryAfterMs) throw failure;
      await onEvent({ type: 'retry', message: failure.message, waitMs: Math.round(waitMs) });
      await wait(waitMs, question.signal);
    }
  }
}

const thrownAway: Answer = {
  text: '',
  calls: [],
  finish: 'cut',
  tokens: { input: 0, output: 0 },
  message: undefined,
};

function tookTooLong({ model }: Question, answerMs: number): JobFailure {
  const seconds = Math.round(answerMs / 1_000);
  return new JobFailure(
    'model_unavailable',
    `${model.host} did not answer within ${seconds} seconds. Try again later.`,
  );
}
