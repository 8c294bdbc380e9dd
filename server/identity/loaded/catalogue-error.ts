/** A catalogue that is not taken up; the message says in a sentence why. */
export class CatalogueError extends Error {}
