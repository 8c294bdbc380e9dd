import type { ShareReply } from '../../shared/admin.ts';
import { useReading } from '../api/reading.ts';
import { Logo } from '../parts/icon.tsx';
import { Loaded } from '../parts/notice.tsx';
import { SkipLink } from '../parts/shell.tsx';
import { ThemeButton } from '../parts/theme.tsx';
import { View } from '../parts/view.tsx';
import { Report } from '../report/report.tsx';

/** What who has the link may see. */
export function Share({ token }: { token: string }) {
  const base = `/v1/share/${encodeURIComponent(token)}`;
  const share = useReading<ShareReply>(base);
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
          <span class="tag">Read-only</span>
          <ThemeButton />
        </div>
      </header>
      <View title={share.data?.name ?? (share.failure ? 'Not here' : 'Visitors')} class="view-report">
        <Loaded reading={share} lines={12}>
          {({ timeZone }) => <Report base={base} timeZone={timeZone} isShared />}
        </Loaded>
      </View>
    </>
  );
}
