/** Views of a page on either side of a change. */
export interface PageViews {
  before: number;
  after: number;
}

/** How a page moved, or some small ones together. */
export interface Move {
  /** The logarithm of after by before. */
  log: number;
  /** Views on both sides. */
  views: number;
}

/** Pages of fewer views are taken together until they have as many: alone they jump up and down. */
const minViews = 16;
/** And until the side that has fewer views, as before a crawler came, would have as many by what the others have there. */
const minViewsOfSide = 4;
/** More make it no surer, and take longer. */
const maxMoves = 600;

/** How many views a page needs to be taken alone, by what the other pages have; infinite: they have none on a side. */
export function enoughViews(others: readonly PageViews[]): number {
  const before = others.reduce((sum, page) => sum + page.before, 0);
  const after = others.reduce((sum, page) => sum + page.after, 0);
  return Math.max(minViews, (minViewsOfSide * (before + after)) / Math.min(before, after));
}

/** Of the pages in random order; of very many some. */
export function movesOf(pages: readonly PageViews[], random: () => number, enough: number): Move[] {
  const moves: Move[] = [];
  let gathered: PageViews = { before: 0, after: 0 };
  for (const page of shuffle(pages, random)) {
    const isLarge = page.before + page.after >= enough;
    const one = isLarge
      ? page
      : { before: gathered.before + page.before, after: gathered.after + page.after };
    const isEnough = one.before + one.after >= enough;
    if (isEnough) moves.push(moveOf(one));
    if (!isLarge) gathered = isEnough ? { before: 0, after: 0 } : one;
  }
  return moves.slice(0, maxMoves);
}

/** Half a view more on each side, so that none is no minus infinity. */
function moveOf({ before, after }: PageViews): Move {
  return { log: Math.log((after + 0.5) / (before + 0.5)), views: before + after };
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j] as Item, shuffled[i] as Item];
  }
  return shuffled;
}

const smallestWindow = 30;

/** Those of the others that are of like size as some of the changed: small pages move more than large ones. */
export function likeSized(changed: readonly Move[], others: readonly Move[]): Move[] {
  const sorted = others.toSorted((a, b) => a.views - b.views);
  const length = Math.min(sorted.length, Math.max(smallestWindow, Math.ceil(sorted.length / 4)));
  const isNear = new Uint8Array(sorted.length);
  for (const { views } of changed) {
    const place = sorted.findIndex((other) => other.views >= views);
    const middle = place === -1 ? sorted.length : place;
    const first = Math.min(Math.max(0, middle - Math.floor(length / 2)), sorted.length - length);
    isNear.fill(1, first, first + length);
  }
  return sorted.filter((_, i) => isNear[i] === 1);
}
