import type { FailureNote } from '../../store/jobs/job.ts';
import type { CommentOrigin } from '../../store/jobs/job-comment.ts';
import { describeTurn, type FinishedTurn, signatureOf } from './description.ts';
import { sanitiseMarkdown } from './markdown.ts';
import type { Sanitising } from './sanitising.ts';

/** What is said where a job was spoken to, and by what part of it an earlier attempt's is found. */
export interface AnswerText {
  text: string;
  signature: string;
}

type Named = Pick<FinishedTurn, 'jobId' | 'turn'>;

const maxLength = 8_000;
const maxQuote = 200;

/** The last line of all comments about a job; those of the first release begin with "Told". */
const ownLine =
  /^(?:Message \d+|Comment \S+) of job `job_[A-Za-z0-9]{20,}`, .*$|^(?:Sent|Told) by Headcount, \d+ days after the merge\.$/;

/** Whether a comment is by a job itself, with any token. */
export function isOurs(text: string): boolean {
  return ownLine.test(text.trimEnd().split('\n').at(-1)?.trim() ?? '');
}

/** @param elsewhere address of the pull request that the change is in, where it is another one */
export function answerChange(
  finished: FinishedTurn,
  commit: string,
  { origin, elsewhere }: { origin: CommentOrigin; elsewhere: string | undefined },
): AnswerText {
  const place = elsewhere === undefined ? [] : [`The change is in ${elsewhere}.`];
  return {
    text: [...addressed(origin, finished.sanitising), ...place, describeTurn(finished, commit)].join('\n\n'),
    signature: `${signatureOf(finished)} in `,
  };
}

/** @param summary the agent's own words, which say why */
export function answerNoChange(
  named: Named,
  summary: string,
  { origin, sanitising }: { origin: CommentOrigin; sanitising: Sanitising },
): AnswerText {
  const reason = sanitiseMarkdown(summary.trim(), sanitising, maxLength);
  return sign(
    origin,
    sanitising,
    ['**Nothing was changed.**', reason],
    `${signatureOf(named)} without a change.`,
  );
}

/** Reasons that lie in the work itself; others concern the installation, which not every reader shall know. */
const openCodes: ReadonlySet<string> = new Set([
  ...['steps', 'tokens', 'time', 'context', 'conflict', 'forbidden_change', 'too_large'],
  ...['files', 'bytes', 'stuck', 'open_pull_requests', 'not_merged'],
]);

export function answerFailure(
  named: Named,
  failure: FailureNote,
  { origin, sanitising }: { origin: CommentOrigin; sanitising: Sanitising },
): AnswerText {
  const reason = openCodes.has(failure.code)
    ? sanitiseMarkdown(failure.message, sanitising, maxLength)
    : 'The reason stands in the transcript of the job, for those who may see it.';
  const parts = [`**This could not be done** (${failure.code}).`, reason];
  return sign(origin, sanitising, parts, `${signatureOf(named)} which failed.`);
}

const refusals = {
  limited: 'The project has had its 100 messages of this hour: ask again later, in a new comment.',
  spent:
    'What jobs of this project may cost is spent, or cannot be known: the operator of Headcount can see and change that in the settings of the project. Ask again then, in a new comment.',
} as const;

export function answerRefusal(
  { jobId, reason }: { jobId: string; reason: keyof typeof refusals },
  {
    origin,
    sanitising,
  }: { origin: Pick<CommentOrigin, 'key' | 'thread' | 'author' | 'url'>; sanitising: Sanitising },
): AnswerText {
  const parts = ['**This was not taken up.**', refusals[reason]];
  return sign(
    origin,
    sanitising,
    parts,
    `Comment ${origin.key} of job \`${jobId}\`, which was not taken up.`,
  );
}

/** After the last try. */
export function answerRedChecks(
  { jobId, tries, names }: { jobId: string; tries: number; names: readonly string[] },
  {
    origin,
    sanitising,
  }: { origin: Pick<CommentOrigin, 'key' | 'thread' | 'author' | 'url'>; sanitising: Sanitising },
): AnswerText {
  const listed = names.map(
    (name) => `- ${sanitiseMarkdown(name, sanitising, maxQuote).replace(/\s+/g, ' ')}`,
  );
  const parts = [
    `**Checks of this pull request still fail** after ${tries} tries to mend it. It is left to a person now.`,
    listed.slice(0, 20).join('\n'),
  ];
  return sign(origin, sanitising, parts, `Comment ${origin.key} of job \`${jobId}\`, which tries no more.`);
}

function sign(
  origin: Pick<CommentOrigin, 'thread' | 'author' | 'url'>,
  sanitising: Sanitising,
  parts: readonly string[],
  signature: string,
): AnswerText {
  const said = [...addressed(origin, sanitising), ...parts].filter((part) => part !== '');
  return { text: `${said.join('\n\n')}\n\n---\n${signature}`, signature };
}

/** Below the pull request, where many talk, it is said whom this answers. */
function addressed(
  { thread, author, url }: Pick<CommentOrigin, 'thread' | 'author' | 'url'>,
  { redact }: Sanitising,
): string[] {
  if (thread !== null) return [];
  const link = redact(url).replace(/[\s<>()[\]`]/g, encodeURIComponent);
  const what = author === null ? 'the failed checks' : 'a comment';
  return [/^https?:\/\//.test(link) ? `> In answer to [${what}](${link})` : `> In answer to ${what}`];
}
