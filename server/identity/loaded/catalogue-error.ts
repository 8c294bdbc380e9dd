/** A catalogue that is rejected; the message says why, in a sentence. */
export class CatalogueError extends Error {}
