import { movedTables } from '../../../database/tables/tables.ts';
import type { MovedTable } from '../../moved-tables.ts';

/** Sums stand in slots and shards, which only this engine has. */
const ofSums = Object.fromEntries(
  movedTables
    .filter(({ sums }) => sums)
    .map(({ name }) => [name, { shard: 'x.project::int & 63', slot: '0' }]),
);
/** What this installation changed last. */
const ofChanges = Object.fromEntries(
  movedTables.filter(({ own }) => own?.changed).map(({ name }) => [name, { changed: '1' }]),
);

/** What a row has besides what was moved, by what was: `x`. */
export const additions: { readonly [Table in MovedTable]?: Readonly<Record<string, string>> } = {
  ...ofSums,
  ...ofChanges,
  projects: { closed_through: 'x.sealed_through::int', ...ofChanges.projects },
  days: { bin: 'bin_of(x.day::int)', buckets: '1' },
  seen: { shard: 'd.project & 63', bin: 'd.bin' },
  visit_views: { shard: 'd.project & 63' },
};

/** Columns of lists. */
export const lists: { readonly [Table in MovedTable]?: { column: string; write: string; read: string } } = {
  turns: { column: 'record', write: 'array[x.record]', read: 'record[1]' },
};
