/** So long panels around it may come, go and change their size. */
const keptMs = 2_000;
const own = ['wheel', 'touchstart', 'keydown', 'pointerdown'];

/** Keeps a row that was chosen where it is in the window, whatever panels a filter takes away, until somebody scrolls. */
export function keepInPlace(link: Element): void {
  const panel = link.closest('[data-report]');
  const report = panel?.getAttribute('data-report');
  if (!panel || !report) return;
  const before = { row: topOf(link), panel: topOf(panel) };
  const stop = new AbortController();
  const keep = () => {
    if (stop.signal.aborted) return;
    const kept = document.querySelector(`[data-report="${CSS.escape(report)}"]`);
    const row = kept?.querySelector('tbody [aria-current]');
    if (row) scrollBy(0, topOf(row) - before.row);
    else if (kept) scrollBy(0, topOf(kept) - before.panel);
    requestAnimationFrame(keep);
  };
  for (const name of own) addEventListener(name, () => stop.abort(), { signal: stop.signal });
  setTimeout(() => stop.abort(), keptMs);
  requestAnimationFrame(keep);
}

const topOf = (element: Element) => element.getBoundingClientRect().top;
