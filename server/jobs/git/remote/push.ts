import { JobFailure } from '../../failure.ts';
import { inSettings } from '../../text/in-settings.ts';
import type { Git, Remote } from '../git.ts';
import { explainGit } from '../git-failure.ts';
import { isAncestor } from '../history.ts';
import type { Mirror } from '../mirror.ts';
import { ensureCommit, listRefs } from './remote.ts';

export interface PushPlan {
  /** Without "refs/heads/". */
  branch: string;
  commit: string;
  /** What the branch must be at now; null: it must not exist. */
  expected: string | null;
}

/** A commit that somebody else put on the branch. */
export interface ForeignCommit {
  hash: string;
  author: string;
  email: string;
  /** The whole message; its trailers tell a turn's own commits from those of people. */
  message: string;
}

export type PushResult =
  /** The branch is at our commit now. */
  | { kind: 'pushed' }
  /** It was there before: at the tip, or below commits that came later. */
  | { kind: 'already'; tip: string }
  /** The branch went on from `expected` without us, newest commit first, at most 20: a person, or another runner. */
  | { kind: 'moved'; tip: string; commits: ForeignCommit[] }
  /** The branch was forced to something that does not hold `expected`. */
  | { kind: 'replaced'; tip: string; commits: ForeignCommit[] }
  | { kind: 'deleted' };

interface Call {
  git: Git;
  mirror: Mirror;
  remote: Remote;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

const pushTimeoutMs = 600_000;

/** Never overwrites what it has not seen. The commit must be in the mirror. */
export async function pushCommit(call: Call, plan: PushPlan): Promise<PushResult> {
  const { git, mirror, remote, signal } = call;
  const ref = `refs/heads/${plan.branch}`;
  const result = await git({
    args: [
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      `--force-with-lease=${ref}:${plan.expected ?? ''}`,
      'origin',
      `${plan.commit}:${ref}`,
    ],
    environment: { GIT_DIR: mirror.gitDir },
    remote,
    timeoutMs: pushTimeoutMs,
    signal,
    accept: [0, 1],
  });
  const line = findRefLine(result.stdout.toString());
  if (line?.flag === '=') return { kind: 'already', tip: plan.commit };
  if (result.code === 0) return { kind: 'pushed' };
  if (line?.flag !== '!') throw explainGit(result.stderr, { url: remote.url, command: 'push' });
  const said = `${line.summary}\n${result.stderr}`;
  if (inTheWay.test(said)) throw blockedBranch(plan.branch, said);
  if (lostRace.test(line.summary)) return await compare(call, plan);
  throw explainRejection(line.summary, result.stderr, plan.branch, remote.url);
}

/** One ref was pushed, so one line tells; https://git-scm.com/docs/git-push#_output */
function findRefLine(stdout: string): { flag: string; summary: string } | undefined {
  const match = /^([ +*=!-])\t[^\t]*\t(.*)$/m.exec(stdout);
  return match ? { flag: match[1] ?? '', summary: match[2] ?? '' } : undefined;
}

/** The server keeps `a` and `a/b` in one place, and one of them is there. */
const inTheWay = /cannot lock ref '.*': '.*' exists|directory\/file conflict|refname conflict/i;

const lostRace =
  /stale info|fetch first|non-fast-forward|already exists|cannot lock ref|failed to update ref|incorrect old value/i;

function blockedBranch(branch: string, said: string): JobFailure {
  return new JobFailure(
    'branch_blocked',
    `The branch ${branch} cannot be made, as git cannot keep it beside a branch whose name is a part of it: delete that branch, or let names of branches begin differently ${inSettings('--branch-prefix')}.`,
    { cause: new Error(said.trim()) },
  );
}

async function compare(call: Call, { branch, commit, expected }: PushPlan): Promise<PushResult> {
  const ref = `refs/heads/${branch}`;
  const { hashes } = await listRefs(call, [ref]);
  const tip = hashes.get(ref);
  if (tip === expected || (tip === undefined && expected === null)) {
    throw new JobFailure('branch_changed', `The branch ${branch} was being changed by somebody else.`);
  }
  if (tip === undefined) return { kind: 'deleted' };
  if (tip === commit) return { kind: 'already', tip };
  await ensureCommit(call, call.mirror, tip, call.maxBytes);
  if (await isAncestor(call, commit, tip)) return { kind: 'already', tip };
  const kind = expected === null || (await isAncestor(call, expected, tip)) ? 'moved' : 'replaced';
  return { kind, tip, commits: await listCommits(call, tip, commit) };
}

/** What is on the branch beyond the base of our commit. */
async function listCommits(
  { git, mirror, signal }: Call,
  tip: string,
  commit: string,
): Promise<ForeignCommit[]> {
  const result = await git({
    args: ['log', '-z', '--max-count=20', '--format=%H%n%an%n%ae%n%B', tip, '--not', `${commit}^@`],
    environment: { GIT_DIR: mirror.gitDir },
    signal,
  });
  const records = result.stdout
    .toString()
    .split('\0')
    .filter((record) => record !== '');
  return records.map((record) => {
    const [hash = '', author = '', email = '', ...message] = record.split('\n');
    return { hash, author, email, message: message.join('\n').trimEnd() };
  });
}

function explainRejection(summary: string, stderr: string, branch: string, url: string): JobFailure {
  const said = `${summary}\n${stderr}`;
  const cause = new Error(said.trim());
  if (/workflows?['"`]? (?:scope|permission)|without [`'"]?workflow/i.test(said)) {
    return new JobFailure(
      'push_rejected',
      `${url} refused the branch, as it holds workflow files that differ from those it knows: give the token the "workflows" permission, or base the job on a branch whose workflows are up to date.`,
      { cause },
    );
  }
  if (/remote failure|failed to report status|unpacker error|internal server error/i.test(summary)) {
    return new JobFailure('network', `The connection to ${url} broke off while the branch was pushed.`, {
      cause,
    });
  }
  return new JobFailure(
    'push_rejected',
    `${url} refused the branch ${branch}: ${reasonOf(summary, stderr)}. Check its branch protection, rules and hooks.`,
    { cause },
  );
}

/** What the server's rules or hooks said, in one line. */
function reasonOf(summary: string, stderr: string): string {
  const lines = [...stderr.matchAll(/^remote:\s*(.*\S)\s*$/gm)].map((match) => match[1] ?? '');
  const told = lines.filter((line) => !/^(?:-+|=+)$/.test(line)).join(' ');
  return (told || summary.replace(/^\[.*?\]\s*/, '')).slice(0, 300).replace(/[.\s]+$/, '');
}
