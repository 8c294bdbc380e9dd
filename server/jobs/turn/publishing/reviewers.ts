import { JobFailure } from '../../failure.ts';
import type { Forge, Reviewer } from '../../forge/forge.ts';
import { listWriters } from '../../git/history.ts';
import type { TurnContext } from '../turn-context.ts';
import { findReviewed } from '../working/background.ts';
import { readFirstText } from '../working/reviewed-text.ts';
import { listBranchFiles, noteFailure } from './pull-request.ts';

/** Of one pull request, those whom the code host asks by itself included. */
const maxReviewers = 2;
/** Each costs a request or two. */
const maxTried = 6;
const maxOwnersBytes = 1_000_000;
/** Of what is changed, as many files as tell who writes there. */
const maxPaths = 50;

/** Asks those who know the changed pages best for a review, as the project wants it. */
export async function askForReviews(context: TurnContext, number: number, tip: string): Promise<void> {
  const { project, target, lease } = context;
  if (project.settings.reviewers === 'off' || !target.forge) return;
  try {
    const base = await findReviewed(context);
    if (base === undefined) return;
    const paths = (await listBranchFiles(context, tip)).map(({ path }) => path);
    await askBest(context, target.forge, { number, base, paths });
  } catch (error) {
    await noteFailure(context, 'be given to reviewers', error);
  }
  lease.signal.throwIfAborted();
}

interface Opened {
  number: number;
  /** The commit whose rules and history count. */
  base: string;
  paths: readonly string[];
}

async function askBest(context: TurnContext, forge: Forge, opened: Opened): Promise<void> {
  const { project, lease } = context;
  const { reviewers, areNamed } = await findOwners(context, forge, opened);
  const mayBeAuthors = project.settings.reviewers === 'authors' && !areNamed;
  if (reviewers.length === 0 && !mayBeAuthors) return;
  const { author, asked } = await forge.readInvolved(opened.number, lease.signal);
  // Where the code host has asked somebody by rules of its own, nobody has to be looked for.
  const candidates = mayBeAuthors && asked.length === 0 ? listAuthors(context, forge, opened) : reviewers;
  const involved = new Set([...asked, author ?? ''].map(lower));
  const done: string[] = [];
  let tried = 0;
  for await (const candidate of candidates) {
    if (asked.length + done.length >= maxReviewers || tried === maxTried) break;
    if (involved.has(lower(candidate.id))) continue;
    involved.add(lower(candidate.id));
    tried++;
    if (await ask(context, forge, opened.number, candidate)) done.push(candidate.name);
  }
  if (done.length === 0) return;
  await lease.say({ type: 'note', data: { message: `Asked ${done.join(' and ')} for a review.` } });
}

const lower = (id: string) => id.toLowerCase();

async function findOwners({ gitClient, target, lease }: TurnContext, forge: Forge, { base, paths }: Opened) {
  const access = await target.access();
  const readFirst = (files: readonly string[]) =>
    gitClient.look(access, base, (call) => readFirstText(call, base, files, maxOwnersBytes));
  return await forge.findOwners({ paths, readFirst }, lease.signal);
}

/** Who wrote last what is changed, the newest first. */
async function* listAuthors(
  { gitClient, target, lease }: TurnContext,
  forge: Forge,
  { base, paths }: Opened,
): AsyncGenerator<Reviewer> {
  const looked = paths.slice(0, maxPaths);
  const commits = await gitClient.look(await target.access(), base, (call) =>
    listWriters(call, base, looked),
  );
  for (const commit of commits.slice(0, maxTried)) {
    const author = await forge.findAuthor(commit, lease.signal);
    if (author) yield author;
  }
}

/** A refusal costs a sentence in the transcript. */
async function ask(context: TurnContext, forge: Forge, number: number, reviewer: Reviewer): Promise<boolean> {
  try {
    await forge.askForReview(number, reviewer, context.lease.signal);
    return true;
  } catch (error) {
    if (error instanceof JobFailure && error.passing) throw error;
    await noteFailure(context, `be given to ${reviewer.name} for a review`, error);
    return false;
  }
}
