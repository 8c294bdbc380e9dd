import type { Day } from '../../../counting/calendar.ts';
import type { Traits } from '../../../counting/traits.ts';
import type { CountedKind, SeenClient, View } from '../../../counting/view.ts';
import { joinClient } from '../../../counting/what.ts';
import type { ViewTable } from '../../import-store.ts';

/** Views of several projects. */
export interface LiveViews {
  /** What the views' `day` is an index into. */
  days: { projectId: string; day: Day }[];
  views: ViewTable;
}

/** Items in the order in which they first came, and where they stand. */
class Places<T> {
  readonly list: T[] = [];
  readonly #places = new Map<unknown, number>();

  /** Two items with one key are the same. */
  of(item: T, key: unknown = item): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.list.push(item) - 1;
    this.#places.set(key, place);
    return place;
  }
}

const kinds = ['human', 'ai'] as const satisfies CountedKind[];

/**
 * A batch of views as columns: cloning it into the writer's thread costs a fraction of what an array of objects does,
 * and there each name is looked up once (see bench/README.md).
 */
export function toViewTable(batch: readonly View[]): LiveViews {
  const days = new Places<LiveViews['days'][number]>();
  const paths = new Places<string>();
  const sources = new Places<string>();
  const countries = new Places<string>();
  const clients = new Places<SeenClient>();
  const traits = new Places<Traits>();
  const column = () => new Int32Array(batch.length);
  const views = {
    paths: paths.list,
    sources: sources.list,
    countries: countries.list,
    clients: clients.list,
    traits: traits.list,
    kinds,
    day: column(),
    visitor: new BigInt64Array(batch.length),
    kind: column(),
    path: column(),
    source: column(),
    country: column(),
    client: column(),
    trait: column(),
  } satisfies ViewTable;
  let last: View | undefined;
  for (const [i, view] of batch.entries()) {
    const { projectId, day, source, country, client } = view;
    views.day[i] =
      last && last.projectId === projectId && last.day === day
        ? (views.day[i - 1] as number)
        : days.of({ projectId, day }, `${projectId} ${day}`);
    last = view;
    views.visitor[i] = view.visitor;
    views.kind[i] = kinds.indexOf(view.kind);
    views.path[i] = paths.of(view.path);
    views.source[i] = source === null ? -1 : sources.of(source);
    views.country[i] = country === null ? -1 : countries.of(country);
    views.client[i] = client === null ? -1 : clients.of(client, joinClient(client));
    // The same object for the same user agent, as long as it is remembered.
    views.trait[i] = traits.of(view.traits);
  }
  return { days: days.list, views };
}
