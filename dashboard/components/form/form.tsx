import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Action, useAction } from '../../api/action.ts';
import { useUnsaved } from '../../router/unsaved.ts';
import { Failure } from '../notice.tsx';
import { type FieldProps, faultOf } from './field.tsx';

/** The texts of a form's fields, and what it does when it is sent. */
export interface FormState<Name extends string> extends Action<[]> {
  values: Record<Name, string>;
  /** What a field of that name needs: its value, and what the server found wrong with it. */
  field(name: Name): FieldProps;
  /** Puts the first texts back. */
  reset(): void;
}

export function useForm<Name extends string>(
  initial: Record<Name, string>,
  send: (values: Record<Name, string>) => Promise<unknown>,
): FormState<Name> {
  const [values, setValues] = useState(initial);
  const action = useAction(() => send(values));
  const field = (name: Name) => ({
    name,
    value: values[name],
    onText: (text: string) => setValues((before) => ({ ...before, [name]: text })),
    fault: faultOf(action.failure, name),
  });
  return { ...action, values, field, reset: () => setValues(initial) };
}

/** Does what a form is for, without leaving the page. */
export const submit = (task: () => unknown) => (event: Event) => {
  event.preventDefault();
  task();
};

interface FormProps {
  action: Pick<Action<[]>, 'run' | 'failure' | 'isBusy'>;
  /** Text of the button that sends it. */
  submitLabel: string;
  class?: string;
  /** Leaving the page before it was sent asks first. */
  isKept?: boolean;
  children: ComponentChildren;
}

/** Fields, what went wrong, and a button that sends them. */
export function Form({ action, submitLabel, class: name = '', isKept = false, children }: FormProps) {
  const [isChanged, setChanged] = useState(false);
  useUnsaved(isKept && isChanged && !action.isBusy);
  const send = async () => {
    if (await action.run()) setChanged(false);
  };
  return (
    <form class={`form ${name}`} onSubmit={submit(send)} onInput={() => setChanged(true)}>
      {children}
      <Failure failure={action.failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={action.isBusy}>
          {submitLabel}
        </button>
      </div>
    </form>
  );
}
