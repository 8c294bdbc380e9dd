import type { ComponentChildren } from 'preact';
import { AreaField, type FieldProps } from '../components/field.tsx';

interface PromptFieldProps extends FieldProps {
  label: string;
  rows: number;
  placeholder: string;
  hint: ComponentChildren;
}

/** What a person asks of a job. */
export function PromptField(props: PromptFieldProps) {
  return <AreaField maxLength={32_000} required {...props} />;
}
