import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Action, useAction } from '../../api/action.ts';
import type { Detail } from '../../api/client.ts';
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

/** Does what a form is for, without leaving the page, and goes to the first field that was refused. */
export const submit = (task: () => unknown) => async (event: Event) => {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  await task();
  requestAnimationFrame(() => {
    const field = form.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  });
};

/** What went wrong, unless its fields say all of it. */
function FormFailure({ action: { failure, ...form } }: { action: Pick<Action<[]>, 'failure'> }) {
  const values = 'values' in form ? (form.values as object) : {};
  const isAtField = ({ path }: Detail) => path.split('.').some((part) => Object.hasOwn(values, part));
  const isSaid = failure && failure.details.length > 0 && failure.details.every(isAtField);
  return <Failure failure={isSaid ? undefined : failure} />;
}

interface FormProps {
  action: Pick<Action<[]>, 'run' | 'failure' | 'isBusy'>;
  /** Text of the button that sends it. */
  submitLabel: string;
  class?: string;
  /** What the button is called where its text alone says too little. */
  label?: string;
  /** Leaving the page or its dialog before it was sent asks first. */
  isKept?: boolean;
  /** Beside the button. */
  status?: (isChanged: boolean) => ComponentChildren;
  children: ComponentChildren;
}

/** Fields, what went wrong, and a button that sends them. */
export function Form({ action, submitLabel, class: name = '', isKept = false, ...props }: FormProps) {
  const [isChanged, setChanged] = useState(false);
  const isUnsaved = useUnsaved(isKept && isChanged && !action.isBusy);
  const send = async () => {
    if (await action.run()) setChanged(false);
  };
  return (
    <form
      class={`form ${name}`}
      data-unsaved={isUnsaved}
      onSubmit={submit(send)}
      onInput={() => setChanged(true)}
    >
      {props.children}
      <FormFailure action={action} />
      <div class="actions">
        {props.status && (
          <span class="saved" role="status">
            {props.status(isChanged)}
          </span>
        )}
        <button type="submit" class="primary" disabled={action.isBusy} aria-label={props.label}>
          {submitLabel}
        </button>
      </div>
    </form>
  );
}
