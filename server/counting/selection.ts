import {
  type Filter,
  type FilterName,
  filterNames,
  isKept,
  type KeptName,
  pairOf,
  pairs,
} from '../../shared/reports/pairs.ts';
import { joinClient, what } from './what.ts';

/** A text, and its dimension. */
export interface NamedText {
  what: number;
  text: string;
}

/** The key of a sum: a name, or a name under another. */
export interface SumOf extends NamedText {
  under: NamedText | null;
}

/** Names that have a row each: those of a kind, or those of a pair that are under one name. */
export interface RowsOf {
  what: number;
  under: NamedText | null;
  /** In place of these, names of this kind under which the pair has this text. */
  above: NamedText | null;
  /** No others; null: all. */
  only: readonly string[] | null;
}

/** The dimension of rows. */
export type RowsBy = KeptName | 'event' | 'property';

/** The filter of a report: `event` is only for its properties, and no view has one. */
export type Selected = Filter & { event?: string | undefined };

const namesIn = (filter: Filter) => filterNames.filter((name) => filter[name] !== undefined);
const named = (name: KeptName, filter: Filter): NamedText => ({
  what: what[name],
  text: filter[name] ?? '',
});

/** Null: the site. @throws RangeError where no sum for this combination is stored */
export function sumOf(filter: Selected): SumOf | null {
  if (filter.event !== undefined) return { what: what.event, text: filter.event, under: null };
  const names = namesIn(filter);
  requireKept(names);
  const [one, other] = names;
  if (one === undefined) return null;
  const pair = other && pairOf(one, other);
  if (!pair) return { ...named(one, filter), under: null };
  return { what: what[pair], text: filter.path ?? '', under: named(pairs[pair].under, filter) };
}

/** @throws RangeError where no sums for this combination are stored */
export function rowsBy(by: RowsBy, filter: Selected): RowsOf {
  if (by === 'event') return { what: what.event, under: null, above: null, only: null };
  if (by === 'property') {
    const under = { what: what.event, text: filter.event ?? '' };
    return { what: what.property, under, above: null, only: null };
  }
  const others: readonly FilterName[] = namesIn(filter).filter((name) => name !== by);
  requireKept(others);
  requireKept([by, ...others]);
  const own = filter[by];
  const only = own === undefined ? null : [own];
  const [other] = others;
  const pair = other && pairOf(by, other);
  if (pair && by === 'path') return { what: what[pair], under: named(other, filter), above: null, only };
  if (pair)
    return { what: what[pair], under: null, above: { ...named(by, filter), text: filter.path ?? '' }, only };
  if (by === 'client')
    return { what: what.clientProof, under: null, above: null, only: only && withProofs(only) };
  return { what: what[by], under: null, above: null, only };
}

const proofs = ['verified', 'claimed', 'inferred'] as const;

function withProofs(clients: readonly string[]): string[] {
  return clients.flatMap((name) => proofs.map((proof) => joinClient({ name, proof })));
}

function requireKept(names: readonly FilterName[]): asserts names is readonly KeptName[] {
  if (!isKept(names)) throw new RangeError(`No sums are kept of ${names.join(' and ')} together`);
}
