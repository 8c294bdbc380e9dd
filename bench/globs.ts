import { globMatcher } from '../server/pattern/glob.ts';
import { naturalGlobs, slowGlobs } from '../test/support/globs.ts';
import { atMost, type Finding } from './bench.ts';
import { median } from './statistics.ts';
import { cpuTimes, since } from './usage.ts';

const count = 100;
const rounds = 5;

/** CPU time of this thread that 100 globs take to look at a path: the check of each hit of a project. */
export async function measureGlobs(): Promise<Finding[]> {
  const costs = slowGlobs.map(([name, globAt, path]) => ({
    name,
    ms:
      costOf(
        Array.from({ length: count }, (_, i) => globAt(i)),
        path,
        50,
      ) / 1000,
  }));
  const worst = costs.reduce((worst, cost) => (cost.ms > worst.ms ? cost : worst));
  const written = Array.from(
    { length: count },
    (_, i) => `${i < naturalGlobs.length ? '' : `/site-${i}`}${naturalGlobs[i % naturalGlobs.length]}`,
  );
  const usual = costOf(written, '/docs/guides/how-to-install-on-a-small-server/', 20_000);
  return [
    {
      what: `the worst ${count} globs of 256 characters on a path of 1,024 (${worst.name})`,
      value: `${worst.ms.toFixed(2)} ms`,
      target: atMost(worst.ms, 5, ' ms'),
    },
    {
      what: 'the median of these kinds',
      value: `${median(costs.map(({ ms }) => ms)).toFixed(2)} ms`,
    },
    {
      what: `${count} globs as people write them`,
      value: `${usual.toFixed(1)} µs`,
      target: atMost(usual, 50, ' µs'),
    },
  ];
}

/** Microseconds for a path that none of them matches, in the median. Each path is another, as what the last one gave is kept. */
function costOf(globs: readonly string[], path: string, paths: number): number {
  const matches = globMatcher(globs);
  const ask = (round: number) => {
    const before = cpuTimes(process.pid);
    for (let i = 0; i < paths; i++) matches(`${path.slice(0, -4)}${1000 + ((round * paths + i) % 9000)}`);
    return since(before, cpuTimes(process.pid)).main / paths;
  };
  // Compiles them, and warms them up.
  ask(0);
  return median(Array.from({ length: rounds }, (_, round) => ask(round + 1)));
}
