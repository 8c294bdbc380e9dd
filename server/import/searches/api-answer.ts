import { z } from 'zod';
import { type CsvLine, lineError } from '../history/csv.ts';
import { type ExportedFile, unreadable } from '../history/exported-files.ts';
import { type apiDimensions, apiNumbers } from './search-console.ts';

export type ApiDimension = (typeof apiDimensions)[number];

/** An answer has 25,000 rows at most, some 5 MB. */
const maxBytes = 64 << 20;

const number = z.number().nonnegative();

/** https://developers.google.com/webmaster-tools/v1/searchanalytics/query */
const answer = z.object({
  rows: z
    .array(
      z.object({
        keys: z.array(z.string()),
        clicks: number,
        impressions: number,
        ctr: number.optional(),
        position: number.optional(),
      }),
    )
    .default([]),
  error: z.never().optional(),
});

const answers = z.union([answer.transform((one) => [one]), z.array(answer)]);

export const isJson = ({ name }: ExportedFile) => /\.json(\.gz|\.zst)?$/i.test(name);

/** The rows of an answer, or of a list of them, as lines under columns that are named as the dimensions asked for. */
export async function* readAnswer(
  file: ExportedFile,
  dimensions: readonly ApiDimension[],
): AsyncGenerator<CsvLine> {
  const parsed = answers.safeParse(await readJson(file));
  if (!parsed.success)
    throw lineError(
      file.name,
      'is not an answer of searchAnalytics.query: it has "rows" with "keys", "clicks" and "impressions"',
    );
  yield { number: 1, cells: [...dimensions, ...apiNumbers] };
  let line = 1;
  for (const { rows } of parsed.data) {
    for (const { keys, ...numbers } of rows) {
      line++;
      if (keys.length !== dimensions.length)
        throw lineError(
          `${file.name}, row ${line - 1},`,
          `has ${keys.length} keys, and --dimensions names ${dimensions.length}`,
        );
      yield { number: line, cells: [...keys, ...apiNumbers.map((name) => String(numbers[name] ?? ''))] };
    }
  }
}

async function readJson({ name, open }: ExportedFile): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await open()) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw unreadable(name, 'it is longer than answers of Search Console are');
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw unreadable(name, 'it is not JSON', error);
  }
}
