import { assetPath, healthCheck, notShown, pageType } from '../../shared/page-rules.ts';
import type { Entry } from './formats/entry.ts';
import type { Reason } from './tally.ts';

/** Assets that a log is likelier to tell of than a site that reports its pages, which has no room for them. */
const otherAsset = /\.(atom|bmp|cjs|dmg|docx?|eot|exe|m4[av]|mov|og[gv]|otf|pptx?|rar|tgz|wav|xlsx?|7z)$/i;

/** Whether a page can have this name; every ending that is not named may be a page's. @param path in its normal form, without a query */
export function isPageByName(path: string): boolean {
  return !assetPath.test(path) && !otherAsset.test(path) && !healthCheck.test(path);
}

/** What is sent as HTML or Markdown is a page, whatever its name. */
export function isPageByType(contentType: string): boolean {
  return contentType !== '' && /html|markdown/i.test(contentType);
}

/** Why a request was answered with nothing that can be a page; its address is judged apart. */
export function judgeRequest({ method, status, contentType, headers }: Entry): Reason | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if ((status < 200 || status > 299) && status !== 304) return 'status';
  if (contentType !== '' && !pageType.test(contentType)) return 'asset';
  return headers && isNotShown(headers) ? 'prefetch' : undefined;
}

/** Logs have an empty text for a field that was not sent. */
function isNotShown(headers: Record<string, string>): boolean {
  for (const name in headers) {
    if (headers[name] !== '' && notShown.test(`${name},${headers[name]}`)) return true;
  }
  return false;
}
