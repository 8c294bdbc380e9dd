import { useEffect, useRef } from 'preact/hooks';

/** Of a row that is scrolled sideways on a narrow page: has what is chosen in its middle, whenever that changes. */
export function useChosenInSight(chosen: string): { current: HTMLElement | null } {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = row.current?.querySelector('[aria-current],[aria-pressed=true]');
    if (row.current && link) row.current.scrollLeft += middleOf(link) - middleOf(row.current);
  }, [chosen]);
  return row;
}

function middleOf(element: Element): number {
  const { left, right } = element.getBoundingClientRect();
  return (left + right) / 2;
}
