import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of lists and objects in one another; what people and programs send has some ten. */
const maxDepth = 100;
/** A page of a hundred pull requests has some 50,000. */
const maxValues = 100_000;

const lettersPerTurn = 500_000;

/** JSON that would take too long to read. */
export class JsonTooComplex extends Error {}

/**
 * Parses JSON from outside.
 *
 * @throws JsonTooComplex, or SyntaxError where it is no JSON
 */
export async function parseBoundedJson(text: string): Promise<unknown> {
  await boundJson(text);
  return JSON.parse(text);
}

/**
 * How long `JSON.parse` takes depends on the lists and objects, not on the letters: 8 MB of brackets take half a second,
 * 8 MB of text some milliseconds. So they are counted first.
 *
 * @throws JsonTooComplex
 */
export async function boundJson(text: string): Promise<void> {
  let depth = 0;
  let values = 0;
  let turnEnd = lettersPerTurn;
  for (let at = 0; at < text.length; at++) {
    if (at > turnEnd) {
      turnEnd = at + lettersPerTurn;
      await nextTurn();
    }
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma || isOpening(code)) {
      if (++values > maxValues) throw new JsonTooComplex(`It has more than ${maxValues} values.`);
      if (code !== comma && ++depth > maxDepth) {
        throw new JsonTooComplex(`It has more than ${maxDepth} lists or objects in one another.`);
      }
    } else if (isClosing(code)) depth--;
  }
  if (text.length > lettersPerTurn) await nextTurn();
}

const quote = 34;
const comma = 44;
const isOpening = (code: number) => code === 91 || code === 123;
const isClosing = (code: number) => code === 93 || code === 125;

/** The quotation mark that ends it, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
