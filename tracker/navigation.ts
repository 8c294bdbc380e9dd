/**
 * Calls `moved` right after each change of the address that loads no new document, and at times without one.
 *
 * @param entry of the browser's history; undefined where it does not tell
 */
export function onNavigation(
  moved: (replaced?: boolean) => void,
  entry: NavigationHistoryEntry | null | undefined,
): void {
  if (entry) {
    navigation.addEventListener('currententrychange', (event) => moved(event.navigationType === 'replace'));
  } else {
    // Firefox before 147 and Safari before 26.2. On the prototype, as routers borrow its methods or freeze `history`.
    for (const name of ['pushState', 'replaceState'] as const) {
      const original = History.prototype[name];
      History.prototype[name] = function (...args) {
        const result: unknown = original.apply(this, args);
        moved(name === 'replaceState');
        return result;
      };
    }
    addEventListener('popstate', () => moved());
  }
}
