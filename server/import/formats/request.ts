import type { Reason } from '../tally.ts';
import type { Entry } from './entry.ts';

/** Files that pages are made of or that are downloaded; every other ending may be a page's. */
const assetEndings = new Set(
  (
    'css js mjs cjs map json xml rss atom webmanifest wasm csv ' +
    'png jpg jpeg gif svg ico webp avif bmp woff woff2 ttf otf eot ' +
    'mp3 mp4 m4a m4v mov webm ogg ogv wav pdf doc docx xls xlsx ppt pptx zip gz tgz 7z rar dmg exe'
  ).split(' '),
);

/** Texts for machines that are no content, and questions whether the server is well. */
const notice = /^\/(?:\.well-known\/.*|(?:ads|app-ads|humans|robots|security|sitemap)\.txt)$/;
const healthCheck = /\/_?(?:health\w*|live(?:z|ness)?|ready\w*|ping|up|status)$/i;

/** Whether a page can have this name. The rules are those of connect/page.ts. @param path in its normal form, without a query */
export function isPageByName(path: string): boolean {
  if (notice.test(path) || healthCheck.test(path)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 || !assetEndings.has(name.slice(dot + 1).toLowerCase());
}

const pageType = /^(?:text\/(?:html|plain|(?:x-)?markdown)|application\/xhtml)/i;

/** What is sent as HTML or Markdown is a page, whatever its name. */
export function isPageByType(contentType: string): boolean {
  return contentType !== '' && /html|markdown/i.test(contentType);
}

/** Why a request was answered with nothing that can be a page; its address is judged apart. */
export function judgeRequest({ method, status, contentType, headers }: Entry): Reason | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if ((status < 200 || status > 299) && status !== 304) return 'status';
  if (contentType !== '' && !pageType.test(contentType)) return 'asset';
  return headers && isAside(headers) ? 'prefetch' : undefined;
}

const purposes = ['sec-purpose', 'purpose', 'x-sec-purpose', 'x-purpose', 'x-moz'];
const parts = ['rsc', 'next-router-prefetch'];

/**
 * A browser asks ahead of a visit that may never come (https://wicg.github.io/nav-speculation/prefetch.html), or for a
 * part of a page, or not to show it.
 */
function isAside(headers: Record<string, string>): boolean {
  const destination = headers['sec-fetch-dest'] ?? '';
  return (
    purposes.some((name) => headers[name]?.startsWith('pre')) ||
    parts.some((name) => headers[name] !== undefined && headers[name] !== '') ||
    (destination !== '' && !/^(?:document|i?frame)/.test(destination))
  );
}
