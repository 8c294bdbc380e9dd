import { nameTrait } from '../../formats/names.ts';
import { readablePath, shorten } from '../../formats/text.ts';
import { Link, useRouter } from '../../router/router.tsx';
import { t } from '../../texts/report.ts';
import { keepInPlace } from '../in-place.ts';

export function PagePath({ path }: { path: string }) {
  const { query, hrefWith } = useRouter();
  if (path === '(other)') {
    return (
      <span class="name" title={t.pagesBeyondTheLimitOfNewOnes}>
        {nameTrait(path)}
      </span>
    );
  }
  const isChosen = query.get('path') === path;
  return (
    <Link
      class="name path"
      href={hrefWith({ path: isChosen ? null : path, page: null })}
      aria-current={isChosen ? 'true' : undefined}
      onFollow={keepInPlace}
      title={shorten(path)}
    >
      <bdi dir="ltr">{shorten(readablePath(path))}</bdi>
    </Link>
  );
}
