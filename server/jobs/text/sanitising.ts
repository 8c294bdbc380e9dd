/** Word joiner: shows as nothing, takes no space, and keeps a forge from seeing one word in two halves. */
export const joiner = '\u2060';

const closingWords =
  'close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?';
/** What closes the issue that is named next. Some words may stand between. */
export const closing = new RegExp(`(?:${closingWords})\\b(?:\\W+\\w+){0,4}\\W*$`, 'i');

/** What follows a closing word where it closes something: a number, a ticket of another system, an address. */
const reference = String.raw`[\s\S]{0,200}?(?:#\d|\bGH-\d|\b[A-Z][A-Z0-9_]+-\d|\/(?:issues|pull|pulls|merge_requests|work_items|epics)\/\d)`;

const closingWord = `\\b(?:${closingWords})\\b(?=${reference})`;
const issueNumber = String.raw`#(?=\d)|\bGH-(?=\d)`;

/** How a text is made fit to go out. */
export interface Sanitising {
  /** Takes secrets out. */
  redact: (text: string) => string;
  /** Whether the text may close issues, as the project allows it. */
  mayClose?: boolean;
  /** Whose the repository is, as code hosts name them: `@owner/name` are their teams, and `@scope/name` is a package. */
  owner?: string | undefined;
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
  return text.replace(/^([ \t>]*[\w-]+-(?:by|job|turn|id))(?=[ \t]*:)/gim, `$1${joiner}`);
}

/**
 * Makes text that a model or a visitor wrote fit for the message of a commit, which code hosts show as it is: it stays as
 * it was written, but for what they would act on. They know no code in it, so the price is a character that cannot be
 * seen, in mentions of people, in words that close issues or keep a build from running, in lines that command GitLab and in
 * lines that speak for others. Addresses stay whole.
 */
export function plainMessage(text: string, { redact, mayClose = false, owner }: Sanitising): string {
  const plain = redact(visible(text));
  const open = mayClose
    ? plain
    : outsideAddresses(plain, closingWord, (word) => `${word[0]}${joiner}${word.slice(1)}`);
  const unnumbered = mayClose ? open : outsideAddresses(open, issueNumber, (mark) => `${mark}${joiner}`);
  const quiet = outsideAddresses(unnumbered, mention, (mark, name = '', slash = '') =>
    slash !== '' && name.toLowerCase() !== owner?.toLowerCase() ? mark : `${mark}${joiner}`,
  );
  // Lines that GitLab would obey, such as /merge; not paths.
  const unbidden = quiet.replace(/^([ \t>*+-]*)\/(?=[a-z_]+(?:[^\w/.-]|$))/gim, `$1/${joiner}`);
  return disownTrailers(letBuild(unbidden)).trim();
}

/** Of a person or a team; within a word it is an address for mail or the like. */
const mention = String.raw`(?<!\w)@(?=([\w-]+)(\/?)|\{)`;

function outsideAddresses(
  text: string,
  pattern: string,
  write: (match: string, ...groups: (string | undefined)[]) => string,
): string {
  return text.replace(new RegExp(`https?://[^\\s<>]+|${pattern}`, 'gi'), (match: string, ...groups) =>
    /^https?:/i.test(match) ? match : write(match, ...groups),
  );
}

/**
 * Makes text that a model or a visitor wrote fit for where some of it may be taken for Markdown: nothing in it is
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
