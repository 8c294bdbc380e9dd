import { ApiError } from '../errors.ts';
import { quoted } from '../text/one-line.ts';

interface Options {
  /** That the name was given by, for the error. */
  parameter: string;
  /** Signs between its words mean nothing, unlike those in the address of a site. */
  isOfWords?: boolean;
  /** With a version behind it a name means the same. */
  hasVersions?: boolean;
  /** Other names that people have for a name. */
  othersOf?: (name: string) => readonly string[];
}

/** As many names an error lists. */
const most = 5;

/**
 * The one of these names that somebody means who may write it in other letters, with other signs between its words, with a
 * version, or as others call it. Undefined: it is none of them.
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
  // What differs less comes first.
  const ways: ((name: string) => boolean)[] = [
    (name) => caseless(name) === caseless(written),
    (name) => isOfWords && letters(name) === letters(written),
    (name) => othersOf(name).some((other) => letters(other) === letters(written)),
    (name) =>
      hasVersions && [name, ...othersOf(name)].some((other) => letters(other) === letters(unversioned)),
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

/** Without signs, but for one between two numbers; what has nothing else is itself. */
function letters(text: string): string {
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
