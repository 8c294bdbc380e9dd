import { assistants } from '../../../shared/identity/assistant.ts';
import { hostAsSent } from '../../../shared/project/host.ts';
import { memoize } from '../../memo.ts';
import type { Page } from './page.ts';
import { countedPath } from './personal-path.ts';
import { siteOfSource } from './site-of-source.ts';

/** A visit that names no source: typed in, a bookmark, an app, or a page that keeps its address to itself. */
const directSource = '(direct)';

const maxSourceLength = 100;

/** Android apps say android-app://com.example.app */
const protocols = new Set(['http:', 'https:', 'android-app:']);

/** The name of the host that the referrer stands for, and of the source; null where there is none. */
const readReferrer = memoize((referrer: string): { host: string; source: string } | null => {
  const url = URL.parse(referrer);
  if (!url || url.host === '' || !protocols.has(url.protocol)) return null;
  const host = url.host.replace(/\.?(?::\d+)?$/, '');
  return { host, source: nameSource(host) };
}, 10_000);

/** What is asked of a project to tell its own hosts. */
interface Site {
  settings: { hosts: readonly string[]; personalPaths: 'mask' | 'keep' };
  acceptsHost(host: string): boolean;
}

/**
 * Where a view came from: `utm_source`, else the site that the referrer's host belongs to, else `(direct)`; an AI
 * assistant by its name. Null for a step inside the site, which has no source of its own.
 */
export function findSource(
  page: Page,
  referrer: string | undefined,
  { settings, acceptsHost }: Site,
): string | null {
  const { utmSource } = page.campaign;
  if (utmSource?.trim()) return nameSource(countedPath(utmSource, settings));
  if (!referrer) return directSource;
  const from = readReferrer(referrer);
  if (!from) return directSource;
  // Where a project names its hosts, all of them are the site itself.
  if (from.host === page.host || (settings.hosts.length > 0 && acceptsHost(from.host))) return null;
  return from.source;
}

/** By their names, as `utm_source` may give them. */
const namedAssistants = new Map(Array.from(assistants.values(), (name) => [name.toLowerCase(), name]));

/** As rows may have a source that somebody writes in capitals, with the letters of its language, or as an address. */
export function writtenSources(written: string): string[] {
  const host = /^https?:\/\//i.test(written) ? URL.parse(written)?.hostname.replace(/\.$/, '') : undefined;
  const name = lowerName(host ?? written);
  return [...new Set([host ?? written, name, nameSource(name)])];
}

function lowerName(text: string): string {
  const name = text.normalize('NFKC').trim().toLowerCase();
  // Of ASCII a URL would make numbers such as `1.2` addresses.
  const isHost = name.includes('.') && /[^ -~]/.test(name);
  return (isHost ? (hostAsSent(name) ?? name) : name).replace(/^www\./, '');
}

function nameSource(text: string): string {
  const name = lowerName(text);
  const site = siteOfSource(name);
  const assistant = assistants.get(site) ?? namedAssistants.get(site);
  return assistant ?? Array.from(site).slice(0, maxSourceLength).join('').toWellFormed();
}
