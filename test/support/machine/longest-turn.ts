import { setImmediate as nextTurn } from 'node:timers/promises';

const lines = Array.from({ length: 40_000 }, (_, i) => `${'a'.repeat(100)}/${(i * 7919) % 40_000}`);

/** The processor's milliseconds for a piece of work that takes at most 15 of them on a quiet machine. */
function measureWork(): number {
  const before = process.threadCpuUsage();
  lines.toSorted();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** What a turn of the event loop may take: 50 ms on a quiet machine, as a shared one computes at a third of its speed. */
export const maxTurnMs = 150;

/**
 * The most of the processor, in milliseconds, that some work takes of this thread between two turns of its event loop. On a
 * machine that is slow just then: as many as would have been if it were not. For `expect.poll`, as the code of the first
 * rounds is not compiled yet, and others may be at work.
 */
export async function longestTurn(work: () => unknown): Promise<number> {
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
  return longest / Math.max(1, measureWork() / 15);
}
