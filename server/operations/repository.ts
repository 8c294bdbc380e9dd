import { ApiError, overloaded } from '../errors.ts';
import { JobFailure } from '../jobs/failure.ts';
import type { SiteFiles } from '../jobs/site/site.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Deps } from './operation.ts';

/** For git, to bring the files of a repository. */
const repositoryMs = 60_000;
/** Projects whose repositories are read just now: git works for each. */
const beingRead = new Set<string>();
const maxAtOnce = 4;

/** Reads files of the project's repository. @throws ApiError */
export async function fromRepositoryOf<T>(
  deps: Deps,
  { id, settings, secrets }: ListedProject,
  read: (files: SiteFiles, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { repository } = settings;
  if (repository === null)
    throw new ApiError('invalid', 'The project has no repository: set it in the settings.');
  if (beingRead.has(id) || beingRead.size >= maxAtOnce)
    throw overloaded('The repository is being read already, or others are: try again in a moment.', 5);
  beingRead.add(id);
  try {
    // The code for repositories is loaded only when it is needed.
    const { readRepository } = await import('../jobs/turn/repository-files.ts');
    // What is public can be read without a token, which pull requests need.
    const hasToken = secrets.some((name) => name === 'forgeToken' || name === 'githubAppKey');
    const project = { id, settings: hasToken ? settings : { ...settings, forge: 'none' as const } };
    const signal = AbortSignal.timeout(repositoryMs);
    return await readRepository(deps, project, { repository, signal }, read);
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    throw error.passing
      ? overloaded(error.message, 60)
      : new ApiError('invalid', error.message, { cause: error });
  } finally {
    beingRead.delete(id);
  }
}
