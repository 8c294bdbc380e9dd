import { useEffect, useRef, useState } from 'preact/hooks';

/** How far below the window something is when it is about to be seen. */
const ahead = '300px';

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
    return () => observer.disconnect();
  }, [isSeen]);
  return { ref, isSeen };
}
