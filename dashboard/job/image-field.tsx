import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { imageTypes } from '../../shared/jobs/image.ts';
import { AreaField, type FieldProps } from '../components/form/field.tsx';
import { formatBytes } from '../formats/number.ts';
import { t } from '../texts/jobs.ts';
import { fill } from '../texts/part.ts';

/** An image that goes with a prompt, as the API takes it. */
interface ChosenImage {
  name: string;
  /** In base64. */
  content: string;
  bytes: number;
}

export interface Images {
  chosen: readonly ChosenImage[];
  add(files: Iterable<File>): Promise<void>;
  remove(image: ChosenImage): void;
  clear(): void;
  /** What is sent of them. */
  readonly sent: { name: string; content: string }[];
}

export function useImages(): Images {
  const [chosen, setChosen] = useState<readonly ChosenImage[]>([]);
  return {
    chosen,
    add: async (files) => {
      const read = await Promise.all(Array.from(files, readImage));
      setChosen((before) => [...before, ...read]);
    },
    remove: (image) => setChosen((before) => before.filter((one) => one !== image)),
    clear: () => setChosen([]),
    sent: chosen.map(({ name, content }) => ({ name, content })),
  };
}

function readImage(file: File): Promise<ChosenImage> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const [, content = ''] = String(reader.result).split(',');
      resolve({ name: file.name, content, bytes: file.size });
    };
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Images in a clipboard, such as a screenshot; none: it holds text. */
export function pastedImages({ clipboardData }: ClipboardEvent): File[] {
  return Array.from(clipboardData?.files ?? []).filter(({ type }) => type.startsWith('image/'));
}

/** Chooses images that go with a prompt, and shows those that do. */
export function ImageField({ images, fault }: { images: Images; fault: string | undefined }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t.images}</label>
      <input
        id={id}
        type="file"
        multiple
        accept={imageTypes.join(',')}
        aria-describedby={`${id}-hint`}
        onChange={async ({ currentTarget }) => {
          await images.add(currentTarget.files ?? []);
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      {images.chosen.length > 0 && (
        <ul class="images">
          {images.chosen.map((image, index) => (
            <li key={`${index} ${image.name}`}>
              <bdi>{image.name}</bdi> <span class="hint">{formatBytes(image.bytes)}</span>
              <button
                type="button"
                class="small quiet"
                aria-label={fill(t.removeImage, { name: image.name })}
                onClick={() => images.remove(image)}
              >
                {t.remove}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p id={`${id}-hint`} class="hint">
        {t.imagesHint}
      </p>
      {fault && (
        <p class="fault" dir="auto">
          {fault}
        </p>
      )}
    </div>
  );
}

interface PromptFieldProps extends FieldProps {
  label: string;
  rows: number;
  placeholder: string;
  hint: ComponentChildren;
  /** What goes with it; undefined: the agent takes none. */
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
