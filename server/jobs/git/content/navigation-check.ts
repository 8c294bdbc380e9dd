import { isDeepStrictEqual } from 'node:util';
import { isNavigation } from '../path-rules.ts';

const navigationOnly =
  'in this file, only what is below "navigation" may be changed, and redirects from one path of the site to another be added; it has to stay JSON';
const noCode =
  'navigation names pages and links: an agent adds no HTML, no address that runs something, and no file or address that pages are made of';

/** Settings of Mintlify, of which an agent may change the navigation, and add redirects within the site. */
const isMintlify = (path: string) => /(^|\/)(docs|mint)\.json$/i.test(path);

/** What is wrong with a change of navigation that is data, as a part of a sentence. */
export function findWrongNavigation(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (!isNavigation(path)) return undefined;
  if (isMintlify(path)) {
    const [was, is] = [readSettings(before), readSettings(after)];
    if (!was || !is || !isDeepStrictEqual(was.rest, is.rest)) return navigationOnly;
    if (!addsLocalRedirects(was.redirects, is.redirects)) return navigationOnly;
  }
  const known = new Set(readActive(before ?? ''));
  return readActive(after ?? '').every((part) => known.has(part)) ? undefined : noCode;
}

interface Settings {
  redirects: unknown;
  /** All but these and the navigation, in its order. */
  rest: [string, unknown][];
}

function readSettings(text: string | undefined): Settings | undefined {
  try {
    const settings: unknown = JSON.parse((text ?? '').replace(/^\uFEFF/, ''));
    if (typeof settings !== 'object' || settings === null || !('navigation' in settings)) return undefined;
    const { redirects = [] } = settings as { redirects?: unknown };
    const rest = Object.entries(settings).filter(([key]) => key !== 'navigation' && key !== 'redirects');
    return { redirects, rest };
  } catch {
    return undefined;
  }
}

const isPath = (address: unknown) => typeof address === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(address);

/** Whether all that were there stay, and the new ones lead from one path of the site to another. */
function addsLocalRedirects(before: unknown, after: unknown): boolean {
  if (isDeepStrictEqual(before, after)) return true;
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const added = after.filter((one) => !before.some((known) => isDeepStrictEqual(known, one)));
  if (after.length - added.length !== before.length) return false;
  return added.every((one: unknown) => {
    if (typeof one !== 'object' || one === null) return false;
    const { source, destination, permanent = true, ...more } = one as Record<string, unknown>;
    return (
      isPath(source) &&
      isPath(destination) &&
      typeof permanent === 'boolean' &&
      Object.keys(more).length === 0
    );
  });
}

/** What a navigation can hold besides names of pages and links. */
function readActive(text: string): string[] {
  // Escapes of JSON and YAML would hide any of it.
  const plain = text.replace(
    /\\u([\da-f]{4})|\\x([\da-f]{2})|\\(\/)/gi,
    (_all, four, two, slash) => slash ?? String.fromCharCode(Number.parseInt(four ?? two, 16)),
  );
  const active =
    /(?:javascript|vbscript|data)\s*:[^\n]{0,200}|<[a-z!/][^\n]{0,200}|["']?type["']?\s*:\s*["']?html\b|["']?(?:openapi|asyncapi|graphql|\$ref)["']?\s*:[^\n]{0,300}|(?<=[\s:[{,-])!!?[a-z][\w/:.-]*/gi;
  return Array.from(plain.matchAll(active), ([found]) => found);
}
