import { countedPath } from './page/page.ts';
import type { CountedEvent } from './view.ts';
import { joinProperty } from './what.ts';

/** Something that happened on a page, as it was reported. */
export interface ReportedEvent {
  name: string;
  properties?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Of a name or a value; longer ones are cut and end in an ellipsis. */
const maxLength = 100;

/** An event as it is counted: names and values without personal data, cut to a length that a table shows. */
export function countedEvent(
  { name, properties = {} }: ReportedEvent,
  settings: { personalPaths: 'mask' | 'keep' },
): CountedEvent {
  const counted = (text: string) => cut(countedPath(text.slice(0, 10 * maxLength), settings));
  const pairs = Object.entries(properties).map(([property, value]) =>
    joinProperty(counted(property), counted(String(value))),
  );
  return { name: counted(name), properties: [...new Set(pairs)] };
}

/** In a row of the dictionary a tab separates a property from its value. */
function cut(text: string): string {
  const characters = Array.from(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  const short = characters.length > maxLength ? [...characters.slice(0, maxLength - 1), '…'] : characters;
  return short.join('').toWellFormed();
}
