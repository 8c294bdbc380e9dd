/** Calls `moved` right after each change of the address that loads no new document, and at times without one. */
export function onNavigation(moved: (replaced?: boolean) => void): void {
  // Not any `navigation`: an element with that id answers to the name too.
  // biome-ignore lint/complexity/useOptionalChain: a syntax error in the browsers of older television sets
  if ((window.navigation || {}).currentEntry) {
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
