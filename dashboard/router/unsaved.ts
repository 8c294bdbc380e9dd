import { useLayoutEffect } from 'preact/hooks';
import { t } from '../texts/common.ts';

const unsaved = new Set<object>();

/** While it is true, leaving the page asks first. */
export function useUnsaved(isUnsaved: boolean): void {
  // At once: what was sent may be answered before a page is painted.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const form = {};
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    unsaved.add(form);
    addEventListener('beforeunload', ask);
    return () => {
      unsaved.delete(form);
      removeEventListener('beforeunload', ask);
    };
  }, [isUnsaved]);
}

/** Asks where something is not saved. */
export const mayLeave = (): boolean => unsaved.size === 0 || confirm(t.leaveWithoutSaving);
