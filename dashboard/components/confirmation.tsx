import type { ComponentChildren } from 'preact';
import type { Action } from '../api/action.ts';
import { t } from '../texts/common.ts';
import { Dialog } from './dialog.tsx';
import { submit } from './form/form.tsx';
import { Failure } from './notice.tsx';

interface ConfirmationProps {
  /** The question. */
  title: string;
  /** Text of the button that does it. */
  confirmLabel: string;
  action: Pick<Action<[]>, 'run' | 'failure' | 'isBusy'>;
  isDisabled?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks before something is done that cannot be undone. */
export function Confirmation(props: ConfirmationProps) {
  const { title, confirmLabel, action, isDisabled = false, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={submit(() => action.run())}>
        {children}
        <Failure failure={action.failure} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button type="submit" class="danger" disabled={action.isBusy || isDisabled}>
            {confirmLabel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
