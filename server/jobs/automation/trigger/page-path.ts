const longest = 200;

/** Nothing that could be words for an agent: letters, digits and what else stands in addresses of pages. */
const plain = /^\/[\p{L}\p{N}\-._~/@+]*$/u;

/** What programs that look for holes ask for, at any place of a path. */
const probed =
  /^(?:wp-.*|wordpress|xmlrpc.*|phpmyadmin.*|pma|phpunit|cgi-bin|node_modules|server-status|actuator|boaform|hnap1|owa|ecp|telescope|autodiscover|_.*)$/i;

/** The same where a path begins; deeper, it may be a page of a documentation. */
const probedFirst =
  /^(?:admin|administrator|backups?|config|console|debug|env|login|manager|old|shell|solr|jenkins|temp|test|tmp|user|vendor)$/i;

/** Whether a path may be that of a page, and not of a file or of what scanners look for. */
export function looksLikePage(path: string): boolean {
  if (path.length > longest || !plain.test(path) || path.includes('//')) return false;
  const segments = path.split('/').filter((segment) => segment !== '');
  const [first = '', last = ''] = [segments[0], segments.at(-1)];
  if (first === '' || (segments.length === 1 && probedFirst.test(first))) return false;
  if (segments.some((segment) => segment.startsWith('.') || probed.test(segment))) return false;
  return isPageName(last);
}

/** Versions, as in /docs/v1.2, have a dot, too. */
function isPageName(segment: string): boolean {
  return /^(?:[^.]*|.*\.(?:html?|mdx?)|v?\d+(?:\.\d+)*)$/i.test(segment);
}
