import { maskPersonalParts } from './personal-path.ts';

const maxLength = 200;

/** Begins what a fragment tells the browser and not the page (https://wicg.github.io/scroll-to-text-fragment/). */
const directiveMark = ':~';

/** Splits what the tracker sends as the referrer of a landing, which is an address and so has no directive of its own. */
export function splitReferrer(referrer: string | undefined): {
  referrer: string | undefined;
  directive: string | undefined;
} {
  const at = referrer?.indexOf(directiveMark) ?? -1;
  if (referrer === undefined || at < 0) return { referrer, directive: undefined };
  return { referrer: referrer.slice(0, at) || undefined, directive: referrer.slice(at) };
}

/**
 * The passage that a link was to: the first of the directive, without the words around it that only help to find it, and
 * without what points to one person. Null where there is none that can be read.
 *
 * @param directive such as `:~:text=before-,first%20words,last%20words,-after&text=…`
 */
export function readPassage(directive: string): string | null {
  const text = /[:&]text=([^&]*)/.exec(directive)?.[1]?.slice(0, 20 * maxLength);
  if (!text) return null;
  const parts = text.split(',').filter((part) => !part.endsWith('-') && !part.startsWith('-'));
  try {
    const words = parts.map((part) => decodeURIComponent(part).replace(/\s+/g, ' ').trim());
    const passage = maskPersonalParts(words.filter(Boolean).join(' … '));
    return Array.from(passage).slice(0, maxLength).join('').trim().toWellFormed() || null;
  } catch {
    return null;
  }
}
