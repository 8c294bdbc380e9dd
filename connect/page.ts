import type { Seen } from './hit.ts';

const pageType = /^(text\/(html|plain|(x-)?markdown)|application\/xhtml)/i;

/** Files that pages are made of or that are downloaded, and texts for machines that are no content. */
const asset =
  /^\/(\.well-known\/.*|((app-)?ads|humans|robots|security|sitemap)\.txt)$|\.(avif|css|csv|gif|gz|ico|jpe?g|json|m?js|map|mp[34]|pdf|png|rss|svg|ttf|wasm|web(m|p|manifest)|woff2?|xml|zip)$/i;

const healthCheck = /\/_?(health\w*|live(z|ness)?|ready\w*|ping|up|status)\/?$/i;

/**
 * Lines of `<name>,<value>`. A browser asks ahead of a visit that may never come, or for a part of a page, or for something
 * else than to show it, as scripts do.
 */
const aside =
  /^(((x-)?(sec-)?purpose|x-moz),pre|(rsc|next-router-prefetch),|sec-fetch-dest,(?!document|i?frame))/im;

/**
 * Whether somebody read a page: a GET or HEAD that succeeded, of HTML, Markdown or text. A 304 counts, as its reader has
 * the page at hand; it names no type, and where nobody knows the answer there is none either: then the path decides.
 */
export function isPage({ method, url, headers, status = 304, type }: Seen): boolean {
  const path = url.replace(/^\w+:..[^/?]*|\?.*/gs, '');
  const isMarkup = /html|markdown/i.test(type || headers.get('accept') || '');
  return !!(
    /^(GET|HEAD)$/.test(method) &&
    (status === 304 || (status > 199 && status < 300 && type)) &&
    (!type || pageType.test(type)) &&
    !aside.test([...headers].join('\n')) &&
    ((type && isMarkup) || !asset.test(path)) &&
    (isMarkup || !healthCheck.test(path))
  );
}
