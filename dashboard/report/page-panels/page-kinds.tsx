import { Switch } from '../../components/switch.tsx';
import { useRouter } from '../../router/router.tsx';
import { t } from '../../texts/report.ts';

export type PageKind = keyof typeof t.pageKinds;

/** Which pages the address asks for. */
export function usePageKind(): PageKind {
  const given = useRouter().query.get('pages') ?? '';
  return Object.hasOwn(t.pageKinds, given) ? (given as PageKind) : 'all';
}

/** All pages, those on which visits began or ended, or how long pages were seen. */
export function PageKinds() {
  const { hrefWith } = useRouter();
  return (
    <Switch
      label={t.whichPages}
      options={t.pageKinds}
      value={usePageKind()}
      hrefOf={(kind) => hrefWith({ pages: kind === 'all' ? null : kind, page: null })}
    />
  );
}
