import type { Signal } from './call.ts';
import type {
  CommentPosition,
  CommentThread,
  EnsuredPullRequest,
  Forge,
  ForgeApi,
  Merge,
  PostedComment,
  PullComment,
  PullRequest,
  PullRequestPlan,
  PullState,
} from './forge.ts';
import { ForgeRefusal, failPlainly } from './refusal.ts';

/** Longest texts that all code hosts take. */
const maxTitle = 250;
const maxBody = 60_000;
/** Of lists of pull requests, of which code hosts send 30 to 50 at a time. */
const maxNewestPages = 20;
/** As many as GitHub lists. */
const maxMessages = 250;

/** What all code hosts have in common. */
export function createForge(api: ForgeApi): Forge {
  return failingPlainly({
    credential: () => api.credential(),
    identify: (signal) => api.identify(signal),
    ensurePullRequest: (plan, signal) => ensure(api, plan, signal),
    findPullRequest: (number, signal) => find(api, number, signal),
    readMerge: (pull, signal) => readMerge(api, pull, signal),
    findStates: (numbers, signal) => findStates(api, numbers, signal),
    listFiles: (number, signal) => api.listFiles(number, signal),
    listMessages: async (number, signal) => (await api.listMessages(number, signal)).slice(0, maxMessages),
    rewrite: (pull, text, signal) => api.rewrite(pull, fitted(text), signal),
    label: (number, labels, signal) => api.label(number, labels, signal),
    listComments: (pull, since, signal) => listComments(api, pull, since, signal),
    readThread: (pull, comment, signal) => readThread(api, pull, comment, signal),
    comment: (pull, position, comment, signal) => commentOnce(api, { pull, position, comment }, signal),
    mayWrite: (authorId, signal) => api.mayWrite(authorId, signal),
    readChecks: (pull, signal) => api.readChecks(pull, signal),
    readInvolved: (number, signal) => api.readInvolved(number, signal),
    askForReview: (number, reviewer, signal) => api.askForReview(number, reviewer, signal),
    findOwners: (change, signal) => api.findOwners(change, signal),
    findAuthor: (commit, signal) => api.findAuthor(commit, signal),
  });
}

function failingPlainly(forge: Forge): Forge {
  const methods = Object.entries(forge).map(([name, method]) => [
    name,
    (...args: unknown[]) => failPlainly(() => method(...args)),
  ]);
  return Object.fromEntries(methods);
}

/** Looks, creates, and looks again whenever it is not certain that nothing was created. */
async function ensure(api: ForgeApi, plan: PullRequestPlan, signal: Signal): Promise<EnsuredPullRequest> {
  const found = await findExisting(api, plan, signal);
  if (found) return { kind: 'found', pullRequest: found };
  try {
    return { kind: 'created', pullRequest: await api.create(fitted(plan), signal) };
  } catch (error) {
    if (!(error instanceof ForgeRefusal)) throw error;
    if (error.meaning === 'no_draft' && plan.draft) {
      return await ensure(api, { ...plan, draft: false }, signal);
    }
    if (!error.mayHaveCreated) throw error;
    const created = await findExisting(api, plan, signal);
    if (created) return { kind: 'found', pullRequest: created };
    if (error.meaning === 'nothing') return { kind: 'nothing' };
    throw error;
  }
}

/** The clocks of code hosts may differ from ours. */
const clockSlackMs = 60 * 60 * 1000;

/** From as few pages as hold them: numbers rise with time. Those that are further back are read one by one. */
async function findStates(
  api: ForgeApi,
  numbers: readonly number[],
  signal: Signal,
): Promise<Map<number, PullState>> {
  const wanted = new Set(numbers);
  const lowest = Math.min(...numbers);
  const found = new Map<number, PullState>();
  for (let page = 1; wanted.size > 1 && page <= maxNewestPages; page++) {
    const pulls = await api.listNewest(page, signal);
    for (const pull of pulls) if (wanted.delete(pull.number)) found.set(pull.number, pull);
    // What is not there by now was deleted.
    if (pulls.length === 0 || pulls.some(({ number }) => number <= lowest)) return found;
  }
  for (const number of wanted) {
    const pull = await find(api, number, signal);
    if (pull) found.set(number, pull);
  }
  return found;
}

/** In the thread, unless an attempt that died has written it. */
async function commentOnce(
  api: ForgeApi,
  { pull, position, comment }: { pull: PullRequest; position: CommentPosition; comment: PullComment },
  signal: Signal,
): Promise<void> {
  const { text, signature, since } = comment;
  const posted = await api.listComments(pull, since - clockSlackMs, signal);
  if (posted.some((one) => one.text.includes(signature))) return;
  await api.comment(pull, position, shorten(text, maxBody), signal);
}

async function listComments(
  api: ForgeApi,
  pull: PullRequest,
  since: number,
  signal: Signal,
): Promise<PostedComment[]> {
  const found = await api.listComments(pull, since, signal);
  return found.toSorted((a, b) => a.createdAt - b.createdAt);
}

/** How far back what stands below a pull request is one conversation. */
const conversationMs = 7 * 24 * 60 * 60 * 1000;

async function readThread(
  api: ForgeApi,
  pull: PullRequest,
  comment: PostedComment,
  signal: Signal,
): Promise<CommentThread> {
  const { id, comments } = await api.readThread(pull, comment, signal);
  const isBelow = comments.length === 0 && comment.position.file === null;
  const all = isBelow
    ? (await listComments(api, pull, comment.createdAt - conversationMs, signal)).filter(
        ({ position }) => position.file === null,
      )
    : comments.toSorted((a, b) => a.createdAt - b.createdAt);
  return { id, comments: all.filter(({ createdAt }) => createdAt <= comment.createdAt) };
}

async function readMerge(api: ForgeApi, pull: PullRequest, signal: Signal): Promise<Merge> {
  const { number, state, title } = pull;
  if (state !== 'merged') return { state, title, mergedAt: null, commit: null, files: [] };
  const { at = null, commit = null } = (await api.readMerged?.(pull, signal)) ?? pull.merged ?? {};
  return { state, title, mergedAt: at, commit, files: await api.listFiles(number, signal) };
}

/** A repository that can still be seen has lost the pull request; otherwise the token has lost the repository. */
async function find(api: ForgeApi, number: number, signal: Signal): Promise<PullRequest | undefined> {
  try {
    return await api.read(number, signal);
  } catch (error) {
    if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
    await api.identify(signal);
    return undefined;
  }
}

async function findExisting(
  api: ForgeApi,
  plan: PullRequestPlan,
  signal: Signal,
): Promise<PullRequest | undefined> {
  const all = (await api.list(plan.head, signal)).filter(({ head }) => head === plan.head);
  return (
    all.find(({ state }) => state === 'open') ?? all.find(({ headCommit }) => headCommit === plan.commit)
  );
}

function fitted<Text extends { title: string; body: string }>(text: Text): Text {
  return { ...text, title: shorten(text.title, maxTitle), body: shorten(text.body, maxBody) };
}

function shorten(text: string, max: number): string {
  // A letter has one or two UTF-16 units, and none may be cut in half.
  const letters = Array.from(text.slice(0, max * 2 + 2));
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : text;
}
