import { useEffect, useState } from 'preact/hooks';

/** As in style/9-narrow.css. */
const width = '(max-width: 560px)';

/** Whether the page is as narrow as a phone, where tables are folded up. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(width).matches);
  useEffect(() => {
    const list = matchMedia(width);
    const follow = () => setNarrow(list.matches);
    follow();
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}
