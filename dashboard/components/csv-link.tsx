import { addressOf } from '../router/address.ts';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { Icon } from './icon.tsx';

/** Downloads what is shown as a file. */
export function CsvLink({ href, title }: { href: string; title: string }) {
  return (
    <a
      class="button quiet icon-button"
      href={addressOf(href)}
      download
      aria-label={fill(t.asACsvFile, { title })}
      title={t.csvFile}
    >
      <Icon name="file" />
    </a>
  );
}
