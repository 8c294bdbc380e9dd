/** Seconds after which the tracker tells that a page is still seen. Each view tells each of them once at most. */
export const visibleSeconds = [10, 30, 60, 180, 600] as const;

export type VisibleSeconds = (typeof visibleSeconds)[number];
