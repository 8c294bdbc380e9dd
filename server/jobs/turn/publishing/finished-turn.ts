import { titleFormatOf } from '../../../pattern/title-format.ts';
import type { Chapter } from '../../../store/jobs/job.ts';
import type { FinishedTurn } from '../../text/description.ts';
import type { TurnContext } from '../turn-context.ts';

/** Of one branch; the first one and the newest ones are shown. */
const maxChapters = 20;
const maxKeptLength = 4_000;

/** Whom a text is by, what it brings in, and how it is cleaned. */
export function signedBy({
  lease: { job, turn, record },
  project,
  target,
  redact,
}: TurnContext): Pick<
  FinishedTurn,
  'agent' | 'jobId' | 'turn' | 'merges' | 'isRevert' | 'titleFormat' | 'sanitising'
> {
  const { closeIssues: mayClose, commitFormat } = project.settings;
  const sanitising = { redact, mayClose, owner: target.repository.slug.split('/')[0] };
  const titleFormat = titleFormatOf(commitFormat);
  const merges = record.merged ? record.baseBranch : undefined;
  const isRevert = record.reverts !== undefined;
  return { agent: job.model, jobId: job.id, turn: turn.number, merges, isRevert, titleFormat, sanitising };
}

/** Those of the branch that the turn goes on with, and its own. */
export function chaptersOf({ lease }: TurnContext, own: Chapter): Chapter[] {
  const { chapters = [], commit } = lease.record;
  // One that is made again stands in its own place.
  const all = [...(commit === undefined ? chapters : chapters.slice(0, -1)), own];
  const shown = all.length > maxChapters ? [...all.slice(0, 1), ...all.slice(1 - maxChapters)] : all;
  // In full they are in the conversation.
  return [...shown.slice(0, -1).map(shorten), own];
}

function shorten({ prompt, summary, ...rest }: Chapter): Chapter {
  return { ...rest, prompt: prompt.slice(0, maxKeptLength), summary: summary.slice(0, maxKeptLength) };
}
