import { assistants } from '../../shared/assistant.ts';
import type { LiveProject } from '../admin/registry.ts';
import { memoize } from '../memo.ts';
import type { Page } from './page.ts';

/** A visit that names no source: typed in, a bookmark, an app, or a page that keeps its address to itself. */
export const directSource = '(direct)';

const maxSourceLength = 100;

const referrerHost = memoize((referrer: string): string => {
  const url = URL.parse(referrer);
  if (!url) return '';
  // Android apps say android-app://com.example.app
  return url.protocol === 'http:' || url.protocol === 'https:' || url.protocol === 'android-app:'
    ? url.host
    : '';
}, 10_000);

/**
 * Where a view came from: `utm_source`, else the referrer's host without `www.`, else `(direct)`; an AI
 * assistant by its name. Null for a step inside the site, which has no source of its own.
 */
export function findSource(
  page: Page,
  referrer: string | undefined,
  { settings, acceptsHost }: LiveProject,
): string | null {
  if (page.campaignSource?.trim()) return nameSource(page.campaignSource);
  if (!referrer) return directSource;
  const host = referrerHost(referrer);
  if (host === '') return directSource;
  const hostName = host.replace(/:\d+$/, '');
  // Where a project names its hosts, all of them are the site itself.
  if (hostName === page.host || (settings.hosts.length > 0 && acceptsHost(hostName))) return null;
  return nameSource(hostName);
}

function nameSource(text: string): string {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^www\./, '');
  return assistants.get(name) ?? Array.from(name).slice(0, maxSourceLength).join('').toWellFormed();
}
