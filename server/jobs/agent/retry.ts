import { APICallError } from 'ai';
import { noUsage } from '../../store/jobs/job.ts';
import { JobFailure } from '../failure.ts';
import type { AgentLimits } from './limits.ts';
import { CompletionTooLarge, findFault } from './model/answer-fault.ts';
import { askModel, type Completion, type CompletionRequest } from './model/completion.ts';
import { describeModelError } from './model/model-error.ts';
import type { AgentEvent } from './result.ts';

const firstWaitMs = 2_000;

interface RetryPolicy {
  limits: Pick<AgentLimits, 'tries' | 'retryAfterMs'>;
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  redact: (text: string) => string;
  onEvent: (event: AgentEvent) => void | Promise<void>;
}

/**
 * Asks until there is a completion, waiting longer after each passing error.
 *
 * @throws JobFailure for an error that waiting does not heal, or that lasted for all tries; the reason of the
 *   question's signal when that aborts.
 */
export async function askWithRetries(request: CompletionRequest, policy: RetryPolicy): Promise<Completion> {
  const { limits, now, wait, redact, onEvent } = policy;
  for (let tries = 1; ; tries += 1) {
    try {
      return await askModel(request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (refusesCacheKey(error) && !request.model.refusesCacheKey) {
        // Servers that copy OpenAI's API need not know it.
        request.model.refusesCacheKey = true;
        tries -= 1;
        continue;
      }
      if (findFault(error, CompletionTooLarge)) return { ...thrownAway, model: request.model.name };
      const failure = explain(
        request,
        describeModelError(error, { model: request.model, now: now(), redact }),
      );
      if (!failure.passing || tries >= limits.tries) throw failure;
      const waitMs = failure.retryAfterMs ?? firstWaitMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
      if (waitMs > limits.retryAfterMs) throw failure;
      await onEvent({ type: 'retry', message: failure.message, waitMs: Math.round(waitMs) });
      await wait(waitMs, request.signal);
    }
  }
}

function refusesCacheKey(error: unknown): boolean {
  return APICallError.isInstance(error) && /prompt_cache_key/.test(error.responseBody ?? '');
}

function explain({ images }: CompletionRequest, failure: JobFailure): JobFailure {
  if (images.length === 0 || failure.code !== 'model_rejected') return failure;
  const hint =
    'The job has images, which not every model sees: create another one without them, if that is why.';
  return new JobFailure(failure.code, `${failure.message} ${hint}`);
}

const thrownAway: Omit<Completion, 'model'> = {
  text: '',
  calls: [],
  finish: 'cut',
  usage: { ...noUsage, steps: 1 },
  message: undefined,
};
