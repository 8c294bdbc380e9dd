import { t } from '../texts/common.ts';

export function SkipLink() {
  return (
    <a class="skip" href="#main">
      {t.skipToContent}
    </a>
  );
}
