/** A file that two branches changed in ways that git cannot bring together. */
export interface Conflict {
  path: string;
  /** Hashes of its contents; undefined where that side has none. */
  ours: string | undefined;
  theirs: string | undefined;
}
