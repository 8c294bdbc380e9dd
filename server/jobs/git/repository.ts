import { type Repository, readRepository } from '../../../shared/jobs/repository.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';

export type { Repository } from '../../../shared/jobs/repository.ts';

/**
 * @param protocols what the operator allows (HEADCOUNT_GIT_PROTOCOLS)
 * @throws JobFailure bad_repository or protocol
 */
export function parseRepository(address: string, protocols: readonly string[]): Repository {
  const read = readRepository(address, protocols);
  if (!('fault' in read)) return read;
  switch (read.fault) {
    case 'address':
      throw badRepository(address);
    case 'scheme':
      throw notAllowed(address, protocols);
    case 'user':
      throw new JobFailure(
        'bad_repository',
        `The address of the repository must not hold a user name or token: take it out, and set the token ${inSettings('--forge-token-stdin')}.`,
      );
    default:
      return read.fault satisfies never;
  }
}

function badRepository(address: string): JobFailure {
  return new JobFailure(
    'bad_repository',
    `The repository must be an address such as https://github.com/owner/name, not "${withoutUser(address)}".`,
  );
}

function notAllowed(address: string, protocols: readonly string[]): JobFailure {
  const [scheme] = address.split(':', 1);
  return new JobFailure(
    'protocol',
    `Repositories may be reached by ${protocols.join(', ')} only, and this address uses "${scheme}": use another address, or allow it with HEADCOUNT_GIT_PROTOCOLS.`,
  );
}

/** A token in an address must not come back in the sentence that refuses it. */
function withoutUser(address: string): string {
  return address
    .replace(/\/\/[^/]*@/, '//***@')
    .replace(/^[^/@]*@/, '***@')
    .slice(0, 200);
}
