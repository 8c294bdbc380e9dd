/**
 * How requests for pages are recognised, in access logs and on sites that report their own. Only expressions, as these
 * sites load them within 2.5 KB.
 */

/** Media types of answers that somebody reads. */
export const pageType = /^(text\/(html|plain|(x-)?markdown)|application\/xhtml)/i;

/** Paths of files that pages load or people download, and of text files for machines. */
export const assetPath =
  /^\/(\.well-known\/.*|((app-)?ads|humans|robots|security|sitemap)\.txt)$|\.(avif|css|csv|gif|gz|ico|jpe?g|json|m?js|map|mp[34]|pdf|png|rss|svg|ttf|wasm|web(m|p|manifest)|woff2?|xml|zip)$/i;

/** Paths of files for machines that are no pages; the server knows which of them are reported (shared/surfaces.ts). */
export const surfacePath =
  /^\/(\.well-known\/.*|(ai|robots)\.txt|(sitemap|sitemap_index|feed|rss|atom)\.xml|(openapi|swagger)\.\w+)$/;

/** Paths at which is asked whether the server is well. */
export const healthCheck = /\/_?(health\w*|live(z|ness)?|ready\w*|ping|up|status)\/?$/i;

/**
 * Headers, as lines of `<name>,<value>`, of a prefetch for a visit that may never come
 * (https://wicg.github.io/nav-speculation/prefetch.html).
 */
export const fetchedAhead = /^((x-)?(sec-)?purpose|x-moz),pre/im;

/** The same of requests that show nobody a page: for a part of one, or by a script. */
export const notShown = /^((rsc|next-router-prefetch),|sec-fetch-dest,(?!document|i?frame))/im;
