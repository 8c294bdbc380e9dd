/** Word joiner: shows as nothing, takes no space, and keeps a forge from seeing one word in two halves. */
const joiner = '\u2060';

const maxLineLength = 500;

const closingWords =
  'close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?';

/** What follows a closing word where it closes something: a number, a ticket of another system, an address. */
const reference = String.raw`[\s\S]{0,200}?(?:#\d|\bGH-\d|\b[A-Z][A-Z0-9_]+-\d|\/(?:issues|pull|pulls|merge_requests|work_items|epics)\/\d)`;

/**
 * Makes text that a model or a visitor wrote fit for a commit or a pull request: nothing in it is fetched, hidden or
 * done by a forge. Each rule looks at a few characters only, never at whether they stand in code, so that no trick of
 * Markdown gets around it; in code the price is a character that cannot be seen.
 *
 * @param redact takes secrets out.
 */
export function sanitiseMarkdown(text: string, redact: (text: string) => string): string {
  const plain = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // What cannot be seen: control characters, zero-width and direction marks, tags.
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\u2028\u2029]|[^\P{Cc}\n\t]/gu, '')
    // Fences, as an open one would swallow what comes after.
    .replace(/^[ \t>*+\-.)\d]*(?:`{3}|~{3}).*$/gm, '')
    .replace(/<(https?:\/\/[^\s<>]*)>/g, '$1');
  return (
    redact(plain)
      // Images become links, which are fetched only by who clicks.
      .replace(/!(?=\[)/g, `!${joiner}`)
      // Raw HTML and comments begin with one of these, and with nothing else.
      .replace(/<([/!?]?[a-z][^<>\n]*)>/gi, '‹$1›')
      .replace(/<(?=[a-z/!?])/gi, '‹')
      // Character references would spell any of what follows.
      .replace(/&(?=#?\w+;)/g, `&${joiner}`)
      // Mentions.
      .replace(/@(?=\S)/g, `@${joiner}`)
      // Words that close an issue when the pull request is merged, and then what they refer to.
      .replace(
        new RegExp(`\\b(${closingWords})\\b(?=${reference})`, 'gi'),
        (word) => `${word[0]}${joiner}${word.slice(1)}`,
      )
      .replace(/#(?=\d)/g, `#${joiner}`)
      .replace(/\b(GH-)(?=\d)/gi, `$1${joiner}`)
      // Lines that GitLab would obey, such as /merge.
      .replace(/^([ \t>*+-]*)\/(?=[a-z])/gim, `$1/${joiner}`)
      // Words that keep a build from running, and lines that speak for other people.
      .replace(/\[(?=[^\]\n]{0,40}\b(?:skip|no[ _-]?ci)\b)/gi, `[${joiner}`)
      .replace(/\b(no_|skip-)(?=ci\b|checks\b)/gi, `$1${joiner}`)
      .replace(/^([ \t>]*[\w-]+-(?:by|job|turn|id)):/gim, `$1${joiner}:`)
      .trim()
  );
}

/** One line without the marks of a heading, a list or emphasis around it. */
export function sanitiseLine(text: string, redact: (text: string) => string): string {
  const line =
    sanitiseMarkdown(text, redact)
      .split('\n')
      .find((part) => part.trim() !== '') ?? '';
  return line
    .slice(0, maxLineLength)
    .replace(/^[\s#>*+-]+/, '')
    .replace(/[\s*_]+$/, '')
    .trim();
}
