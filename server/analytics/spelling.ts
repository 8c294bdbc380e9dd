import { ApiError } from '../errors.ts';
import { quoted } from '../text/one-line.ts';

interface Options {
  /** The parameter with the name, for the error. */
  parameter: string;
  /** Signs between its words mean nothing, unlike those in the address of a site. */
  isOfWords?: boolean;
  /** A name means the same with a version behind it. */
  hasVersions?: boolean;
  /** Aliases of a name. */
  othersOf?: (name: string) => readonly string[];
}

/** Names that an error lists. */
const most = 5;

/**
 * The name that is meant, whatever its case, the signs between its words, a version behind it or the alias used.
 * Undefined: none of them.
 *
 * @throws ApiError `invalid` where several may be meant
 */
export function nameMeant(
  written: string,
  names: readonly string[],
  { parameter, isOfWords = false, hasVersions = false, othersOf = () => [] }: Options,
): string | undefined {
  if (names.includes(written)) return written;
  const unversioned = written.replace(/[\s/]+v?\d[\d.]{0,20}$/i, '');
  // Smaller differences come first.
  const ways: ((name: string) => boolean)[] = [
    (name) => caseless(name) === caseless(written),
    (name) => isOfWords && normalized(name) === normalized(written),
    (name) => othersOf(name).some((other) => normalized(other) === normalized(written)),
    (name) =>
      hasVersions && [name, ...othersOf(name)].some((other) => normalized(other) === normalized(unversioned)),
  ];
  for (const means of ways) {
    const found = names.filter(means);
    if (found.length > 1) throw severalMeant(written, found, parameter);
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
}

const caseless = (text: string) => text.trim().normalize('NFKC').toLowerCase();

const isDigit = (sign: string | undefined) => sign !== undefined && /\p{N}/u.test(sign);

/** Without signs, but for one between two numbers; a text of signs alone stays as it is. */
function normalized(text: string): string {
  const same = caseless(text);
  const bare = same.replace(/[^\p{L}\p{M}\p{N}]+/gu, (signs, at: number) =>
    isDigit(same[at - 1]) && isDigit(same[at + signs.length]) ? '.' : '',
  );
  return bare || same;
}

function severalMeant(written: string, found: readonly string[], parameter: string): ApiError {
  const names = found.slice(0, most).map((name) => `"${quoted(name)}"`);
  const listed = found.length > most ? `${names.join(', ')} and others` : names.join(' or ');
  return new ApiError('invalid', `The query is not valid: "${quoted(written)}" may be ${listed}.`, {
    details: [{ message: `may be ${listed}: write it as it is counted`, path: parameter }],
  });
}
