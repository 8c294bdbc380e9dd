import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { drawPlot, type PlotOptions } from './plot.ts';

interface Plot {
  /** The element to draw in. */
  container: { current: HTMLDivElement | null };
  /** Moves the cursor to a point. */
  moveTo: (index: number) => void;
}

/** Keeps a drawing in the container: of these options, in the colours of the theme, and as wide as there is room. */
export function usePlot(options: PlotOptions): Plot {
  const { bins, earlier, marks, hasPeople, hasAi, height } = options;
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(options);
  latest.current = options;
  const themeChanges = useThemeChanges();
  useEffect(() => {
    const element = container.current;
    if (!element || bins.length === 0) return;
    latest.current.onPoint(null);
    const drawn = drawPlot(element, {
      ...latest.current,
      onSelectRange: (first, last) => latest.current.onSelectRange(first, last),
    });
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [bins, earlier, marks, hasPeople, hasAi, height, themeChanges]);
  const moveTo = (index: number) =>
    plot.current?.setCursor({ left: plot.current.valToPos(index, 'x'), top: 0 });
  return { container, moveTo };
}

/** Counts up whenever the colours change. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const count = () => setChanges((before) => before + 1);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', count);
    addEventListener('themechange', count);
    return () => {
      scheme.removeEventListener('change', count);
      removeEventListener('themechange', count);
    };
  }, []);
  return changes;
}
