import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { mayClose } from '../router/unsaved.ts';
import { t } from '../texts/common.ts';
import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * Shown as long as it is rendered; the browser keeps the focus inside. `onClose` may come twice: a browser may close the
 * dialog without asking, and says so too when the dialog is gone anyway.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement as HTMLElement | null;
    element?.showModal();
    return () => {
      element?.close();
      before?.focus();
    };
  }, []);
  const close = (event: Event) => {
    if (mayClose(dialog.current)) return onClose();
    event.preventDefault();
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onCancel={close} onClose={close}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet icon-button" aria-label={t.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
