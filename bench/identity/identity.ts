import { isbot } from 'isbot';
import { identify } from '../../server/identity/identify.ts';
import { knownCrawlers, peoplesUserAgents, seenUserAgents } from '../../test/support/identity/user-agents.ts';

const rounds = 50;

const people = peoplesUserAgents();
const crawlers = [
  ...new Set([
    ...knownCrawlers().flatMap(({ instances }) => instances),
    ...Object.values(seenUserAgents).flat(),
  ]),
];

/** Strings that no earlier round has seen, so that nothing of the engine remembers them. */
function copy(texts: readonly string[]): string[] {
  return texts.map((text) => Buffer.from(text).toString());
}

/** Microseconds for one user agent, in the best of some rounds. */
function measureUs(texts: readonly string[], judge: (userAgent: string) => unknown): number {
  let bestUs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const fresh = copy(texts);
    const startedAt = performance.now();
    for (const userAgent of fresh) judge(userAgent);
    bestUs = Math.min(bestUs, ((performance.now() - startedAt) * 1000) / fresh.length);
  }
  return bestUs;
}

function interleave(first: readonly string[], second: readonly string[]): string[] {
  return second.flatMap((text, index) => {
    const other = first[index];
    return other === undefined ? [text] : [other, text];
  });
}

function report(name: string, texts: readonly string[]): void {
  const isbotUs = measureUs(texts, isbot);
  const identifyUs = measureUs(texts, (userAgent) => identify({ via: 'script', userAgent }));
  const ratio = (identifyUs / isbotUs).toFixed(2);
  process.stdout.write(
    `${name.padEnd(9)} ${String(texts.length).padStart(5)} user agents   identify ${identifyUs.toFixed(2)} µs   isbot alone ${isbotUs.toFixed(2)} µs   ratio ${ratio}\n`,
  );
}

report('people', people);
report('crawlers', crawlers);
report('mix', interleave(people, crawlers));
