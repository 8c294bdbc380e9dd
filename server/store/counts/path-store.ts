/** A path that views were counted under, by a number that tells where to go on listing. */
export interface ListedPath {
  id: number;
  path: string;
}

/** The path that the counts of another go to; null: name and counts are deleted. */
export interface PathMove {
  from: string;
  to: string | null;
}

/** Changes under which paths it was counted. The rules of `Store` hold. */
export interface PathStore {
  /** After this number, in its order; a path may come more than once. */
  list(projectId: string, after: number, limit: number): Promise<ListedPath[]>;
  /** Other paths, by text after this one: what sums that are no views name. */
  listTallied(projectId: string, after: string, limit: number): Promise<string[]>;
  /**
   * Adds counts of all days to those of other paths, for the site, for each AI client and for tallies that name paths. A visitor of several of them is
   * one visitor where the day's visitors are still known, and several on other days. Answers false where there is no such
   * project.
   */
  move(projectId: string, moves: PathMove[]): Promise<boolean>;
  /** When it resolves, the engine has destroyed what it can of what was moved, as `Store.seal` does. */
  erase(): Promise<void>;
}
