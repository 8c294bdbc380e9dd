import { assetPath, healthCheck, notShown, pageType } from '../shared/page-rules.ts';
import type { Exchange } from './exchange.ts';

/**
 * Whether somebody read a page: a GET or HEAD that succeeded, of HTML, Markdown or text. A 304 counts, as the client has the
 * page already. Without a type, as in a 304 or where the response is not known, the path decides.
 */
export function isPage({ method, url, headers, status = 304, type }: Exchange): boolean {
  const path = url.replace(/^\w+:..[^/?]*|\?.*/gs, '');
  const isMarkup = /html|markdown/i.test(type || headers.get('accept') || '');
  return !!(
    /^(GET|HEAD)$/.test(method) &&
    (status === 304 || (status > 199 && status < 300 && type)) &&
    (!type || pageType.test(type)) &&
    !notShown.test([...headers].join('\n')) &&
    ((type && isMarkup) || !assetPath.test(path)) &&
    (isMarkup || !healthCheck.test(path))
  );
}
