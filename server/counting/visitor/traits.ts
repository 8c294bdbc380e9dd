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
