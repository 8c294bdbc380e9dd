import { setImmediate as nextTurn } from 'node:timers/promises';

const lines = Array.from({ length: 40_000 }, (_, i) => `${'a'.repeat(100)}/${(i * 7919) % 40_000}`);

/** The processor's milliseconds for a piece of work that takes some 15 of them on a quiet machine. */
function measureWork(): number {
  const before = process.threadCpuUsage();
  lines.toSorted();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * No turn may take more than 50 ms on a quiet machine. A shared one computes at a third of its speed at times,
 * and some at less: how fast this one is at the moment is measured.
 */
export const maxSliceMs = Math.max(150, 10 * Math.min(...Array.from({ length: 4 }, measureWork)));

/** The most of the processor, in milliseconds, that some work takes of this thread between two turns of its event loop. */
export async function longestSlice(work: () => unknown): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  };
  const watch = async () => {
    for (; !isOver; await nextTurn()) look();
  };
  const watching = watch();
  try {
    await work();
  } finally {
    isOver = true;
    look();
    await watching;
  }
  return longest;
}
