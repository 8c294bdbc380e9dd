import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { RequestError } from '../../api/client.ts';
import { t } from '../../texts/common.ts';
import { fill } from '../../texts/part.ts';

/** What every field takes of its form. */
export interface FieldProps {
  name: string;
  value: string;
  onText: (text: string) => void;
  /** What the server found wrong with it. */
  fault?: string | undefined;
  /** Who may change it, where that is not everybody who sees it. */
  note?: string | undefined;
}

interface Labelled {
  label: string;
  hint?: ComponentChildren;
  /** What the server found wrong with it. */
  fault?: string | undefined;
  /** Who may change it, where that is not everybody who sees it. */
  note?: string | undefined;
}

interface Described {
  id: string;
  describedBy: string | undefined;
}

function Field({
  label,
  hint,
  fault,
  note,
  children,
}: Labelled & { children: (ids: Described) => ComponentChildren }) {
  const id = useId();
  const describedBy =
    [hint && `${id}-hint`, note && `${id}-note`, fault && `${id}-fault`].filter(Boolean).join(' ') ||
    undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, describedBy })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {note && (
        <p id={`${id}-note`} class="hint">
          {note}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} class="fault" dir="auto" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

type InputProps = Labelled &
  Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'label'> & { onText?: (text: string) => void };

export function TextField({ label, hint, fault, note, onText, ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} fault={fault} note={note}>
      {({ id, describedBy }) => (
        <input
          type="text"
          dir="auto"
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

export function AreaField({ label, hint, fault, note, onText, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} fault={fault} note={note}>
      {({ id, describedBy }) => (
        <textarea
          rows={3}
          dir="auto"
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

interface ChoiceProps extends Labelled, FieldProps {
  /** Values and how they are shown. */
  options: Record<string, string>;
}

export function ChoiceField({ label, hint, fault, note, name, value, options, onText }: ChoiceProps) {
  return (
    <Field label={label} hint={hint} fault={fault} note={note}>
      {({ id, describedBy }) => (
        <select
          id={id}
          name={name}
          value={value}
          aria-describedby={describedBy}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {Object.entries(options).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What the server says of one field; a path such as `hosts.0` is of the first line of the field `hosts`. */
export function faultOf(failure: RequestError | undefined, field: string): string | undefined {
  const detail = failure?.details.find(({ path }) => path.split('.').includes(field));
  if (!detail) return undefined;
  const { message, path } = detail;
  const line = /\.(\d+)$/.exec(path)?.[1];
  if (line === undefined) return fill(t.fieldFault, { message });
  return fill(t.lineFault, { line: Number(line) + 1, message });
}
