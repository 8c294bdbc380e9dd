import { fetchedAhead, notShown, pageType } from '../../shared/project/page-rules.ts';
import { hasHeader, isRead } from '../counting/answer.ts';
import type { LogEntry } from './formats/entry.ts';
import type { Reason } from './import-result.ts';

/** What is sent as HTML or Markdown is a page, whatever its name. */
export function isPageByType(contentType: string): boolean {
  return contentType !== '' && /html|markdown/i.test(contentType);
}

/** Why a request was answered with nothing that can be a page; its address is judged apart. */
export function judgeRequest({ method, status, contentType, headers }: LogEntry): Reason | undefined {
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  if (!isRead(status)) return 'status';
  if (contentType !== '' && !pageType.test(contentType)) return 'asset';
  if (!headers) return undefined;
  return hasHeader(headers, fetchedAhead) || hasHeader(headers, notShown) ? 'prefetch' : undefined;
}
