import type { Entry } from './entry.ts';
import type { Reason } from './tally.ts';

/** Files that pages are made of or that are downloaded; every other ending may be a page's. */
const assetEndings = new Set(
  (
    'css js mjs cjs map json xml rss atom webmanifest wasm csv tsv ' +
    'png jpg jpeg gif svg svgz ico webp avif jxl bmp tif tiff heic cur ' +
    'woff woff2 ttf otf eot mp3 mp4 m4a m4v mov webm ogg ogv oga opus wav flac avi mkv m3u8 ts vtt srt ' +
    'pdf doc docx xls xlsx ppt pptx odt ods epub mobi ics vcf ' +
    'zip gz tgz bz2 xz zst 7z rar tar dmg pkg exe msi deb rpm apk ipa iso bin jar whl torrent asc sig sha256'
  ).split(' '),
);

/** Files for machines that are no content. */
const machineFiles = new Set(['/robots.txt', '/ads.txt', '/app-ads.txt', '/humans.txt', '/security.txt', '/favicon.ico']);

/** @param path without the query */
export function isAsset(path: string): boolean {
  if (machineFiles.has(path) || path.startsWith('/.well-known/')) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot >= 0 && assetEndings.has(name.slice(dot + 1).toLowerCase());
}

const pageType = /^\s*(?:text\/html|application\/xhtml\+xml|text\/(?:x-)?markdown|text\/plain)\s*(?:;|$)/i;

/** Whether a request was answered with something that can be a page; its address is judged apart. */
export function judgeRequest({ method, status, contentType, headers }: Entry): Reason | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if ((status < 200 || status > 299) && status !== 304) return 'status';
  if (contentType !== '' && !pageType.test(contentType)) return 'asset';
  return headers && isPrefetch(headers) ? 'prefetch' : undefined;
}

/** The browser asks ahead of a visit that may never come (https://wicg.github.io/nav-speculation/prefetch.html). */
function isPrefetch(headers: Record<string, string>): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /^\s*(?:prefetch|prerender|preview)\b/i.test(headers[name] ?? ''),
  );
}
