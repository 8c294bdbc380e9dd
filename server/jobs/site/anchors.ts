import { readMarkdown } from './markdown.ts';

/** Longer than any heading. */
const maxLength = 500;

/**
 * What links can name in a page, each in one spelling. Every generator makes ids of headings in a way of its own, so they
 * are compared by their letters and digits alone.
 */
export function readAnchors(path: string, text: string): Set<string> {
  const { prose } = readMarkdown(path, text);
  const anchors = new Set<string>(['', 'top']);
  const add = (name: string | undefined) => {
    if (name !== undefined) anchors.add(foldAnchor(name));
  };
  for (const heading of readHeadings(text, prose)) {
    for (const id of heading.matchAll(/[{[]:?[ \t]*#([\w:.-]{1,200})/g)) add(id[1]);
    add(plainText(heading.replace(/[ \t]*[{[]:?[ \t]*#[^\]}]{0,200}[\]}][ \t]*$/, '')));
  }
  const attributes =
    /[\s"'](?:id|name|title|label|path|query|body|header)=(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')/g;
  for (const [, double, single] of prose.matchAll(attributes)) add(double ?? single);
  for (const [, id] of prose.matchAll(/\{:?[ \t]*#([\w:.-]{1,200})/g)) add(id);
  return anchors;
}

/** Whether a fragment names something of a page. A second heading of the same words has a number behind it. */
export function hasAnchor(anchors: ReadonlySet<string>, fragment: string): boolean {
  const folded = foldAnchor(fragment);
  // `#:~:text=` is the browser's business; Mintlify puts "param-" before the names of fields.
  const spellings = [folded, folded.replace(/\d+$/, ''), folded.replace(/^param/, '')];
  return fragment.startsWith(':~:') || spellings.some((spelling) => anchors.has(spelling));
}

function foldAnchor(text: string): string {
  return decode(text)
    .slice(0, maxLength)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** With `#` before them, or underlined. Their code is part of them. */
function* readHeadings(text: string, prose: string): Generator<string> {
  const lines = prose.split('\n');
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const whole = text.slice(at, at + Math.min(line.length, maxLength));
    at += line.length + 1;
    if (/^[ \t>]*#{1,6}[ \t]/.test(line))
      yield whole.replace(/^[ \t>]*#{1,6}[ \t]+/, '').replace(/[ \t]#+[ \t]*$/, '');
    else if (/\S/.test(line) && /^[ \t]{0,3}(?:=+|-+)[ \t]*\r?$/.test(lines[index + 1] ?? '')) yield whole;
  }
}

/** What a reader sees of a heading. Tags in code are seen. */
function plainText(heading: string): string {
  return heading
    .replace(/!?\[([^\]]{0,300})\](?:\([^)]{0,500}\)|\[[^\]]{0,100}\])/g, '$1')
    .replace(/(`{1,3})(.{1,300}?)\1|<\/?[A-Za-z][^<>]{0,300}>/g, (_all, _mark, code?: string) => code ?? '')
    .replace(/&[a-z\d#]{1,10};/gi, '');
}
