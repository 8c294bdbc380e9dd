/** Word joiner: shows as nothing, takes no space, and keeps a forge from seeing one word in two halves. */
export const joiner = '\u2060';

const closingWords =
  'close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?';
/** What closes the issue that is named next. Some words may stand between. */
export const closing = new RegExp(`(?:${closingWords})\\b(?:\\W+\\w+){0,4}\\W*$`, 'i');

/** What follows a closing word where it closes something: a number, a ticket of another system, an address. */
const reference = String.raw`[\s\S]{0,200}?(?:#\d|\bGH-\d|\b[A-Z][A-Z0-9_]+-\d|\/(?:issues|pull|pulls|merge_requests|work_items|epics)\/\d)`;

/** How a text is made fit to go out. */
export interface Sanitising {
  /** Takes secrets out. */
  redact: (text: string) => string;
  /** Whether the text may close issues, as the project allows it. */
  mayClose?: boolean;
}

/** Without what cannot be seen: control characters, zero-width and direction marks, tags. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\u2028\u2029]|[^\P{Cc}\n\t]/gu, '');
}

/** Words that keep a build from running. */
export function letBuild(text: string): string {
  return text
    .replace(/\[(?=[^\]\n]{0,40}\b(?:skip|no[ _-]?ci)\b)/gi, `[${joiner}`)
    .replace(/\b(no_|skip-)(?=ci\b|checks\b)/gi, `$1${joiner}`);
}

/** Lines that speak for other people, or for another job. */
export function disownTrailers(text: string): string {
  return text.replace(/^([ \t>]*[\w-]+-(?:by|job|turn|id)):/gim, `$1${joiner}:`);
}

/**
 * Makes text that a model or a visitor wrote fit for a commit, whose code no forge is sure to see as code: nothing in it is
 * fetched, hidden or done. Each rule looks at a few characters only, so that no trick of Markdown gets around it; the
 * price is a character that cannot be seen.
 */
export function sanitiseMessage(text: string, { redact, mayClose = false }: Sanitising): string {
  const plain = visible(text)
    // Fences, as an open one would swallow what comes after.
    .replace(/^[ \t>*+\-.)\d]*(?:`{3}|~{3}).*$/gm, '')
    .replace(/<(https?:\/\/[^\s<>]*)>/g, '$1');
  const harmless = redact(plain)
    // Images become links, which are fetched only by who clicks.
    .replace(/!(?=\[)/g, `!${joiner}`)
    // Raw HTML and comments begin with one of these, and with nothing else.
    .replace(/<([/!?]?[a-z][^<>\n]*)>/gi, '‹$1›')
    .replace(/<(?=[a-z/!?])/gi, '‹')
    // Character references would spell any of what follows.
    .replace(/&(?=#?\w+;)/g, `&${joiner}`)
    // Mentions.
    .replace(/@(?=\S)/g, `@${joiner}`)
    // Lines that GitLab would obey, such as /merge.
    .replace(/^([ \t>*+-]*)\/(?=[a-z])/gim, `$1/${joiner}`);
  return disownTrailers(letBuild(mayClose ? harmless : leaveOpen(harmless))).trim();
}

/** Words that close an issue when the pull request is merged, and then what they refer to. */
function leaveOpen(text: string): string {
  return text
    .replace(
      new RegExp(`\\b(${closingWords})\\b(?=${reference})`, 'gi'),
      (word) => `${word[0]}${joiner}${word.slice(1)}`,
    )
    .replace(/#(?=\d)/g, `#${joiner}`)
    .replace(/\b(GH-)(?=\d)/gi, `$1${joiner}`);
}
