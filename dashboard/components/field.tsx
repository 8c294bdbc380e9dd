import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';

interface Labelled {
  label: string;
  hint?: ComponentChildren;
  /** What the server found wrong with it. */
  fault?: string | undefined;
}

interface Described {
  id: string;
  describedBy: string | undefined;
}

function Field({
  label,
  hint,
  fault,
  children,
}: Labelled & { children: (ids: Described) => ComponentChildren }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, describedBy })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  );
}

type InputProps = Labelled &
  Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'label'> & { onText?: (text: string) => void };

export function TextField({ label, hint, fault, onText, ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {({ id, describedBy }) => (
        <input
          type="text"
          autocomplete="off"
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={fault ? true : undefined}
          onInput={(event) => onText?.(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

type AreaProps = Labelled &
  Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'label'> & {
    onText: (text: string) => void;
  };

export function AreaField({ label, hint, fault, onText, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {({ id, describedBy }) => (
        <textarea
          rows={3}
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={fault ? true : undefined}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps extends Labelled {
  value: string;
  options: Record<string, string>;
  onText: (text: string) => void;
}

export function ChoiceField({ label, hint, fault, value, options, onText }: ChoiceProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {({ id, describedBy }) => (
        <select
          id={id}
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {Object.entries(options).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What a refusal says of one field; paths such as `hosts.0` are of the field `hosts`. */
export function faultOf(failure: ApiError | undefined, field: string): string | undefined {
  const detail = failure?.details.find(({ path }) => path.split('.').includes(field));
  return detail && `This ${detail.message}.`;
}

/** Does what a form is for, without leaving the page. */
export const submit = (task: () => unknown) => (event: Event) => {
  event.preventDefault();
  task();
};
