import { describeRejection } from '../../agent/rejection.ts';
import { JobFailure, PushRejected } from '../../failure.ts';
import { reasonOf } from '../../text/no-change.ts';
import type { TurnContext } from '../turn-context.ts';
import { letAgentWork, type Work } from '../working/agent-run.ts';
import { commitWork, pushTurn } from './publishing.ts';

/** How often the agent makes a refused commit again before a person is asked. */
const maxTries = 2;

/**
 * Puts the commit of a turn on its branch. What a rule of the server refuses goes back to the agent, which makes the
 * commit again. @returns where the branch is then
 */
export async function pushMended(context: TurnContext): Promise<string> {
  const { lease } = context;
  for (;;) {
    const { mending, commit } = lease.record;
    if (mending !== undefined && mending.commit === commit) await makeAgain(context, mending.failure);
    try {
      return await pushTurn(context);
    } catch (error) {
      if (!(error instanceof JobFailure) || error.code !== 'push_rejected') throw error;
      await noteRejection(context, error);
    }
  }
}

/** Recorded before the agent is asked, so that an attempt after this one goes on there. @throws the failure that is not for the agent */
async function noteRejection({ lease, redact }: TurnContext, failure: JobFailure): Promise<void> {
  const { rejections = [], mending, reverts, unfinished, commit = '' } = lease.record;
  const tries = (mending?.tries ?? 0) + 1;
  const hasAgent = reverts === undefined && unfinished === undefined;
  if (!(failure instanceof PushRejected) || !hasAgent || tries > maxTries) {
    await lease.note({ rejections });
    throw failure;
  }
  const note = redact(describeRejection(failure.said, lease.waiting));
  const message = redact(failure.message);
  await lease.note({ rejections: [...rejections, note], mending: { commit, tries, failure: message } });
  await lease.say({ type: 'note', data: { message: `${message} The agent is told, and makes it again.` } });
}

/** @throws JobFailure with the refusal, where the agent does not get around it */
async function makeAgain(context: TurnContext, failure: string): Promise<void> {
  const { lease } = context;
  const { base = '', commit } = lease.record;
  const work = await askAgain(context, base, failure);
  await commitWork(context, base, work);
  if (lease.record.commit === commit) throw refusedStill(failure, 'The agent left it as it was.');
}

async function askAgain(context: TurnContext, base: string, failure: string): Promise<Work> {
  try {
    const work = await letAgentWork(context, base);
    const { summary, change, unfinished, bringsTogether } = work;
    if (unfinished) throw new JobFailure('push_rejected', unfinished.message);
    if (change.files.length > 0 || bringsTogether) return work;
    throw refusedStill(failure, `The agent says: ${reasonOf(summary)}`);
  } catch (error) {
    if (!(error instanceof JobFailure) || error.passing) throw error;
    throw error.message.startsWith(failure) ? error : refusedStill(failure, error.message);
  }
}

function refusedStill(failure: string, why: string): JobFailure {
  return new JobFailure('push_rejected', `${failure} ${why}`);
}
