import type { Traits } from '../counting/traits.ts';
import type { CountedKind, SeenClient } from '../counting/view.ts';
import type { ViewTable } from '../store/import-store.ts';

/** A thing that views mention, with its place in the list of the batch that it was last added to. */
export interface Mention<T> {
  readonly value: T;
  list: readonly T[] | undefined;
  index: number;
}

export function mention<T>(value: T): Mention<T> {
  return { value, list: undefined, index: -1 };
}

const kinds = ['human', 'ai'] as const satisfies CountedKind[];

export interface LoggedView {
  day: number;
  visitor: bigint;
  kind: CountedKind;
  path: Mention<string>;
  source: Mention<string> | null;
  country: Mention<string> | null;
  client: Mention<SeenClient> | null;
  traits: Mention<Traits>;
}

/** Of paths and sources, which strangers can make long and many. */
const maxCharacters = 2_000_000;

type Column = 'day' | 'kind' | 'path' | 'source' | 'country' | 'client' | 'trait';

/** Gathers the views of a transaction in columns. */
export class Views {
  static readonly capacity = 4_096;
  length = 0;
  #characters = 0;
  readonly #paths: string[] = [];
  readonly #sources: string[] = [];
  readonly #countries: string[] = [];
  readonly #clients: SeenClient[] = [];
  readonly #traits: Traits[] = [];
  readonly #visitor = new BigInt64Array(Views.capacity);
  readonly #columns: Record<Column, Int32Array> = {
    day: new Int32Array(Views.capacity),
    kind: new Int32Array(Views.capacity),
    path: new Int32Array(Views.capacity),
    source: new Int32Array(Views.capacity),
    country: new Int32Array(Views.capacity),
    client: new Int32Array(Views.capacity),
    trait: new Int32Array(Views.capacity),
  };

  add(view: LoggedView): void {
    const i = this.length++;
    const columns = this.#columns;
    this.#visitor[i] = view.visitor;
    columns.day[i] = view.day;
    columns.kind[i] = kinds.indexOf(view.kind);
    columns.path[i] = this.#indexOfText(this.#paths, view.path);
    columns.source[i] = this.#indexOfText(this.#sources, view.source);
    columns.country[i] = indexIn(this.#countries, view.country);
    columns.client[i] = indexIn(this.#clients, view.client);
    columns.trait[i] = indexIn(this.#traits, view.traits);
  }

  get isFull(): boolean {
    return this.length === Views.capacity || this.#characters >= maxCharacters;
  }

  #indexOfText(list: string[], text: Mention<string> | null): number {
    if (text !== null && text.list !== list) this.#characters += text.value.length;
    return indexIn(list, text);
  }

  table(): ViewTable {
    const columns = Object.fromEntries(
      Object.entries(this.#columns).map(([name, column]) => [name, column.slice(0, this.length)]),
    ) as Record<Column, Int32Array>;
    return {
      ...columns,
      visitor: this.#visitor.slice(0, this.length),
      kinds,
      paths: this.#paths,
      sources: this.#sources,
      countries: this.#countries,
      clients: this.#clients,
      traits: this.#traits,
    };
  }
}

function indexIn<T>(list: T[], thing: Mention<T> | null): number {
  if (thing === null) return -1;
  if (thing.list !== list) {
    thing.index = list.push(thing.value) - 1;
    thing.list = list;
  }
  return thing.index;
}
