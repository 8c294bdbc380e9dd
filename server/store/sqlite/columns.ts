import type { CountedKind, View } from '../store.ts';

export const kindBits = { human: 1, ai: 2 } as const satisfies Record<CountedKind, number>;

type Traits = Pick<View, 'device' | 'browser' | 'system' | 'country'>;

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
  client: View['client'][];
  traits: Traits[];
  /** Index into `traits`. */
  trait: Uint16Array;
}

/** More would not fit the indexes. */
export const maxBatch = 65_535;

function indexOf<T>(list: T[], indexes: Map<unknown, number>, key: unknown, item: T): number {
  const known = indexes.get(key);
  if (known !== undefined) return known;
  indexes.set(key, list.length);
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
    client: [],
    traits: [],
    trait: new Uint16Array(views.length),
  };
  const projects = new Map<unknown, number>();
  const traits = new Map<unknown, number>();
  views.forEach((view, i) => {
    columns.project[i] = indexOf(columns.projects, projects, view.projectId, view.projectId);
    columns.day[i] = view.day;
    columns.visitor[i] = view.visitor;
    columns.kind[i] = kindBits[view.kind];
    columns.path.push(view.path);
    columns.source.push(view.source);
    columns.client.push(view.client);
    const { device, browser, system, country } = view;
    const key = `${device}\n${browser}\n${system}\n${country}`;
    columns.trait[i] = indexOf(columns.traits, traits, key, { device, browser, system, country });
  });
  return columns;
}
