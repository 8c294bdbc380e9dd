import { usePageAddress } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { useChosenInSight } from './chosen-in-sight.ts';

interface TabsProps {
  label: string;
  base: string;
  pages: readonly { end: string; name: string }[];
}

/** The pages of a project, in a row. */
export function Tabs({ label, base, pages }: TabsProps) {
  const { path } = useRouter();
  const row = useChosenInSight(path);
  const address = usePageAddress(base);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {pages.map(({ end, name }) => {
        const isHere = end === '' ? path === base : path.startsWith(base + end);
        return (
          <Link key={end} href={address(end)} aria-current={isHere ? 'page' : undefined}>
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
