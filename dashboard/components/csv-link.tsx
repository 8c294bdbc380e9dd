import { addressOf } from '../router/address.ts';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { Icon } from './icon.tsx';

/** Downloads what is shown as a file. */
export const CsvLink = ({ href, title }: { href: string; title: string }) => (
  <FileLink href={href} label={fill(t.asACsvFile, { title })} />
);

export const FileLink = ({ href, label }: { href: string; label: string }) => (
  <a class="button quiet icon-button" href={addressOf(href)} download aria-label={label} title={label}>
    <Icon name="file" />
  </a>
);

/** Leads to what our own documentation says of a report. */
export const HelpLink = ({ report, title }: { report: string; title: string }) => (
  <a
    class="button quiet icon-button help"
    href={addressOf(`/help/report/${report}`)}
    target="_blank"
    rel="noopener"
    aria-label={fill(t.helpOn, { title })}
    title={t.help}
  >
    ?
  </a>
);
