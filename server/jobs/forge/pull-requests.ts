import type {
  Comment,
  EnsuredPullRequest,
  Forge,
  ForgeApi,
  Proposal,
  PullRequest,
  PullRequestPlan,
} from './forge.ts';
import { ForgeRefusal, failPlainly } from './refusal.ts';

/** Longest texts that all code hosts take. */
const maxTitle = 250;
const maxBody = 60_000;

/** What all code hosts have in common. */
export function createForge(api: ForgeApi): Forge {
  return {
    credential: () => failPlainly(() => api.credential()),
    ensurePullRequest: (plan, signal) => failPlainly(() => ensure(api, plan, signal)),
    findPullRequest: (number, signal) => failPlainly(() => find(api, () => api.read(number, signal), signal)),
    findMerge: (number, signal) => failPlainly(() => find(api, () => api.readMerge(number, signal), signal)),
    findProposal: (number, signal) =>
      failPlainly(() => find(api, () => readProposal(api, number, signal), signal)),
    rewrite: (number, body, signal) =>
      failPlainly(async () => void (await api.rewrite(number, shorten(body, maxBody), signal))),
    label: (number, labels, signal) =>
      failPlainly(async () => void (await api.label(number, labels, signal))),
    say: (number, comment, signal) => failPlainly(() => say(api, number, comment, signal)),
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

/** Looks first: an attempt that died may have said it. */
async function say(
  api: ForgeApi,
  number: number,
  { text, signature, since }: Comment,
  signal: AbortSignal | undefined,
): Promise<void> {
  const said = await api.listComments(number, since, signal);
  if (!said.some((comment) => comment.includes(signature)))
    await api.comment(number, shorten(text, maxBody), signal);
}

async function readProposal(
  api: ForgeApi,
  number: number,
  signal: AbortSignal | undefined,
): Promise<Proposal> {
  const { state, title, files } = await api.readMerge(number, signal);
  return { state, title, files: state === 'merged' ? files : await api.listFiles(number, signal) };
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

function fitted(plan: PullRequestPlan): PullRequestPlan {
  return { ...plan, title: shorten(plan.title, maxTitle), body: shorten(plan.body, maxBody) };
}

function shorten(text: string, max: number): string {
  // A letter has one or two UTF-16 units, and none may be cut in half.
  const letters = Array.from(text.slice(0, max * 2 + 2));
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : text;
}
