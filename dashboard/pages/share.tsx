import type { ShareReply } from '../../shared/accounts/admin.ts';
import { useResource } from '../api/resource.ts';
import { Logo } from '../components/icon.tsx';
import { LanguageMenu } from '../components/language-menu.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { SkipLink } from '../components/skip-link.tsx';
import { ThemeButton } from '../components/theme.tsx';
import { Report } from '../report/report.tsx';
import { t } from '../texts/frame.ts';

/** The overview, for everybody who has the link. */
export function Share({ token }: { token: string }) {
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
      </header>
      <Page title={share.data?.name ?? (share.failure ? t.pageNotFound : t.visitors)} class="page-report">
        <Loaded resource={share} lines={12}>
          {({ timeZone }) => <Report base={base} timeZone={timeZone} projectId={null} />}
        </Loaded>
      </Page>
    </>
  );
}
