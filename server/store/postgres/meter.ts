import { CallTimes } from '../call-times.ts';
import type { StoreActivity } from '../store.ts';

type Method = (...args: unknown[]) => unknown;

/** The methods of an object, as an object of their own. */
type Methods<Part> = {
  [Name in keyof Part as Part[Name] extends (...args: never[]) => unknown ? Name : never]: Part[Name];
};

/** Measures what the calls of the store's parts take. */
export class Meter {
  readonly #times = new CallTimes('database');

  /** The methods of an object, each of which is measured where it answers with a promise. */
  watch<Part extends object>(name: string, part: Part): Methods<Part> {
    const watched = methodNames(part).map((method) => [method, this.#watch(name, part, method)]);
    return Object.fromEntries(watched) as Methods<Part>;
  }

  activity(): StoreActivity[] {
    return this.#times.activity();
  }

  #watch(name: string, part: object, method: string): Method {
    const call = (Reflect.get(part, method) as Method).bind(part);
    return (...args) => {
      const startedAt = performance.now();
      const result = call(...args);
      if (result instanceof Promise) this.#note(name, result, startedAt);
      return result;
    };
  }

  #note(name: string, result: Promise<unknown>, startedAt: number): void {
    const note = () => this.#times.note(name, startedAt);
    result.then(note, note);
  }
}

/** Its own, and those of its class. */
function methodNames(object: object): string[] {
  const prototype: object = Object.getPrototypeOf(object);
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  const names = new Set([...Object.keys(object), ...inherited]);
  names.delete('constructor');
  return [...names].filter((name) => typeof Reflect.get(object, name) === 'function');
}
