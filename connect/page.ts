import {
  assetPath,
  fetchedAhead,
  healthCheck,
  notShown,
  pageType,
  surfacePath,
} from '../shared/project/page-rules.ts';
import type { Exchange } from './exchange.ts';

/**
 * Whether somebody read a page: a GET or HEAD that succeeded, of HTML, Markdown or text. A 304 counts, as the client has the
 * page already, and a 206 does not, as it is a part of one. Without a type, as in a 304 or where the response is not known,
 * the path decides.
 */
export function isPage({ method, url, headers, status = 304, type }: Exchange): boolean {
  const path = pathOf(url);
  const isMarkup = /html|markdown/i.test(type || headers.get('accept') || '');
  const all = [...headers].join('\n');
  return !!(
    /^(GET|HEAD)$/.test(method) &&
    (status === 304 || (status > 199 && status < 300 && status !== 206 && type)) &&
    (!type || pageType.test(type)) &&
    !fetchedAhead.test(all) &&
    !notShown.test(all) &&
    ((type && isMarkup) || !assetPath.test(path)) &&
    (isMarkup || !healthCheck.test(path))
  );
}

/**
 * Whether to report what is no page: one that was not there or not to be had, or a file for machines. Not of browsers, which
 * say what they fetch for.
 */
export function isReported({ method, url, headers, status = 0 }: Exchange): boolean {
  const path = pathOf(url);
  return (
    /^(GET|HEAD)$/.test(method) &&
    !headers.has('sec-fetch-mode') &&
    status !== 304 &&
    ((status > 199 && surfacePath.test(path)) || (status > 299 && !assetPath.test(path)))
  );
}

function pathOf(url: string): string {
  return url.replace(/^\w+:..[^/?]*|\?.*/gs, '');
}
