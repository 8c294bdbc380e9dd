/** Reads pages until one is not full, or as many as there may be. */
export async function readPages<Item>(
  { perPage, maxPages }: { perPage: number; maxPages: number },
  read: (page: number) => Promise<Item[]>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const items = await read(page);
    all.push(...items);
    if (items.length < perPage) break;
  }
  return all;
}
