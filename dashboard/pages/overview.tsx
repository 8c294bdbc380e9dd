import type { InstallReply, ProjectReply } from '../../shared/admin.ts';
import { useReading } from '../api/reading.ts';
import { View } from '../components/view.tsx';
import { Report } from '../report/report.tsx';
import { Link } from '../router/router.tsx';

export function Overview({ project: { id, name, timeZone } }: { project: ProjectReply }) {
  const install = useReading<InstallReply>(`/v1/admin/projects/${id}/install`, { isLive: true });
  return (
    <View title={name} class="view-report">
      {install.data?.firstDay === null && (
        <section class="welcome">
          <h2>Nothing has arrived yet</h2>
          <p>Put one line into your pages, and the first visit shows up here within a moment.</p>
          <Link href={`/p/${id}/install`} class="button primary">
            Install the script
          </Link>
        </section>
      )}
      <Report base={`/v1/analytics/${id}`} timeZone={timeZone} isShared={false} />
    </View>
  );
}
