import { Switch } from '../../components/switch.tsx';
import { useRouter } from '../../router/router.tsx';

const kinds = { all: 'All', entry: 'Entry', exit: 'Exit', time: 'Time' };

export type PageKind = keyof typeof kinds;

/** Which pages the address asks for. */
export function usePageKind(): PageKind {
  const given = useRouter().query.get('pages') ?? '';
  return Object.hasOwn(kinds, given) ? (given as PageKind) : 'all';
}

/** All pages, those on which visits began or ended, or how long pages were seen. */
export function PageKinds() {
  const { hrefWith } = useRouter();
  return (
    <Switch
      label="Which pages"
      options={kinds}
      value={usePageKind()}
      hrefOf={(kind) => hrefWith({ pages: kind === 'all' ? null : kind, page: null })}
    />
  );
}
