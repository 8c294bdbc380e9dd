export interface Pages {
  perPage: number;
  maxPages: number;
}

/** Of what people and programs report at one pull request, on the largest pages. */
export const manyPages: Pages = { perPage: 100, maxPages: 10 };
/** Of what was written since the last look: a stranger's thousand comments do not hide a member's. */
export const newCommentPages: Pages = { perPage: 100, maxPages: 200 };

interface PagesUntil<Item> extends Pages {
  /** Whether what comes after these is not wanted. */
  isLast?: (items: readonly Item[]) => boolean;
}

/** Reads pages until one is not full, or as many as there may be. */
export async function readPages<Item>(
  { perPage, maxPages, isLast = () => false }: PagesUntil<Item>,
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
 * The newest of a list that has the oldest first: finds its last page, and reads back until nothing more is wanted.
 * @param isLast whether what comes before these is not wanted
 */
export async function readNewestPages<Item>(
  { perPage, maxPages, isLast = () => false }: PagesUntil<Item>,
  read: (page: number) => Promise<Item[]>,
): Promise<Item[]> {
  const known = new Map<number, Item[]>();
  const look = async (page: number) => {
    const items = known.get(page) ?? (await read(page));
    known.set(page, items);
    return items;
  };
  // The last page that is full or has something, between one that is full and one that is not.
  let full = 0;
  let end = 1;
  while ((await look(end)).length >= perPage) {
    full = end;
    end *= 2;
  }
  while (end - full > 1) {
    const middle = Math.floor((full + end) / 2);
    if ((await look(middle)).length >= perPage) full = middle;
    else end = middle;
  }
  const all: Item[] = [];
  for (let page = end; page > Math.max(0, end - maxPages); page--) {
    const items = await look(page);
    all.unshift(...items);
    if (items.length > 0 && isLast(items)) break;
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
