import type { CsvLine } from '../history/csv.ts';
import { lineError } from '../history/csv.ts';
import type { ExportedFile } from '../history/exported-files.ts';

/** No line of an export is longer. */
const maxLineLength = 1 << 20;

/**
 * The lines of a file in which every cell is quoted. Bing leaves quotes inside of cells as they are, as it does with quotes that
 * people search for, so that cells are recognised by the text between them, and by the numbers that follow where a cell has that text too.
 */
export async function* readQuotedLines({ name, open }: ExportedFile): AsyncGenerator<CsvLine> {
  let columns = 0;
  let number = 0;
  for await (const line of textLines({ name, open })) {
    number++;
    if (line === '') continue;
    const cells = cellsOf(line);
    if (!cells) throw lineError(`${name}:${number}`, 'has a cell without quotes, where others have them');
    columns ||= cells.length;
    const surplus = cells.length - columns;
    const merged =
      surplus > 0 ? [cells.slice(0, surplus + 1).join('","'), ...cells.slice(surplus + 1)] : cells;
    yield { number, cells: merged };
  }
}

function cellsOf(line: string): string[] | undefined {
  if (line.length < 2 || !line.startsWith('"') || !line.endsWith('"')) return undefined;
  return line
    .slice(1, -1)
    .split('","')
    .map((cell) => cell.replaceAll('""', '"'));
}

async function* textLines({ name, open }: ExportedFile): AsyncGenerator<string> {
  const stream = await open();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > maxLineLength)
        throw lineError(name, 'has a line that is longer than one of an export');
    }
    if (rest !== '') yield rest;
  } finally {
    stream.destroy();
  }
}

/** Whether all cells of the first line are. */
export async function isQuoted({ open }: ExportedFile): Promise<boolean> {
  const stream = await open();
  try {
    for await (const chunk of stream)
      return /^".*"\r?(\n|$)/.test(new TextDecoder().decode(chunk as Uint8Array));
    return false;
  } finally {
    stream.destroy();
  }
}
