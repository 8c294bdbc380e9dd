import type { InstallReply, ProjectReply } from '../../shared/accounts/admin.ts';
import { useResource } from '../api/resource.ts';
import { Page } from '../components/page.tsx';
import { Report } from '../report/report.tsx';
import { useMayOpen } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { t } from '../texts/frame.ts';

export function Overview({ project: { id, name, timeZone, role } }: { project: ProjectReply }) {
  const mayInstall = useMayOpen('/install');
  const install = useResource<InstallReply>(`/v1/admin/projects/${id}/install`, { isLive: true });
  return (
    <Page title={name} class="page-report">
      {install.data?.firstDay === null && (
        <section class="welcome">
          <h2>{t.noPageViewsYet}</h2>
          <p>{t.addOneLineToYourPages}</p>
          {mayInstall && (
            <Link href={`/p/${id}/install`} class="button primary">
              {t.installTheScript}
            </Link>
          )}
        </section>
      )}
      <Report base={`/v1/analytics/${id}`} timeZone={timeZone} projectId={id} mayNote={role !== 'viewer'} />
    </Page>
  );
}
