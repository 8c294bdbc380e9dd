/**
 * Calls `moved` right after each change of the address that loads no new document; where no entries are told, without going
 * back and forth, of which `popstate` tells everywhere.
 *
 * @param entry of the browser's history; undefined where it does not tell
 */
export function onNavigation(
  moved: (replaced?: boolean | number) => void,
  entry: NavigationHistoryEntry | null | undefined,
): void {
  if (entry) {
    navigation.addEventListener('currententrychange', (event) => moved(event.navigationType === 'replace'));
  } else {
    // Firefox before 147 and Safari before 26.2. On the prototype, as routers borrow its methods or freeze `history`.
    // The place in the list packs better than a comparison of names, and `map` better than what needs no result.
    // biome-ignore lint/suspicious/useIterableCallbackReturn: nothing is made of it
    (['pushState', 'replaceState'] as const).map((name, replaced) => {
      const original = History.prototype[name];
      History.prototype[name] = function (...args) {
        original.apply(this, args);
        moved(replaced);
      };
    });
  }
}
