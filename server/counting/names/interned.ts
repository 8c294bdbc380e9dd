/** A thing that many views have: the same object each time, so that a batch of views can note in it where it put it. */
export interface Interned<T> {
  readonly value: T;
  /** The list that it was put in last, and its place there. */
  list: readonly unknown[] | undefined;
  index: number;
}

export function intern<T>(value: T): Interned<T> {
  return { value, list: undefined, index: -1 };
}
