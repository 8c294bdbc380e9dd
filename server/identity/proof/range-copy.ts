import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A copy of one feed, in the data folder and in the file that comes with the package. */
const rangeCopy = z.object({
  /** Where it comes from, in words or as an address. */
  source: z.string(),
  /** When it was last known to be what the operator publishes. */
  asOf: z.iso.datetime(),
  etag: z.string().optional(),
  /** Since when the operator has been publishing less than half of `ranges`. */
  shrunkenSince: z.iso.datetime().optional(),
  /** CIDR. */
  ranges: z.array(z.string()).min(1),
});

export type RangeCopy = z.infer<typeof rangeCopy>;

/** The dated copies that come with the package, by feed id. */
export const shippedRanges = z.object({ about: z.string(), feeds: z.record(z.string(), rangeCopy) });

/** Undefined: there is none. @throws Error if there is one that cannot be used */
export function readCopy(folder: string, feed: string): RangeCopy | undefined {
  let text: string;
  try {
    text = readFileSync(pathOf(folder, feed), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return parseCopy(text);
}

/** @throws Error if it is none */
export function parseCopy(text: string): RangeCopy {
  return rangeCopy.parse(JSON.parse(text));
}

/** Atomic: a reader sees the old file or the new one. */
export function writeCopy(folder: string, feed: string, copy: RangeCopy): void {
  mkdirSync(folder, { recursive: true });
  const path = pathOf(folder, feed);
  writeFileSync(`${path}.new`, `${JSON.stringify(copy)}\n`, { flush: true });
  renameSync(`${path}.new`, path);
}

const pathOf = (folder: string, feed: string) => join(folder, `${feed}.json`);
