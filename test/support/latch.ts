/** Blocks everything that waits for `opened`. */
export interface Latch {
  opened: Promise<void>;
  open(): void;
}

export function createLatch(): Latch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
