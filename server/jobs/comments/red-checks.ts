import type { CommentOrigin } from '../../store/jobs/job-comment.ts';
import type { FailedCheck } from '../forge/forge.ts';
import { answerRedChecks } from '../text/answers.ts';
import { excerpt } from '../text/excerpt.ts';
import { refuseSpending } from '../turn/spending.ts';
import { sayRefusal } from './hearing.ts';
import { continueJob, sayOnce, type WatchedPull } from './watched-pull.ts';

/** Of one pull request. */
const maxTries = 2;
const maxChecks = 10;
const maxUtterance = 2_000;

const prompt =
  'The checks of this pull request failed. Find out from what they say what of it this pull request has broken, and mend that. Where the cause lies elsewhere, change nothing and say so.';

/** Has the job mend what failed at the last commit of its pull request: each commit once, and two of them in all. */
export async function hearChecks(watched: WatchedPull): Promise<void> {
  const { services, project, job, forge, pull, signal } = watched;
  // Whatever else is under way may change the commit; one that failed would only fail again, and one was stopped on purpose.
  if (job.status !== 'completed' || job.stopped) return;
  const { jobs } = services.store;
  const known = await jobs.readComments(project.id, job.id);
  const keyOf = (what: string) => `checks:${pull.number}:${what}`;
  const key = keyOf(pull.headCommit);
  const state = known[key];
  // It could not be said when it was found out.
  if (state === 'limited' || state === 'spent') return await sayRefusal(watched, below(watched, key), state);
  if (state !== undefined || known[keyOf('over')] !== undefined) return;
  const checks = await forge.readChecks(pull, signal);
  if (checks.state !== 'failed') return;
  const tries = Object.entries(known).filter(
    ([one, state]) => one.startsWith(keyOf('')) && state === 'heard',
  );
  if (tries.length >= maxTries) return await sayOver(watched, keyOf('over'), checks.failed);
  const origin: CommentOrigin = {
    ...below(watched, key),
    number: pull.number,
    material: checks.failed.slice(0, maxChecks).map(toUtterance),
  };
  const isSpent = (await refuseSpending(services, project, job.model)) !== undefined;
  const outcome = await continueJob(watched, { prompt, origin }, isSpent);
  if (outcome === 'limited' || outcome === 'spent') await sayRefusal(watched, origin, outcome);
}

function below({ pull }: WatchedPull, key: string) {
  return { key, author: null, url: pull.url, thread: null, file: null, line: null };
}

function toUtterance({ name, text, url }: FailedCheck) {
  return { by: excerpt(name, 200), text: excerpt([text, url].filter(Boolean).join('\n'), maxUtterance) };
}

async function sayOver(watched: WatchedPull, key: string, failed: readonly FailedCheck[]): Promise<void> {
  const { job, redact } = watched;
  const origin = below(watched, key);
  const names = failed.map(({ name }) => name);
  const said = answerRedChecks({ jobId: job.id, tries: maxTries, names }, { origin, sanitising: { redact } });
  await sayOnce(watched, origin, said);
}
