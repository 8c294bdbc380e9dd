import { stripVTControlCharacters } from 'node:util';
import { JobFailure, PushRejected } from '../../failure.ts';
import { excerpt } from '../../text/excerpt.ts';
import { inSettings } from '../../text/in-settings.ts';
import { visible } from '../../text/sanitising.ts';
import type { Git, Remote } from '../git.ts';
import { explainGit, GitOutput } from '../git-failure.ts';
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
  /** The whole message; its trailers mark a turn's own commits, so that those of people can be recognised. */
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
  if (line?.flag !== '!') throw explainBreak(result.stderr, remote.url);
  const said = `${line.summary}\n${result.stderr}`;
  if (inTheWay.test(said)) throw blockedBranch(plan.branch, said);
  if (lostRace.test(line.summary)) return await compare(call, plan);
  throw explainRejection(line.summary, result.stderr, plan.branch, remote.url);
}

/** What stands before a server takes no request above its limit, which often is 1 MB. */
function explainBreak(stderr: string, url: string): JobFailure {
  if (!/(?:error:|HTTP) 413\b/.test(stderr)) return explainGit(stderr, { url, command: 'push' });
  const said = `${url} takes no push of this size (413)`;
  return new PushRejected(
    `${said}: raise the limit there, such as client_max_body_size of nginx, or ask for a smaller change.`,
    `${said}. Make the change smaller.`,
    { cause: new GitOutput(stderr.trim()) },
  );
}

/** One ref was pushed, so there is one line about it; https://git-scm.com/docs/git-push#_output */
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
    { cause: new GitOutput(said.trim()) },
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

/** Rules that a commit of the agent cannot satisfy, whatever it says: what a person has to do. */
const forPeople: readonly (readonly [RegExp, (url: string) => string])[] = [
  [
    /workflows?['"`]? (?:scope|permission)|without [`'"]?workflow/i,
    () =>
      'it holds workflow files that differ from those it knows. Give the token the "workflows" permission, or base the job on a branch whose workflows are up to date.',
  ],
  [
    /(?:verified|valid|missing) signature|must (?:be|have been) (?:cryptographically )?signed(?! off)|unsigned commit|not (?:gpg )?signed(?! off)|commits? (?:is|are) not (?:verified|signed(?! off))|gpg key|signed with/i,
    () =>
      `it wants signed commits. Set an SSH or GPG key ${inSettings('--signing-key-stdin')}, and add its public half as a signing key to the account of the commit author at the code host, with the address of "--commit-author" verified there.`,
  ],
  [
    /\bDCO\b|sign(?:ed)?[ -]?off|developer certificate/i,
    () =>
      `it wants commits with a sign-off (DCO). Have them signed off ${inSettings('--sign-off')}, if the author of commits may do so.`,
  ],
];

/** The same, where it does not speak of the message, which may hold any of these words. */
const forPeopleElse: typeof forPeople = [
  [
    /(?:author|committer)(?:'s)?(?: name| e-?mail| identity)?\b.{0,200}?(?:does not follow|does not match|must match|is not a member|not (?:allowed|verified|registered|known))|(?:author|committer) (?:name|e-?mail).{0,40}(?:pattern|must)|one of your own verified emails|push commits for|GH007|private email|committer .{0,100}not .{0,30}GitLab user|invalid committer/i,
    () =>
      `it does not take the author of the commit. Set one that it knows ${inSettings('--commit-author')}.`,
  ],
  [
    /branch name (?:does not|must|doesn't|is not)|ref(?:erence)? name|cannot create ref|creations being restricted|restricted from creating|not allowed to create (?:a )?branch/i,
    () =>
      `it does not take a branch of this name. Let names of branches begin as its rules want ${inSettings('--branch-prefix')}, or allow them there.`,
  ],
];

/** What only people can change, or the rules of the branch. */
const needsPeople =
  /changes must be made through a pull request|approving review|required status check|code owner review|protected branch (?:update failed|hook declined)|not allowed to (?:push|force)|merge queue|read[- ]only (?:mode|repository|mirror)|repository (?:is|was|has been) (?:archived|locked|disabled)|maintenance mode|quota (?:is )?exceeded|cannot force-push|currently checked out|denying (?:ref|non-fast)/i;

function explainRejection(summary: string, stderr: string, branch: string, url: string): JobFailure {
  const said = `${summary}\n${stderr}`;
  const cause = new GitOutput(said.trim());
  if (/remote failure|failed to report status|unpacker error|internal server error/i.test(summary)) {
    return new JobFailure('network', `The connection to ${url} broke off while the branch was pushed.`, {
      cause,
    });
  }
  const lines = linesOf(stderr);
  const words = lines.join(' ');
  const refusal = `${url} refused the branch ${branch}`;
  const isOfMessage = /\b(?:message|subject|title|header)\b/i.test(words);
  for (const [pattern, remedy] of [...forPeople, ...(isOfMessage ? [] : forPeopleElse)]) {
    if (!pattern.test(`${summary} ${words}`)) continue;
    return new JobFailure('push_rejected', `${refusal}, as ${remedy(url)}${quoted(words)}`, { cause });
  }
  const reason = inOneLine(words || summary.replace(/^\[.*?\]\s*/, ''));
  const message = `${refusal}: ${reason}. Check its branch protection, rules and hooks.`;
  // A rule without a word says nothing that a commit could be mended by.
  if (lines.length === 0 || needsPeople.test(`${summary} ${words}`)) {
    return new JobFailure('push_rejected', message, { cause });
  }
  return new PushRejected(message, excerpt(lines.join('\n'), maxSaidLength), { cause });
}

const maxSaidLength = 4_000;

/** What the server's rules or hooks said. */
function linesOf(stderr: string): string[] {
  const lines = [...stderr.matchAll(/^remote:[ \t]*(.*)$/gm)].map((match) =>
    visible(stripVTControlCharacters(match[1] ?? '')).trim(),
  );
  return lines.filter((line) => !/^(?:[-=*—\s]*)$/.test(line));
}

function quoted(words: string): string {
  return words === '' ? '' : ` It said: ${inOneLine(words)}.`;
}

function inOneLine(words: string): string {
  return words
    .slice(0, 300)
    .toWellFormed()
    .replace(/[.\s]+$/, '');
}
