import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LiveReply } from '../../shared/reports/analytics.ts';
import { useApi } from '../api/resource.ts';
import { Skeleton } from '../components/notice.tsx';
import { isMissing } from '../formats/measured.ts';
import { formatCount } from '../formats/number.ts';
import { readable, readablePath, shorten } from '../formats/text.ts';
import { addressOf } from '../router/address.ts';
import { t as more } from '../texts/more.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { NumberTable } from './count-table.tsx';
import { Shortcuts } from './habits.tsx';
import { RightNow } from './now.tsx';
import { Included } from './panel.tsx';
import { labelInTable } from './traits.tsx';

const retryMs = 3_000;

interface Stream {
  live: LiveReply | undefined;
  isLost: boolean;
}

/** Who is there, as it changes: read anew where the stream breaks, and not at all while nobody looks. */
function useLive(path: string): Stream {
  const { api } = useApi();
  const [stream, setStream] = useState<Stream>({ live: undefined, isLost: false });
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    };
    const open = () => {
      close();
      if (document.hidden) return;
      const opened = new EventSource(addressOf(path));
      source = opened;
      opened.onmessage = ({ data }) => setStream({ live: JSON.parse(data), isLost: false });
      opened.onerror = () => {
        setStream(({ live }) => ({ live, isLost: true }));
        if (opened.readyState !== EventSource.CLOSED) return;
        // A request shows whether the session is over.
        api.get<LiveReply>(path).catch(() => undefined);
        timer = setTimeout(open, retryMs);
      };
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [api, path]);
  return stream;
}

/** Who is there now. */
export function Live({ base }: { base: string }) {
  const { live, isLost } = useLive(`${base}/live`);
  const paths = live?.paths.map(({ path, ...count }) => ({
    name: shorten(readablePath(path), 80),
    ...count,
  }));
  const sources = live?.sources.map(({ source, ...count }) => ({
    name: labelInTable('source', source),
    ...count,
  }));
  const countries = live?.countries.map(({ country, ...count }) => {
    return { name: labelInTable('country', country), ...count };
  });
  const clients = live?.clients.map(({ client, ...count }) => ({
    name: shorten(readable(client), 80),
    ...count,
  }));
  const { measured } = live ?? {};
  return (
    <>
      <div role="status">{isLost && <p class="aside">{more.reconnecting}</p>}</div>
      <section class="panel live" aria-label={t.visitorsRightNow}>
        <div class="figure">
          <RightNow now={live} field="live">
            {t.rightNow}
          </RightNow>
        </div>
        <Minutes live={live} />
        <Included {...live} />
      </section>
      <div class="panels">
        <List title={t.pages} head={t.page} rows={paths} measured={measured} isPath />
        <List title={t.traits.source.title} head={t.traits.source.head} rows={sources} measured={measured} />
        <List
          title={t.traits.country.title}
          head={t.traits.country.head}
          rows={countries}
          measured={measured}
        />
        <List title={more.aiClients} head={more.client} rows={clients} measured={measured} isOfAi />
      </div>
      <Shortcuts range={null} today="" />
    </>
  );
}

/** Views of the last half hour. */
function Minutes({ live }: { live: LiveReply | undefined }) {
  const minutes = live?.perMinute ?? [];
  const most = Math.max(1, ...minutes.map(({ human, ai }) => human + ai));
  const sum = (kind: 'human' | 'ai') => minutes.reduce((all, minute) => all + minute[kind], 0);
  const counts = { people: formatCount(sum('human')), ai: formatCount(sum('ai')) };
  return (
    <figure>
      <figcaption>{more.viewsByMinute}</figcaption>
      <div class="minutes" role="img" aria-label={fill(more.lastMinutes, counts)}>
        {minutes.map(({ human, ai }, index) => (
          <span key={index}>
            <span class="bar-ai" style={{ height: `${(100 * ai) / most}%` }} />
            <span class="bar-human" style={{ height: `${(100 * human) / most}%` }} />
          </span>
        ))}
      </div>
    </figure>
  );
}

interface ListProps {
  title: string;
  head: string;
  rows: { name: ComponentChildren; human: number; ai: number }[] | undefined;
  measured: LiveReply['measured'] | undefined;
  isPath?: boolean;
  isOfAi?: boolean;
}

function List({ title, head, rows, measured, isPath = false, isOfAi = false }: ListProps) {
  const number = (kind: 'human' | 'ai', count: number) =>
    isMissing(kind, count, measured) ? null : formatCount(count);
  return (
    <section class="panel" aria-label={title} aria-busy={rows === undefined}>
      <div class="panel-head">
        <h2>{title}</h2>
      </div>
      {rows === undefined ? (
        <Skeleton lines={5} />
      ) : rows.length === 0 ? (
        <p class="empty">{more.noneOfThem}</p>
      ) : (
        <NumberTable
          title={title}
          heads={isOfAi ? [head, t.ai] : [head, t.people, t.ai]}
          rows={rows.map(({ name, human, ai }) => ({
            name: (
              <bdi class="name" dir={isPath ? 'ltr' : undefined}>
                {name}
              </bdi>
            ),
            bar: { human, ai },
            numbers: [...(isOfAi ? [] : [number('human', human)]), number('ai', ai)],
          }))}
        />
      )}
    </section>
  );
}
