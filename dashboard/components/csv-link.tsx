import { Icon } from './icon.tsx';

/** Downloads what is shown as a file. */
export function CsvLink({ href, title }: { href: string; title: string }) {
  return (
    <a
      class="button quiet icon-button"
      href={href}
      download
      aria-label={`${title} as a CSV file`}
      title="CSV file"
    >
      <Icon name="file" />
    </a>
  );
}
