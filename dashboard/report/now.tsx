import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { NowReply } from '../../shared/reports/analytics.ts';
import { useApi, usePolling } from '../api/resource.ts';
import { Mark } from '../components/icon.tsx';
import { isMissing } from '../formats/measured.ts';
import { formatCount, formatPeople } from '../formats/number.ts';
import { Link } from '../router/router.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { Included } from './panel.tsx';

const everyMs = 5_000;

interface NowProps {
  base: string;
  isFiltered: boolean;
  /** Null: it is seen through a share link, which has no page of it. */
  projectId: string | null;
}

/** Visitors of the last five minutes, on the whole site. */
export function Now({ base, isFiltered, projectId }: NowProps) {
  const { api } = useApi();
  const [now, setNow] = useState<NowReply>();
  usePolling(async () => setNow(await api.get<NowReply>(`${base}/now`)), everyMs);
  const title = isFiltered ? t.rightNowOnTheWholeSite : t.rightNow;
  return (
    <section class="figure figure-now" aria-label={t.visitorsRightNow}>
      <RightNow now={now} field="now">
        {projectId === null ? title : <Link href={`/p/${projectId}/live`}>{title}</Link>}
      </RightNow>
      <Included includesExcluded={now?.includesExcluded} />
    </section>
  );
}

interface RightNowProps {
  /** Undefined: not known yet. */
  now: NowReply | undefined;
  field: string;
  /** The title. */
  children: ComponentChildren;
}

export function RightNow({ now, field, children }: RightNowProps) {
  const { visitors: count, measured } = now ?? {};
  return (
    <>
      <h2>
        <span class={`pulse ${count?.total ? 'pulse-on' : ''}`} aria-hidden="true" />
        {children}
      </h2>
      <p class="figure-number" data-figure={field}>
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
        <span class={field === 'now' ? 'unseen' : undefined}>{t.inTheLastFiveMinutes}</span>
      </p>
    </>
  );
}
