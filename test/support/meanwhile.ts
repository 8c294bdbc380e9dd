/**
 * Does `work` while each of the steps is done again and again, and answers what `work` does. Afterwards none of them is
 * under way any more, whichever failed: what they use may be taken away.
 */
export async function meanwhile<T>(
  steps: readonly (() => Promise<unknown>)[],
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  const repeat = async (step: () => Promise<unknown>) => {
    while (!isOver) await step();
  };
  const [done, ...repeated] = await Promise.allSettled([
    work().finally(() => {
      isOver = true;
    }),
    ...steps.map(repeat),
  ]);
  // A step that failed is what `work` waited for in vain.
  for (const result of [...repeated, done]) if (result.status === 'rejected') throw result.reason;
  return (done as PromiseFulfilledResult<T>).value;
}
