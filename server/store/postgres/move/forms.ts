import type { MovedTable } from '../../moved-tables.ts';

/** Sums stand in slots and shards, which only this engine has: what each row is given, and what adds up over them. */
export const sums: { readonly [Table in MovedTable]?: readonly string[] } = {
  counts: ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'],
  dropped: ['hits'],
  name_caps: ['views'],
  tallies: ['hits', 'amount'],
};

const ofSums = Object.fromEntries(
  Object.keys(sums).map((table) => [table, { shard: 'x.project::int & 63', slot: '0' }]),
);

/** What a row has besides what was moved, by what was: `x`. */
export const additions: { readonly [Table in MovedTable]?: Readonly<Record<string, string>> } = {
  ...ofSums,
  projects: { closed_through: 'x.sealed_through::int', changed: '1' },
  keys: { changed: '1' },
  links: { changed: '1' },
  days: { bin: 'bin_of(x.day::int)', buckets: '1' },
  seen: { shard: 'd.project & 63', bin: 'd.bin' },
  visit_views: { shard: 'd.project & 63' },
};

/** Columns of lists. */
export const lists: { readonly [Table in MovedTable]?: { column: string; write: string; read: string } } = {
  turns: { column: 'record', write: 'array[x.record]', read: 'record[1]' },
};
