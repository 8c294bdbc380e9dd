import { shown } from './path.ts';
import { ToolError } from './tool-error.ts';

/**
 * Text exactly as it is stored, byte order mark and line ends included.
 *
 * @throws ToolError for anything but UTF-8, as writing it back would damage it.
 */
export function decodeText(bytes: Buffer, path: string): string {
  if (bytes.length >= 2 && ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))) {
    throw new ToolError(
      `${shown(path)} is UTF-16 text, and only UTF-8 can be read or edited. Leave it as it is.`,
    );
  }
  if (bytes.includes(0))
    throw new ToolError(`${shown(path)} is not text. It can be moved or deleted, not read or edited.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError(`${shown(path)} is not UTF-8 text. It can be moved or deleted, not read or edited.`);
  }
}

/** How most lines of a text end. */
export function findLineEnd(text: string): '\r\n' | '\n' {
  const windows = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return windows * 2 > all ? '\r\n' : '\n';
}

export function withLineEnd(text: string, lineEnd: '\r\n' | '\n'): string {
  const plain = text.replaceAll('\r\n', '\n');
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', lineEnd);
}

/**
 * Replaces the one place where `old` stands. A model never sees how lines end: they are compared without regard to it,
 * and the new text takes the line ends of the text that it replaces.
 *
 * @throws ToolError when `old` stands nowhere or more than once.
 */
export function replaceOnce(text: string, old: string, next: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  const plainOld = old.replaceAll('\r\n', '\n');
  if (plainOld === '')
    throw new ToolError('"old" is empty. Give the text to replace, or use the write tool.');
  const places = findAll(plain, plainOld);
  const [place] = places;
  if (place === undefined)
    throw new ToolError(`The text in "old" is not in the file. ${hintAt(plain, plainOld)}`);
  if (places.length > 1) {
    const lines = places.slice(0, 10).map((at) => lineAt(plain, at));
    throw new ToolError(
      `"old" is in the file more than once (lines ${lines.join(', ')}). Add lines around it.`,
    );
  }
  const start = storedOffset(text, place);
  const end = storedOffset(text, place + plainOld.length);
  const replaced = text.slice(start, end);
  const lineEnd = findLineEnd(replaced.includes('\n') ? replaced : text);
  const result = text.slice(0, start) + withLineEnd(next, lineEnd) + text.slice(end);
  if (result === text) throw new ToolError('"old" and "new" are the same. Nothing was changed.');
  return result;
}

/** Replaces a text wherever it stands, as `replaceOnce` does. @param word only where no other character of a word touches it */
export function replaceEvery(
  text: string,
  old: string,
  next: string,
  { word }: { word: boolean },
): { text: string; count: number } {
  const lines = old.replaceAll('\r\n', '\n').split('\n').map(RegExp.escape).join('\\r?\\n');
  const pattern = word ? `(?<![\\p{L}\\p{N}_-])${lines}(?![\\p{L}\\p{N}_-])` : lines;
  const usual = findLineEnd(text);
  let count = 0;
  const replaced = text.replace(new RegExp(pattern, 'gu'), (found) => {
    count += 1;
    return withLineEnd(next, found.includes('\n') ? findLineEnd(found) : usual);
  });
  return { text: replaced, count };
}

function findAll(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1 && places.length <= 10; at = text.indexOf(wanted, at + 1))
    places.push(at);
  return places;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Where an offset into the text with plain line ends lies in the text as it is stored. */
function storedOffset(stored: string, plainOffset: number): number {
  let at = 0;
  let left = plainOffset;
  for (;;) {
    const pair = stored.indexOf('\r\n', at);
    if (pair === -1 || left <= pair - at) return at + left;
    left -= pair - at + 1;
    at = pair + 2;
  }
}

function hintAt(text: string, old: string): string {
  const wanted = old
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  const index = wanted === undefined ? -1 : text.split('\n').findIndex((line) => line.trim() === wanted);
  if (index === -1) return 'Read the file again and copy the text exactly, without line numbers.';
  return `Line ${index + 1} is like its first line: read from there and copy the text exactly, white space included.`;
}
