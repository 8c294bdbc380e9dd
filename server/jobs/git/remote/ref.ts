import { type Ref, readBranch, readRef } from '../../../../shared/jobs/git-ref.ts';
import { JobFailure } from '../../failure.ts';
import { inSettings } from '../../text/in-settings.ts';
import type { RemoteRefs } from './remote.ts';

/** The base of a project. @throws JobFailure bad_ref */
export function parseRef(text: string): Ref {
  const ref = readRef(text);
  if ('fault' in ref) throw badRef(text, 'base', ref.fault);
  return ref;
}

/** The branch of a job: the project's prefix and a name of ours. @throws JobFailure bad_ref */
export function parseBranch(prefix: string, name: string): string {
  const read = readBranch(prefix, name);
  if ('fault' in read) throw badRef(`${prefix}${name}`, 'branch', read.fault);
  return read.branch;
}

/** Branches whose existence forbids this one, as git keeps `a` and `a/b` in one place. */
export function blockersOf(branch: string): string[] {
  const parts = branch.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

function badRef(name: string, what: string, wrong: string): JobFailure {
  return new JobFailure(
    'bad_ref',
    `The ${what} ${JSON.stringify(name.slice(0, 100))} cannot be used: ${wrong}.`,
  );
}

/** What a job begins with, and the branch that its pull request goes to. @throws JobFailure missing_base, empty_repository */
export function findBase(
  base: ReturnType<typeof parseRef>,
  { hashes, head }: RemoteRefs,
  url: string,
): { commit: string; baseBranch: string } {
  const defaultBranch = head?.replace(/^refs\/heads\//, '');
  if (base.kind === 'commit' && defaultBranch) return { commit: base.hash, baseBranch: defaultBranch };
  const name = 'name' in base ? base.name : (defaultBranch ?? '');
  const branch =
    base.kind === 'tag' ? undefined : hashes.get(base.kind === 'default' ? 'HEAD' : `refs/heads/${name}`);
  if (branch) return { commit: branch, baseBranch: name };
  const tag = hashes.get(`refs/tags/${name}^{}`) ?? hashes.get(`refs/tags/${name}`);
  if (tag && base.kind !== 'branch' && defaultBranch) return { commit: tag, baseBranch: defaultBranch };
  const needsHead = base.kind === 'commit' || base.kind === 'default';
  if (hashes.size === 0 || (needsHead && !defaultBranch)) throw missingHead(url);
  throw new JobFailure(
    'missing_base',
    `${url} has no branch or tag "${name}": set what jobs begin at ${inSettings('--ref')}.`,
  );
}

function missingHead(url: string): JobFailure {
  return new JobFailure(
    'empty_repository',
    `${url} has no commits, or no default branch: push a first commit, as a job needs something to start from.`,
  );
}
