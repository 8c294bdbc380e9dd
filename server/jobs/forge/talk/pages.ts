/** Of what people write at one pull request, on the largest pages. */
export const talkPages = { perPage: 100, maxPages: 10 } as const;

interface Pages<Item> {
  perPage: number;
  maxPages: number;
  /** Whether what comes after these is not wanted. */
  isLast?: (items: readonly Item[]) => boolean;
}

/** Reads pages until one is not full, or as many as there may be. */
export async function readPages<Item>(
  { perPage, maxPages, isLast = () => false }: Pages<Item>,
  read: (page: number) => Promise<Item[]>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const items = await read(page);
    all.push(...items);
    if (items.length < perPage || isLast(items)) break;
  }
  return all;
}

/**
 * The same from a server that may put fewer on a page than it is asked for, or may know of no pages and send all as each of
 * them: the last page is one that brings nothing new.
 */
export async function readPagesOrAll<Item extends { id: number }>(
  maxPages: number,
  read: (page: number) => Promise<Item[]>,
): Promise<Item[]> {
  const all = new Map<number, Item>();
  for (let page = 1; page <= maxPages; page++) {
    const known = all.size;
    for (const item of await read(page)) all.set(item.id, item);
    if (all.size === known) break;
  }
  return [...all.values()];
}
