import { JobFailure } from './failure.ts';

/** Where a project's code lives. */
export interface Repository {
  /** Without user name, password, query or fragment. */
  url: string;
  /** Scheme, host and port: the only place that the token may be sent to. */
  origin: string;
  host: string;
  /** The path on the code host without ".git", such as `owner/name` or `group/subgroup/name`. */
  slug: string;
}

const known = ['https', 'http', 'file'];
const wellFormed = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;
/** Encoded dots, slashes and NULs: git and a code host may read them in different ways. */
const misleading = /\p{Cc}|%(?![0-9a-f]{2})|%2e|%2f|%5c|%00/iu;

/**
 * @param protocols what the operator allows (HEADCOUNT_GIT_PROTOCOLS)
 * @throws JobFailure bad_repository or protocol
 */
export function parseRepository(address: string, protocols: readonly string[]): Repository {
  const url = URL.parse(address);
  if (!url || !wellFormed.test(address) || misleading.test(address)) throw badRepository(address);
  const scheme = url.protocol.slice(0, -1);
  if (!protocols.includes(scheme) || !known.includes(scheme)) throw notAllowed(scheme, protocols);
  if (url.username || url.password) {
    throw new JobFailure(
      'bad_repository',
      'The address of the repository must not hold a user name or token: take it out and set the token with "headcount project set --forge-token-stdin".',
    );
  }
  if (url.search || url.hash) throw badRepository(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') throw badRepository(address);
  return {
    url: `${url.protocol}//${url.host}${path}`,
    origin: `${url.protocol}//${url.host}`,
    host: url.host,
    slug: decode(path.slice(1), address).replace(/\.git$/, ''),
  };
}

function decode(path: string, address: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRepository(address);
  }
}

function badRepository(address: string): JobFailure {
  return new JobFailure(
    'bad_repository',
    `The repository must be an address such as https://github.com/owner/name, and is "${withoutUser(address)}".`,
  );
}

function notAllowed(scheme: string, protocols: readonly string[]): JobFailure {
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
