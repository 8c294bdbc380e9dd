import type { ShareReply } from '../../shared/accounts/admin.ts';
import { useResource } from '../api/resource.ts';
import { Logo } from '../components/icon.tsx';
import { LanguageMenu } from '../components/language-menu.tsx';
import { lazy } from '../components/lazy.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page, SkipLink } from '../components/page.tsx';
import { Tabs } from '../components/tabs.tsx';
import { ThemeButton } from '../components/theme.tsx';
import { OverviewReport } from '../report/overview.tsx';
import { ImportedContext, pagesFor } from '../router/project-pages.ts';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/frame.ts';

const ReportPage = lazy(async () => (await import('./further.ts')).ReportPage);

/** Numbers, for everybody who has the link. */
export function Share({ token }: { token: string }) {
  const { path } = useRouter();
  const [, , , page] = path.split('/');
  const base = `/v1/share/${encodeURIComponent(token)}`;
  const share = useResource<ShareReply>(base);
  return (
    <>
      <SkipLink />
      <header class="top">
        <div class="top-row">
          <span class="brand">
            <Logo />
            <span>Headcount</span>
          </span>
          <span class="stretch" />
          <span class="tag">{t.readOnly}</span>
          <LanguageMenu />
          <ThemeButton />
        </div>
        {share.data && (
          <Tabs label={t.project} base={`/share/${encodeURIComponent(token)}`} pages={pagesFor(null)} />
        )}
      </header>
      <Page title={share.data?.name ?? (share.failure ? t.pageNotFound : t.visitors)} class="page-report">
        <Loaded resource={share} lines={12}>
          {({ timeZone, isImported }) => {
            const site = { base, timeZone, projectId: null };
            return (
              <ImportedContext.Provider value={isImported}>
                {page === 'ai' ? <ReportPage page="ai" {...site} /> : <OverviewReport {...site} />}
              </ImportedContext.Provider>
            );
          }}
        </Loaded>
      </Page>
    </>
  );
}
