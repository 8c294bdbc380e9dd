import { useEffect, useRef, useState } from 'preact/hooks';

/** How far below the window something is when it is about to be seen. Before anybody scrolls it is not. */
const ahead = '600px';

const maxReadMs = 10_000;

/** A printer scrolls nowhere: what is shown meanwhile is seen. */
let isPrinting = false;

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
    const note = ({ type }: Event) => {
      isPrinting = type === 'beforeprint' || printer.matches;
    };
    const printer = matchMedia('print');
    printer.addEventListener('change', note);
    addEventListener('beforeprint', note);
    addEventListener('afterprint', note);
    addEventListener('keydown', onKey);
    return () => {
      printer.removeEventListener('change', note);
      removeEventListener('beforeprint', note);
      removeEventListener('afterprint', note);
      removeEventListener('keydown', onKey);
    };
  }, []);
}

interface Seen<T> {
  ref: { current: T | null };
  isSeen: boolean;
}

/** Whether somebody has scrolled to an element, so that what nobody looks at is not read. */
export function useSeen<T extends Element>(isAwaited: boolean): Seen<T> {
  const ref = useRef<T>(null);
  const [isSeen, setSeen] = useState(!isAwaited || isPrinting);
  useEffect(() => {
    if (!isAwaited) setSeen(true);
  }, [isAwaited]);
  useEffect(() => {
    const element = ref.current;
    if (isSeen || !element) return;
    const note = (entries: IntersectionObserverEntry[]) => {
      // What is out of sight may be about to be printed.
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    };
    const inSight = new IntersectionObserver(note);
    const near = new IntersectionObserver(note, { rootMargin: ahead });
    const look = () => {
      if (scrollY > 0) near.observe(element);
    };
    inSight.observe(element);
    look();
    addEventListener('scroll', look);
    const show = () => setSeen(true);
    const printer = matchMedia('print');
    addEventListener('beforeprint', show);
    printer.addEventListener('change', show);
    return () => {
      inSight.disconnect();
      near.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('beforeprint', show);
      printer.removeEventListener('change', show);
    };
  }, [isSeen]);
  return { ref, isSeen };
}
