/** Shorter ones are no secrets, and would be found in ordinary words. */
const minSecretLength = 8;
/** Of a secret of many lines, such as a private key, each line of this length is one. */
const minLineLength = 32;
/** In what git and code hosts say about one token, shorter ones are looked for too. */
const minTokenLength = 4;

/** What may stand between the characters of a secret that can still be read: white space, and marks of Markdown that go. */
const mark = String.raw`[\s\x60*~\\]`;
const marks = new RegExp(`${mark}+`, 'g');

/**
 * Makes a function that takes secrets out of a text: as they are, percent-encoded, in hexadecimal, and in base64 at any
 * place of a longer text, each of them also backwards, and where white space or marks of code and emphasis were put between
 * their characters.
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
  const bare = unique.map(withoutMarks);
  return (text) => {
    // Nearly every text holds none, and this is seen a hundred times sooner without the pattern.
    const searched = withoutMarks(text);
    return bare.some((form) => searched.includes(form)) ? text.replace(pattern, '[secret]') : text;
  };
}

/** For a message of git or a code host, which may quote the token that it was sent. */
export function redactTokens(text: string, tokens: readonly string[]): string {
  return createRedactor(tokens, minTokenLength)(text);
}

function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((offset) => base64At(secret, offset));
  const urlSafe = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(secret).toString('hex');
  const others = [encodeURIComponent(secret), ...encoded, ...urlSafe, hex, hex.toUpperCase()];
  const forms = [secret, ...others.filter(({ length }) => length >= minSecretLength)];
  const lines = secret.split(/\r?\n/).filter((line) => line !== secret && line.length >= minLineLength);
  return [
    ...forms,
    ...forms.map(reverse),
    ...lines.filter((line) => !line.startsWith('-----')).flatMap(formsOf),
  ];
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

function withoutMarks(text: string): string {
  return text.replace(marks, '');
}

/** The part of the base64 text that is the same whatever stands before and after the secret. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const before = [0, 2, 3][offset] ?? 0;
  return text.slice(before, bytes.length % 3 === 0 ? undefined : -1);
}

/** Its own marks count as such, so that no place of a text fits in two ways. */
function spaced(form: string): string {
  const bare = withoutMarks(form);
  if (bare.length < minTokenLength) return RegExp.escape(form);
  return [...bare].map((character) => RegExp.escape(character)).join(`${mark}*`);
}
