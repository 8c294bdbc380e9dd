/** Seconds after which the tracker reports that a page is still in view, each once a view. */
export const visibleSeconds = [10, 30, 60, 180, 600] as const;

export type VisibleSeconds = (typeof visibleSeconds)[number];
