/** `push` and `replace` as the Navigation API says them; anything else is a traversal. */
export type Moved = (type?: string | null) => void;

/** Calls `moved` right after each change of the address that loads no new document, and at times without one. */
export function onNavigation(moved: Moved): void {
  if (window.navigation) {
    navigation.addEventListener('currententrychange', (event) => moved(event.navigationType));
  } else {
    // Firefox before 147 and Safari before 26.2. On the prototype, as routers borrow its methods or freeze `history`.
    for (const type of ['push', 'replace'] as const) {
      const original = History.prototype[`${type}State`];
      History.prototype[`${type}State`] = function (...args) {
        try {
          return original.apply(this, args);
        } finally {
          moved(type);
        }
      };
    }
    addEventListener('popstate', () => moved());
  }
}
