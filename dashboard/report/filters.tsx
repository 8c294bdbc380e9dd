import { Icon } from '../components/icon.tsx';
import { readablePath, shorten } from '../formats/text.ts';
import { Link, useRouter } from '../router/router.tsx';

/** The page or AI client that the numbers are limited to, each with a link that removes the limit. */
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
      <Link href={clear} aria-label={`Remove the filter: ${kind}`}>
        <Icon name="close" />
      </Link>
    </li>
  );
}
