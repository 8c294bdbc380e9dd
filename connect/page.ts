import type { Exchange } from './exchange.ts';

const pageType = /^(text\/(html|plain|(x-)?markdown)|application\/xhtml)/i;

/** Files that pages load or people download, and text files for machines. */
const asset =
  /^\/(\.well-known\/.*|((app-)?ads|humans|robots|security|sitemap)\.txt)$|\.(avif|css|csv|gif|gz|ico|jpe?g|json|m?js|map|mp[34]|pdf|png|rss|svg|ttf|wasm|web(m|p|manifest)|woff2?|xml|zip)$/i;

const healthCheck = /\/_?(health\w*|live(z|ness)?|ready\w*|ping|up|status)\/?$/i;

/**
 * Headers, as lines of `<name>,<value>`, of requests that show nobody a page: a prefetch for a visit that may never come, a
 * part of a page, or a request of a script.
 */
const notShown =
  /^(((x-)?(sec-)?purpose|x-moz),pre|(rsc|next-router-prefetch),|sec-fetch-dest,(?!document|i?frame))/im;

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
    ((type && isMarkup) || !asset.test(path)) &&
    (isMarkup || !healthCheck.test(path))
  );
}
