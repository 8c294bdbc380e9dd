import type { Filter } from '../../../shared/reports/pairs.ts';
import { Switch } from '../../components/switch.tsx';
import { useRouter } from '../../router/router.tsx';
import { t } from '../../texts/report.ts';
import { isAnswered, namesIn } from '../filter.ts';

/** All pages, those on which visits began or ended, or how long pages were seen. */
export const pageKinds = ['all', 'entry', 'exit', 'time'] as const;

export type PageKind = (typeof pageKinds)[number];

/** Those of which there are sums with this filter. */
export function pageKindsWith(filter: Filter): PageKind[] {
  const isOfPage = namesIn(filter).every((name) => name === 'path');
  return pageKinds.filter((kind) => (kind === 'all' ? isAnswered('path', filter) : isOfPage));
}

/** Which pages the address asks for. */
export function usePageKind(filter: Filter): PageKind | undefined {
  const given = useRouter().query.get('pages');
  const kinds = pageKindsWith(filter);
  return kinds.find((kind) => kind === given) ?? kinds[0];
}

export function PageKinds({ filter = {} }: { filter?: Filter | undefined }) {
  const { hrefWith } = useRouter();
  const kinds = pageKindsWith(filter);
  if (kinds.length < 2) return null;
  return (
    <Switch
      label={t.whichPages}
      options={Object.fromEntries(kinds.map((kind) => [kind, t.pageKinds[kind]]))}
      value={usePageKind(filter) ?? 'all'}
      hrefOf={(kind) => hrefWith({ pages: kind === 'all' ? null : kind, page: null })}
    />
  );
}
