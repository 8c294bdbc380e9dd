import { UAParser } from 'ua-parser-js';
import { memoize } from '../../memo.ts';

/** What a visitor reads with. */
export interface Traits {
  /** desktop, mobile, tablet, smarttv, console, wearable, xr, embedded */
  device: string;
  /** Name without version: Chrome, Mobile Safari, … */
  browser: string;
  system: string;
}

const unknownTrait = '(unknown)';

// Longer ones are cut before parsing, as its expressions are not linear.
const maxParsedLength = 512;

export const parseTraits = memoize((userAgent: string): Traits => {
  const { browser, os, device } = new UAParser(userAgent.slice(0, maxParsedLength)).getResult();
  return {
    device: device.type ?? (os.name ? 'desktop' : unknownTrait),
    browser: browser.name ?? unknownTrait,
    system: os.name ?? unknownTrait,
  };
}, 20_000);

/** The first element of the list (RFC 9110, section 12.5.4), which may be empty ones apart; tags have 35 characters at most. */
const firstTag =
  /^[\t ,]*([a-z]{2,3}(?:-[a-z\d]{1,8})*)[\t ]*(?:;[\t ]*q=([01](?:\.\d{0,3})?)[\t ]*)?(?:,|$)/i;
const maxTagLength = 35;

const parseHeader = memoize((header: string): string | null => {
  const [, tag = '', weight = '1'] = firstTag.exec(header) ?? [];
  if (tag === '' || tag.length > maxTagLength || Number(weight) === 0) return null;
  try {
    const { language, region } = new Intl.Locale(tag);
    if (language === 'und') return null;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    // It looks like a tag of BCP 47 and is none.
    return null;
  }
}, 5_000);

/**
 * What somebody reads best, by the Accept-Language header: the language and the region of its first tag, as BCP 47 writes
 * them (`de-AT`, `en`). Null where it names none.
 */
export function parseLanguage(header: string | undefined): string | null {
  return header ? parseHeader(header) : null;
}
