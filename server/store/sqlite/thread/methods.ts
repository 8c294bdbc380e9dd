type Method = (...args: never[]) => unknown;

/** The public methods of an object. */
type Methods<T> = { [Name in keyof T as T[Name] extends Method ? Name : never]: T[Name] };

/** The methods of an object's class, for a thread to offer. */
export function methods<T extends object>(object: T): Methods<T> {
  const names = Object.getOwnPropertyNames(object.constructor.prototype).filter((n) => n !== 'constructor');
  const bound = names.map((name) => [name, (Reflect.get(object, name) as Method).bind(object)] as const);
  return Object.fromEntries(bound) as Methods<T>;
}

type Call<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;

/** What a thread offers, part by part, as other threads see it. */
export type Calls<Parts> = {
  readonly [Part in keyof Parts]: { readonly [Name in keyof Parts[Part]]: Call<Parts[Part][Name]> };
};
