import { setImmediate as nextTurn } from 'node:timers/promises';

/** No turn may take more than 50 ms on a quiet machine; a shared one computes at a third of its speed at times. */
export const maxSliceMs = 150;

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
