import { isDeepStrictEqual } from 'node:util';
import { isNavigation } from '../path-rules.ts';

const navigationOnly =
  'in this file, only what is below "navigation" may be changed, and it has to stay JSON';
const noCode =
  'navigation names pages and links: an agent adds no HTML, no address that runs something, and no file or address that pages are made of';

/** Settings of Mintlify, of which an agent may change the navigation alone. */
const isMintlify = (path: string) => /(^|\/)(docs|mint)\.json$/i.test(path);

/** What is wrong with a change of navigation that is data, as a part of a sentence. */
export function findWrongNavigation(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (!isNavigation(path)) return undefined;
  if (isMintlify(path)) {
    const [was, is] = [readRest(before), readRest(after)];
    if (was === undefined || is === undefined || !isDeepStrictEqual(was, is)) return navigationOnly;
  }
  const known = new Set(readActive(before ?? ''));
  return readActive(after ?? '').every((part) => known.has(part)) ? undefined : noCode;
}

/** All but the navigation, in its order. */
function readRest(text: string | undefined): [string, unknown][] | undefined {
  try {
    const settings: unknown = JSON.parse((text ?? '').replace(/^\uFEFF/, ''));
    if (typeof settings !== 'object' || settings === null || !('navigation' in settings)) return undefined;
    return Object.entries(settings).filter(([key]) => key !== 'navigation');
  } catch {
    return undefined;
  }
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
