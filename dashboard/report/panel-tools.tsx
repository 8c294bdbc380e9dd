import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useRouter } from '../router/router.tsx';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/report.ts';

interface SearchProps {
  parameter: (end: string) => string;
  value: string;
  title: string;
}

const typingMs = 250;

export function Search({ parameter, value, title }: SearchProps) {
  const { navigate, hrefWith } = useRouter();
  const [text, setText] = useState(value);
  const asked = useRef(value);
  // Going back in history changes what is searched for. What was asked from here may come when more is typed already.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === value) return;
    const ask = () => {
      asked.current = text;
      navigate(hrefWith({ [parameter('search')]: text, [parameter('page')]: null }), { replace: true });
    };
    const timer = setTimeout(ask, typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <label class="search">
      <span class="unseen">{mix(t.searchIn, { title })}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={t.search}
        value={text}
        maxLength={1024}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

interface PagerProps {
  parameter: (end: string) => string;
  page: number;
  hasMore: boolean;
  title: string;
}

export function Pager({ parameter, page, hasMore, title }: PagerProps) {
  const { navigate, hrefWith } = useRouter();
  const goTo = (to: number) => (event: MouseEvent) => {
    const panel = (event.currentTarget as HTMLElement).closest<HTMLElement>('.panel');
    // Fewer rows do not move what is below.
    if (panel) panel.style.minHeight = `${panel.getBoundingClientRect().height}px`;
    navigate(hrefWith({ [parameter('page')]: to > 1 ? String(to) : null }));
  };
  if (page === 1 && !hasMore) return <div class="pager" />;
  return (
    <nav class="pager" aria-label={fill(t.pagesOf, { title })}>
      <button
        type="button"
        class="quiet icon-button"
        disabled={page === 1}
        onClick={goTo(page - 1)}
        aria-label={t.previousRows}
      >
        <Icon name="previous" />
      </button>
      <span>{mix(t.pageNumber, { page })}</span>
      <button
        type="button"
        class="quiet icon-button"
        disabled={!hasMore}
        onClick={goTo(page + 1)}
        aria-label={t.nextRows}
      >
        <Icon name="next" />
      </button>
    </nav>
  );
}
