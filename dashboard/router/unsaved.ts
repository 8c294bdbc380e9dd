import { useLayoutEffect } from 'preact/hooks';
import { t } from '../texts/common.ts';

const unsaved = new Set<object>();

/** While it is true, leaving the page asks first; so does a dialog with a form that has it as `data-unsaved`. */
export function useUnsaved(isUnsaved: boolean): boolean {
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
  return isUnsaved;
}

/** Asks where something is not saved. */
export const mayLeave = (): boolean => unsaved.size === 0 || confirm(t.leaveWithoutSaving);

export const mayClose = (dialog: Element | null): boolean =>
  !dialog?.querySelector('[data-unsaved=true]') || confirm(t.leaveWithoutSaving);
