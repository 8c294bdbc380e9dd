import { countedPath } from './page/personal-path.ts';
import type { CountedEvent } from './view.ts';
import { joinProperty } from './what.ts';

/** Something that happened on a page, as it was told. */
export interface TellsEvent {
  name: string;
  properties?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Of a name or a value; what is longer is cut, which an ellipsis shows. */
const maxLength = 100;

/** An event as it is counted: names and values without what points to one person, and of a length that a table shows. */
export function countedEvent(
  { name, properties = {} }: TellsEvent,
  settings: { personalPaths: 'mask' | 'keep' },
): CountedEvent {
  const counted = (text: string) => cut(countedPath(text.slice(0, 10 * maxLength), settings));
  const pairs = Object.entries(properties).map(([property, value]) =>
    joinProperty(counted(property), counted(String(value))),
  );
  return { name: counted(name), properties: [...new Set(pairs)] };
}

/** In a row of the dictionary a tab stands between a property and its value. */
function cut(text: string): string {
  const letters = Array.from(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  const short = letters.length > maxLength ? [...letters.slice(0, maxLength - 1), '…'] : letters;
  return short.join('').toWellFormed();
}
