import type { FailureNote } from '../../store/jobs/job.ts';
import type { FailureCode, JobFailure } from '../failure.ts';
import type { TurnLease } from './lease.ts';

/** Those that no second try of the same commit can help: the agent has to do it again. */
const finalCodes: ReadonlySet<FailureCode> = new Set(['conflict', 'forbidden_change', 'too_large']);

/** Ends a turn that nobody tries again by itself. What it committed waits for the job's next message. */
export async function failTurn(lease: TurnLease, { code, message }: JobFailure): Promise<void> {
  if (!lease.isDelivering || finalCodes.has(code)) return await endWithNothing(lease, { code, message });
  const kept = 'The change is kept: it is delivered when you send the job a message.';
  await settleFailed(lease, { code, message: `${message} ${kept}` }, { resumes: true });
}

/** A turn that waits for what an earlier one could not deliver would work on files that lack it. */
export async function leaveForLater(lease: TurnLease, { code, message }: FailureNote): Promise<void> {
  const why =
    'This was not begun, as an earlier change of the job could not be delivered, and it comes after that.';
  await settleFailed(lease, { code, message: `${why} ${message}` }, { resumes: true });
}

/** The agent was stopped at a budget, and what it had done was delivered. */
export async function endUnfinished(lease: TurnLease, failure: FailureNote, where: string): Promise<void> {
  const message = `${failure.message} What it had done by then is kept. ${where} To go on from there, send the job a message.`;
  const note = `the turn was ended here by a limit (${failure.code}), and what was changed by then was committed.`;
  const messages = [await noteOf(note)];
  await settleFailed(lease, { code: failure.code, message }, { messages });
}

/** The next prompt says that the edits in the conversation are not there. */
async function endWithNothing(lease: TurnLease, failure: FailureNote): Promise<void> {
  const note = `the turn failed (${failure.code}), and none of its changes were kept.`;
  const asked = (await lease.recall()).length > 0 ? [] : [await promptOf(lease)];
  await settleFailed(lease, failure, { messages: [...asked, await noteOf(note)] });
}

async function settleFailed(
  lease: TurnLease,
  failure: FailureNote,
  options: { resumes?: boolean; messages?: readonly unknown[] },
): Promise<void> {
  const prLink = lease.record.pullRequest?.url;
  const data = { reason: failure.code, message: failure.message };
  await lease.settle({ status: 'failed', prLink, failure, ...options }, { type: 'failed', data });
}

// The AI SDK, to which the form of messages belongs, is loaded when it is needed first.
async function noteOf(text: string): Promise<unknown> {
  return (await import('../agent/message.ts')).noteMessage(text);
}

async function promptOf(lease: TurnLease): Promise<unknown> {
  return (await import('../agent/message.ts')).userMessage(lease.turn.prompt);
}
