import { useEffect, useRef, useState } from 'preact/hooks';

/** How far below the window something is when it is about to be seen. */
const ahead = '300px';

const maxReadMs = 10_000;

/** Ctrl+P or ⌘P prints once all is read that nobody has scrolled to. */
export function usePrinting(): void {
  useEffect(() => {
    const onKey = async (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      dispatchEvent(new Event('beforeprint'));
      const end = performance.now() + maxReadMs;
      do await new Promise((done) => setTimeout(done, 100));
      while (document.querySelector('main [aria-busy=true]') && performance.now() < end);
      print();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

interface Seen<T> {
  ref: { current: T | null };
  isSeen: boolean;
}

/** Whether somebody has scrolled to an element, so that what nobody looks at is not read. */
export function useSeen<T extends Element>(isAwaited: boolean): Seen<T> {
  const ref = useRef<T>(null);
  const [isSeen, setSeen] = useState(!isAwaited);
  useEffect(() => {
    if (isSeen || !ref.current) return;
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries.some((entry) => entry.isIntersecting)),
      {
        rootMargin: ahead,
      },
    );
    observer.observe(ref.current);
    // A printer scrolls nowhere.
    const show = () => setSeen(true);
    const printer = matchMedia('print');
    addEventListener('beforeprint', show);
    printer.addEventListener('change', show);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', show);
      printer.removeEventListener('change', show);
    };
  }, [isSeen]);
  return { ref, isSeen };
}
