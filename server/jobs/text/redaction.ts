/** Shorter ones are no secrets, and would be found in ordinary words. */
const minSecretLength = 8;
/** In what git and code hosts say about one token, shorter ones are looked for too. */
const minTokenLength = 4;

/**
 * Makes a function that takes secrets out of a text: as they are, percent-encoded, and in base64 at any place of a
 * longer text, also where white space was put between their characters.
 */
export function createRedactor(
  secrets: readonly string[],
  minLength = minSecretLength,
): (text: string) => string {
  const forms = secrets.filter(({ length }) => length >= minLength).flatMap(formsOf);
  if (forms.length === 0) return (text) => text;
  // The longest first, or a secret that begins another one would leave the rest of it standing.
  const unique = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(unique.map(spaced).join('|'), 'g');
  return (text) => text.replace(pattern, '[secret]');
}

/** For a message of git or a code host, which may quote the token that it was sent. */
export function redactTokens(text: string, tokens: readonly string[]): string {
  return createRedactor(tokens, minTokenLength)(text);
}

function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((offset) => base64At(secret, offset));
  const urlSafe = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const others = [encodeURIComponent(secret), ...encoded, ...urlSafe];
  return [secret, ...others.filter(({ length }) => length >= minSecretLength)];
}

/** The part of the base64 text that is the same whatever stands before and after the secret. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const before = [0, 2, 3][offset] ?? 0;
  return text.slice(before, bytes.length % 3 === 0 ? undefined : -1);
}

function spaced(form: string): string {
  return [...form].map((character) => RegExp.escape(character)).join('\\s*');
}
