import type { Credential } from '../credential.ts';
import type { Git, Remote } from './git.ts';
import type { Mirror } from './mirror.ts';
import type { Repository } from './repository.ts';

/** A repository as one project may use it. */
export interface RepositoryAccess {
  repository: Repository;
  credential: Credential | undefined;
  signal?: AbortSignal | undefined;
}

/** An operation of git at such a repository. */
export interface Call {
  git: Git;
  remote: Remote;
  signal: AbortSignal | undefined;
  /** Commits come without those before them. */
  isShallow?: boolean;
}

/** The same at a commit that is there. */
export interface Look extends Call {
  mirror: Mirror;
  scratch: string;
  /** Makes sure that another commit is there, too. */
  ensure(commit: string): Promise<void>;
}
