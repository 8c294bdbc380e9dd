import type { CommentOrigin } from '../../../store/jobs/job-comment.ts';
import { JobFailure } from '../../failure.ts';
import { type AnswerText, answerChange, answerFailure, answerNoChange } from '../../text/answers.ts';
import type { TurnContext } from '../turn-context.ts';
import { signedBy } from './finished-turn.ts';

/** Says where a turn was asked for what came of it. The work is done by then: where this fails, the transcript says so. */
export async function answerTurn(context: TurnContext): Promise<void> {
  const { origin, commit, summary = '', chapters = [], files = [], pullRequest } = context.lease.record;
  if (!origin) return;
  const named = signedBy(context);
  const own = chapters.at(-1);
  if (commit === undefined || !own) {
    return await answer(context, origin, answerNoChange(named, summary, { origin, ...named }));
  }
  const isElsewhere = pullRequest !== undefined && pullRequest.number !== origin.number;
  const elsewhere = isElsewhere ? pullRequest.url : undefined;
  await answer(context, origin, answerChange({ ...named, ...own, files }, commit, { origin, elsewhere }));
}

/** Nobody tries it again by itself. */
export async function answerFailedTurn(context: TurnContext, failure: JobFailure): Promise<void> {
  const { origin } = context.lease.record;
  if (!origin) return;
  const named = signedBy(context);
  await answer(context, origin, answerFailure(named, failure, { origin, ...named }));
}

async function answer(
  { lease, target, redact }: TurnContext,
  origin: CommentOrigin,
  { text, signature }: AnswerText,
): Promise<void> {
  const { forge } = target;
  if (!forge) return;
  try {
    const pull = await forge.findPullRequest(origin.number, lease.signal);
    const since = lease.turn.createdAtMs;
    if (!pull) return;
    // Too late: the runner that has the turn now says it.
    await lease.renew();
    await forge.comment(pull, origin, { text, signature, since }, lease.signal);
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    const message = `It could not be said where it was asked for: ${error.message}`;
    await lease.say({ type: 'note', data: { message: redact(message) } });
  }
}
