import { type Ref, readBranch, readRef } from '../../../shared/git-ref.ts';
import { JobFailure } from '../failure.ts';

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
