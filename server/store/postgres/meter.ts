import { Histogram, secondsSince } from '../../meter.ts';
import type { StoreActivity } from '../store.ts';

const callSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

type Method = (...args: unknown[]) => unknown;

/** The methods of an object, as an object of their own. */
type Methods<Part> = {
  [Name in keyof Part as Part[Name] extends (...args: never[]) => unknown ? Name : never]: Part[Name];
};

/** Measures what the calls of the store's parts take. */
export class Meter {
  readonly #seconds = new Map<string, Histogram>();

  /** The methods of an object, each of which is measured where it answers with a promise. */
  watch<Part extends object>(name: string, part: Part): Methods<Part> {
    const watched = methodNames(part).map((method) => [method, this.#watch(name, part, method)]);
    return Object.fromEntries(watched) as Methods<Part>;
  }

  activity(): StoreActivity[] {
    return Array.from(this.#seconds, ([part, seconds]) => ({ thread: 'database', part, seconds }));
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
    const note = () => this.#histogramOf(name).observe(secondsSince(startedAt));
    result.then(note, note);
  }

  #histogramOf(name: string): Histogram {
    let seconds = this.#seconds.get(name);
    if (!seconds) {
      seconds = new Histogram(callSeconds);
      this.#seconds.set(name, seconds);
    }
    return seconds;
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
