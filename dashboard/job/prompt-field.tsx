import type { ComponentChildren } from 'preact';
import { AreaField, type FieldProps } from '../components/form/field.tsx';
import { ImageField, type Images, pastedImages } from './image-field.tsx';

interface PromptFieldProps extends FieldProps {
  label: string;
  rows: number;
  placeholder: string;
  hint: ComponentChildren;
  /** What goes with it; undefined: whoever does the work is given none. */
  images: Images | undefined;
  imageFault: string | undefined;
}

/** What a person asks of a job. */
export function PromptField({ images, imageFault, ...props }: PromptFieldProps) {
  const paste = (event: ClipboardEvent) => {
    const files = pastedImages(event);
    if (!images || files.length === 0) return;
    event.preventDefault();
    images.add(files);
  };
  return (
    <>
      <AreaField maxLength={32_000} required onPaste={paste} {...props} />
      {images && <ImageField images={images} fault={imageFault} />}
    </>
  );
}
