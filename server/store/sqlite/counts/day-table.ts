import { addView, emptySum, type KindBit, kindBits } from '../../../counting/sum.ts';
import type { CountedKind } from '../../../counting/view.ts';
import { joinClient, type What, what } from '../../../counting/what.ts';
import type { ViewTable } from '../../import-store.ts';
import type { Delta } from './counts.ts';
import type { Dictionary, Name } from './dictionary.ts';
import type { Seen } from './seen.ts';

/** An open day, by its row. */
export interface DayRow {
  id: number;
  project: number;
  day: number;
}

/** By the indexes of the batch's lists, so that a view costs no look-up by name. */
type Deltas = (Delta | undefined)[];

/** What a batch adds to a day. */
export class DayTable<Row extends DayRow = DayRow> {
  readonly row: Row;
  readonly site = emptyDelta({ id: 0, what: what.site, parent: 0 });
  readonly #dictionary: Dictionary;
  readonly #deltas = new Map<number, Delta>([[this.site.name.id, this.site]]);
  readonly #paths: Deltas = [];
  readonly #sources: Deltas = [];
  readonly #devices: Deltas = [];
  readonly #browsers: Deltas = [];
  readonly #systems: Deltas = [];
  readonly #countries: Deltas = [];
  readonly #clients: Deltas = [];
  readonly #proofs: Deltas = [];
  /** By the client's name. */
  readonly #clientPaths = new Map<number, Deltas>();

  constructor(row: Row, dictionary: Dictionary) {
    this.row = row;
    this.#dictionary = dictionary;
  }

  deltas(): Iterable<Delta> {
    return this.#deltas.values();
  }

  /** Counts a view of the batch on this day. */
  count(views: ViewTable, i: number, seen: Seen): void {
    const kind = kindBits[views.kinds[views.kind[i] as number] as CountedKind];
    const visitor = seen.visitor(this.row.id, views.visitor[i] as bigint);
    const before = seen.add(visitor, this.site.name.id, kind);
    addView(this.site, kind, before);
    this.#countTraits(views, i, kind, before);

    const count = (delta: Delta) => addView(delta, kind, seen.add(visitor, delta.name.id, kind));
    const path = views.path[i] as number;
    count(this.#paths[path] ?? this.#find(this.#paths, path, 'path', views.paths[path]));
    const source = views.source[i] as number;
    if (source >= 0) {
      count(this.#sources[source] ?? this.#find(this.#sources, source, 'source', views.sources[source]));
    }
    const client = views.client[i] as number;
    if (client >= 0) this.#countClient(views, client, path, count);
  }

  /** These follow from the address and the user agent, as the visitor does: whoever is new here is new there. */
  #countTraits(views: ViewTable, i: number, kind: KindBit, before: number): void {
    const trait = views.trait[i] as number;
    const { device, browser, system } = views.traits[trait] as ViewTable['traits'][number];
    addView(this.#devices[trait] ?? this.#find(this.#devices, trait, 'device', device), kind, before);
    addView(this.#browsers[trait] ?? this.#find(this.#browsers, trait, 'browser', browser), kind, before);
    addView(this.#systems[trait] ?? this.#find(this.#systems, trait, 'system', system), kind, before);
    const country = views.country[i] as number;
    if (country < 0) return;
    const delta =
      this.#countries[country] ?? this.#find(this.#countries, country, 'country', views.countries[country]);
    addView(delta, kind, before);
  }

  #countClient(views: ViewTable, index: number, path: number, count: (delta: Delta) => void): void {
    const client = views.clients[index] as ViewTable['clients'][number];
    const named = this.#clients[index] ?? this.#find(this.#clients, index, 'client', client.name);
    count(named);
    count(this.#proofs[index] ?? this.#find(this.#proofs, index, 'clientProof', joinClient(client)));
    const parent = named.name.id;
    const paths = this.#clientPaths.get(parent) ?? [];
    this.#clientPaths.set(parent, paths);
    count(paths[path] ?? this.#find(paths, path, 'clientPath', views.paths[path], parent));
  }

  #find(deltas: Deltas, index: number, dimension: What, text = '', parent = 0): Delta {
    const { project, id } = this.row;
    const name = this.#dictionary.get(project, id, dimension, text, parent);
    // Two texts can be one name: those beyond the day's limit.
    const delta = this.#deltas.get(name.id) ?? emptyDelta(name);
    this.#deltas.set(name.id, delta);
    deltas[index] = delta;
    return delta;
  }
}

function emptyDelta(name: Name): Delta {
  return { name, ...emptySum() };
}
