import { Icon } from '../components/icon.tsx';
import { readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';

/** What is looked at alone, and how to look at all again. */
export function Filters({ path, client }: { path: string | null; client: string | null }) {
  const { hrefWith } = useRouter();
  if (path === null && client === null) return null;
  return (
    <ul class="filters" aria-label="Filters">
      {path !== null && (
        <Filter
          kind="Page"
          text={shorten(readablePath(path), 80)}
          clear={hrefWith({ path: null, page: null })}
        />
      )}
      {client !== null && (
        <Filter kind="AI client" text={shorten(client, 80)} clear={hrefWith({ client: null, page: null })} />
      )}
    </ul>
  );
}

function Filter({ kind, text, clear }: { kind: string; text: string; clear: string }) {
  return (
    <li class="filter">
      {kind} <bdi dir={kind === 'Page' ? 'ltr' : undefined}>{text}</bdi>
      <Link href={clear} aria-label={`Show all again, not only this ${kind === 'Page' ? 'page' : kind}`}>
        <Icon name="close" />
      </Link>
    </li>
  );
}
