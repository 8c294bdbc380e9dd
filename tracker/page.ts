/** Neither a variable of the page (`class Document`) nor an element has that name. */
export interface WithPrototype {
  __proto__: object;
}

/**
 * What the document itself says, whatever the page is made of: an element of that name (`<iframe name="hidden">`) hides the
 * document's own property, but not that of its prototype.
 */
export const ofDocument = <Name extends keyof Document>(name: Name): Document[Name] =>
  // biome-ignore lint/suspicious/noProto: packs better, and is no name of a page's own
  Reflect.get((document as unknown as WithPrototype).__proto__, name, document);
