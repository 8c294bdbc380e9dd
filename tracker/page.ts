/**
 * What the document itself says, whatever the page is made of: an element of that name (`<iframe name="hidden">`) hides the
 * document's own property, but not that of its prototype.
 */
export const ofDocument = <Name extends keyof Document>(name: Name): Document[Name] =>
  Reflect.get(Document.prototype, name, document);
