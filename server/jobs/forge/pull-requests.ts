import type {
  CommentPosition,
  CommentThread,
  EnsuredPullRequest,
  Forge,
  ForgeApi,
  ForgeTalk,
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
/** As many as GitHub tells of. */
const maxMessages = 250;

/** What all code hosts have in common. */
export function createForge(api: ForgeApi): Forge {
  return {
    credential: () => failPlainly(() => api.credential()),
    ensurePullRequest: (plan, signal) => failPlainly(() => ensure(api, plan, signal)),
    findPullRequest: (number, signal) => failPlainly(() => find(api, () => api.read(number, signal), signal)),
    findMerge: (number, signal) => failPlainly(() => find(api, () => api.readMerge(number, signal), signal)),
    findStates: (numbers, signal) => failPlainly(() => findStates(api, numbers, signal)),
    listFiles: (number, signal) => failPlainly(() => api.listFiles(number, signal)),
    listMessages: (number, signal) =>
      failPlainly(async () => (await api.listMessages(number, signal)).slice(0, maxMessages)),
    rewrite: (pull, text, signal) =>
      failPlainly(async () => void (await api.rewrite(pull, fitted(text), signal))),
    label: (number, labels, signal) =>
      failPlainly(async () => void (await api.label(number, labels, signal))),
    readInvolved: (number, signal) => failPlainly(() => api.review.read(number, signal)),
    askForReview: (number, reviewer, signal) =>
      failPlainly(async () => void (await api.review.ask(number, reviewer, signal))),
    findOwners: (change, signal) => failPlainly(() => api.review.findOwners(change, signal)),
    findAuthor: (commit, signal) => failPlainly(() => api.review.findAuthor(commit, signal)),
    say: (number, comment, signal) => failPlainly(() => say(api, number, comment, signal)),
    listPosted: (pull, since, signal) => failPlainly(() => listPosted(api.talk, pull, since, signal)),
    readThread: (pull, comment, signal) => failPlainly(() => readThread(api.talk, pull, comment, signal)),
    mayWrite: (authorId, signal) => failPlainly(() => api.talk.mayWrite(authorId, signal)),
    answer: (pull, position, comment, signal) =>
      failPlainly(() => answer(api.talk, pull, position, comment, signal)),
    identify: (signal) => failPlainly(() => api.readRepository(signal)),
    readChecks: (pull, signal) => failPlainly(() => api.talk.readChecks(pull, signal)),
  };
}

/** Looks, creates, and looks again whenever it is not certain that nothing was created. */
async function ensure(
  api: ForgeApi,
  plan: PullRequestPlan,
  signal: AbortSignal | undefined,
): Promise<EnsuredPullRequest> {
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

/** Looks first: an attempt that died may have said it. */
async function say(
  api: ForgeApi,
  number: number,
  { text, signature, since }: PullComment,
  signal: AbortSignal | undefined,
): Promise<void> {
  const said = await api.listComments(number, since - clockSlackMs, signal);
  if (!said.some((comment) => comment.includes(signature)))
    await api.comment(number, shorten(text, maxBody), signal);
}

/** From as few pages as hold them: numbers rise with time. Those that are further back are read one by one. */
async function findStates(
  api: ForgeApi,
  numbers: readonly number[],
  signal: AbortSignal | undefined,
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
    const pull = await find(api, () => api.read(number, signal), signal);
    if (pull) found.set(number, pull);
  }
  return found;
}

/** In the thread, and nowhere else than looked for. */
async function answer(
  talk: ForgeTalk,
  pull: PullRequest,
  position: CommentPosition,
  { text, signature, since }: PullComment,
  signal: AbortSignal | undefined,
): Promise<void> {
  const said = await talk.list(pull, since - clockSlackMs, signal);
  if (!said.some((comment) => comment.text.includes(signature)))
    await talk.answer(pull, position, shorten(text, maxBody), signal);
}

async function listPosted(
  talk: ForgeTalk,
  pull: PullRequest,
  since: number,
  signal: AbortSignal | undefined,
): Promise<PostedComment[]> {
  const found = await talk.list(pull, since, signal);
  return found.toSorted((a, b) => a.createdAt - b.createdAt);
}

/** How far back what stands below a pull request is one conversation. */
const conversationMs = 7 * 24 * 60 * 60 * 1000;

async function readThread(
  talk: ForgeTalk,
  pull: PullRequest,
  comment: PostedComment,
  signal: AbortSignal | undefined,
): Promise<CommentThread> {
  const { id, comments } = await talk.readThread(pull, comment, signal);
  const isBelow = comments.length === 0 && comment.position.file === null;
  const all = isBelow
    ? (await listPosted(talk, pull, comment.createdAt - conversationMs, signal)).filter(
        ({ position }) => position.file === null,
      )
    : comments.toSorted((a, b) => a.createdAt - b.createdAt);
  return { id, comments: all.filter(({ createdAt }) => createdAt <= comment.createdAt) };
}

/** A repository that can still be seen has lost the pull request; otherwise the token has lost the repository. */
async function find<Found>(
  api: ForgeApi,
  read: () => Promise<Found>,
  signal: AbortSignal | undefined,
): Promise<Found | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
    await api.readRepository(signal);
    return undefined;
  }
}

async function findExisting(
  api: ForgeApi,
  plan: PullRequestPlan,
  signal: AbortSignal | undefined,
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
