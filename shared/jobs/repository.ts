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

/** How a repository may be reached at all; which of them is the operator's choice. */
export const gitProtocols = ['https', 'http', 'file'];

const wellFormed = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;
/** Encoded dots, slashes and NULs: git and a code host may read them in different ways. */
const misleading = /\p{Cc}|%(?![0-9a-f]{2})|%2e|%2f|%5c|%00/iu;

/**
 * Reads the address of a repository. What is wrong with it otherwise: `address` for what is none, `scheme` for one that is
 * never allowed, and `user` for one with a user name or token in it.
 *
 * @param protocols what the operator allows
 */
export function readRepository(
  address: string,
  protocols: readonly string[] = gitProtocols,
): Repository | { fault: 'address' | 'scheme' | 'user' } {
  const url = URL.parse(address);
  if (!url || !wellFormed.test(address) || misleading.test(address)) return { fault: 'address' };
  const scheme = url.protocol.slice(0, -1);
  if (!protocols.includes(scheme) || !gitProtocols.includes(scheme)) return { fault: 'scheme' };
  if (url.username || url.password) return { fault: 'user' };
  const path = url.pathname.replace(/\/+$/, '');
  const slug = decode(path.slice(1))?.replace(/\.git$/, '');
  if (url.search || url.hash || path === '' || slug === undefined) return { fault: 'address' };
  const origin = `${url.protocol}//${url.host}`;
  return { url: origin + path, origin, host: url.host, slug };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
