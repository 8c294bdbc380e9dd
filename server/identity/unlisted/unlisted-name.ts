import { type Purpose, purposes } from '../identity.ts';
import { makers } from './maker.ts';

/** A program that says it is AI, and that the catalogue does not hold. */
export interface UnlistedClient {
  /** Its own name for itself. */
  readonly token: string;
  readonly operator: string;
  readonly purpose: Purpose | 'unknown';
}

const operators: ReadonlySet<string> = new Set(makers.map(({ operator }) => operator));

/** Part of the name of every unlisted client, and of no other. */
export const unlistedWord = '(unlisted';

/** After it come operator and purpose, where they are known. */
const mark = ` ${unlistedWord}`;

/** In place of the token of a program that calls itself by no name. */
export const unnamed = 'Unnamed';

/** The name that an unlisted client is counted by: `NewBot (unlisted, OpenAI, search)`. */
export function nameOfUnlisted({ token, operator, purpose }: UnlistedClient): string {
  const known = [operator, purpose].filter((part) => part !== 'unknown');
  return `${[token + mark, ...known].join(', ')})`;
}

/** The client that was counted by such a name; undefined for the name of a listed one. */
export function parseUnlisted(name: string): UnlistedClient | undefined {
  const at = name.endsWith(')') ? name.indexOf(mark) : -1;
  if (at < 1) return undefined;
  const parts = name.slice(at + mark.length, -1).split(', ');
  return {
    token: name.slice(0, at),
    operator: parts.find((part) => operators.has(part)) ?? 'unknown',
    purpose: purposes.find((purpose) => parts.includes(purpose)) ?? 'unknown',
  };
}
