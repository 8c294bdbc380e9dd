import { useState } from 'preact/hooks';
import type { NowReply } from '../../shared/reports/analytics.ts';
import { useApi, usePolling } from '../api/resource.ts';
import { Mark } from '../components/icon.tsx';
import { isMissing } from '../formats/measured.ts';
import { formatCount, formatPeople } from '../formats/number.ts';
import { Link, useRouter } from '../router/router.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

const everyMs = 5_000;

interface NowProps {
  base: string;
  isFiltered: boolean;
}

/** Visitors of the last five minutes. */
export function Now({ base, isFiltered }: NowProps) {
  const { api } = useApi();
  const { path } = useRouter();
  const [now, setNow] = useState<NowReply>();
  usePolling(async () => setNow(await api.get<NowReply>(`${base}/now`)), everyMs);
  const { visitors: count, measured } = now ?? {};
  return (
    <section class="figure figure-now" aria-label={t.visitorsRightNow}>
      <h2>
        <span class={`pulse ${count?.total ? 'pulse-on' : ''}`} aria-hidden="true" />
        <Link href={`${path.replace(/\/$/, '')}/live`}>
          {isFiltered ? t.rightNowOnTheWholeSite : t.rightNow}
        </Link>
      </h2>
      <p class="figure-number" data-figure="now">
        {count ? formatCount(count.total) : <span class="placeholder" />}
      </p>
      <p class="figure-note">
        {count && (
          <>
            <span>
              <Mark kind="human" />{' '}
              {isMissing('human', count.human, measured) ? t.peopleNotMeasured : formatPeople(count.human)}
            </span>
            <span>
              <Mark kind="ai" />{' '}
              {isMissing('ai', count.ai, measured)
                ? t.aiNotMeasured
                : fill(t.aiCount, { ai: formatCount(count.ai) })}
            </span>
          </>
        )}
        <span class="unseen">{t.inTheLastFiveMinutes}</span>
      </p>
    </section>
  );
}
