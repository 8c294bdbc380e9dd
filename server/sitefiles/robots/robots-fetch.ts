import type { HttpsGetBytes } from '../../net/https-get.ts';
import type { RobotsVersion } from '../../store/sites.ts';
import { maxRobotsBytes } from './robots-file.ts';

/** RFC 9309 asks for at least five redirects (section 2.3.1.2). */
const limits = { timeoutMs: 30_000, maxRedirects: 5, maxBytes: maxRobotsBytes, isCut: true };

export type FetchedRobots = Pick<RobotsVersion, 'status' | 'text'>;

/** Whether there was more of it than may be read. */
interface MaybeCut {
  isCut: boolean;
}

/**
 * Asks for a site's robots.txt. By RFC 9309, section 2.3.1: what is refused (4xx) or leads nowhere is `missing`, and the
 * site's own failure (5xx) is `unreachable`.
 *
 * @throws Error where no answer came, of which nobody can tell whose fault it is
 */
export async function fetchRobots(
  host: string,
  get: HttpsGetBytes,
  signal: AbortSignal,
): Promise<FetchedRobots & MaybeCut> {
  const { status, bytes } = await get(`https://${host}/robots.txt`, { ...limits, signal });
  // No text in a database holds a NUL, and no rule does.
  if (status >= 200 && status < 300) {
    const text = bytes.toString('utf8').replaceAll('\0', '');
    return { status: 'found', text, isCut: bytes.length >= maxRobotsBytes };
  }
  return { status: status >= 500 ? 'unreachable' : 'missing', text: '', isCut: false };
}
