import { notShown, pageType } from '../../shared/page-rules.ts';
import type { LogEntry } from './formats/entry.ts';
import type { Reason } from './import-result.ts';

/** What is sent as HTML or Markdown is a page, whatever its name. */
export function isPageByType(contentType: string): boolean {
  return contentType !== '' && /html|markdown/i.test(contentType);
}

/** Why a request was answered with nothing that can be a page; its address is judged apart. */
export function judgeRequest({ method, status, contentType, headers }: LogEntry): Reason | undefined {
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
