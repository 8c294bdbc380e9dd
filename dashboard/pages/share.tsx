import type { ShareReply } from '../../shared/admin.ts';
import { useReading } from '../api/reading.ts';
import { Logo } from '../components/icon.tsx';
import { Loaded } from '../components/notice.tsx';
import { SkipLink } from '../components/shell.tsx';
import { ThemeButton } from '../components/theme.tsx';
import { View } from '../components/view.tsx';
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
