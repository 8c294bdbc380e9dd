import { plain } from '../../shared/plain-text.ts';

const maxQuoted = 200;

/** One line of a text that may come from outside. */
export function oneLine(text: string): string {
  return plain(text.toWellFormed()).trim();
}

/** What another server says, cut and in one line. */
export function quoted(text: string): string {
  return Array.from(oneLine(text)).slice(0, maxQuoted).join('');
}
