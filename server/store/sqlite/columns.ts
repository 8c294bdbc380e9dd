import type { CountedKind, Traits, View } from '../store.ts';

export const kindBits = { human: 1, ai: 2 } as const satisfies Record<CountedKind, number>;

/**
 * A batch of views as columns: cloning it into the writer's thread costs a fraction of what an array of
 * objects does (see bench/README.md).
 */
export interface ViewColumns {
  projects: string[];
  /** Index into `projects`. */
  project: Uint16Array;
  day: Int32Array;
  visitor: BigInt64Array;
  kind: Uint8Array;
  path: string[];
  source: (string | null)[];
  country: (string | null)[];
  client: View['client'][];
  traits: Traits[];
  /** Index into `traits`. */
  trait: Uint16Array;
}

/** More would not fit the indexes. */
export const maxBatch = 65_535;

function indexOf<T>(list: T[], indexes: Map<T, number>, item: T): number {
  const known = indexes.get(item);
  if (known !== undefined) return known;
  indexes.set(item, list.length);
  return list.push(item) - 1;
}

export function toColumns(views: View[]): ViewColumns {
  const columns: ViewColumns = {
    projects: [],
    project: new Uint16Array(views.length),
    day: new Int32Array(views.length),
    visitor: new BigInt64Array(views.length),
    kind: new Uint8Array(views.length),
    path: [],
    source: [],
    country: [],
    client: [],
    traits: [],
    trait: new Uint16Array(views.length),
  };
  const projects = new Map<string, number>();
  const traits = new Map<Traits, number>();
  views.forEach((view, i) => {
    columns.project[i] = indexOf(columns.projects, projects, view.projectId);
    columns.day[i] = view.day;
    columns.visitor[i] = view.visitor;
    columns.kind[i] = kindBits[view.kind];
    columns.path.push(view.path);
    columns.source.push(view.source);
    columns.country.push(view.country);
    columns.client.push(view.client);
    // The same object for the same user agent, as long as it is remembered.
    columns.trait[i] = indexOf(columns.traits, traits, view.traits);
  });
  return columns;
}
