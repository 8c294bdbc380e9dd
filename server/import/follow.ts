import type { ImportOptions } from './run.ts';
import { Tally } from './tally.ts';
export async function followLogs(_paths: readonly string[], _options: ImportOptions): Promise<Tally> {
  return new Tally();
}
