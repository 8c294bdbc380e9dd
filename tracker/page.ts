export interface WithPrototype {
  /** Neither a variable of the page (`class Document`) nor an element has that name. */
  __proto__: object;
}

/**
 * What the document itself says, whatever the page is made of: an element of that name (`<iframe name="hidden">`) hides the
 * document's own property, but not that of its prototype.
 */
export const ofDocument = <Name extends keyof Document>(name: Name): Document[Name] =>
  Reflect.get((document as unknown as WithPrototype).__proto__, name, document);
