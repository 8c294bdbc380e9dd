import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import {
  type Labelled,
  labelledCrawlers,
  labelledPeople,
  newestAiRobots,
  newestCrawlers,
  scoreOf,
  seenClients,
  without,
} from './labelled.ts';

type Judge = typeof identifyUserAgent;

const unseenCrawlers = newestCrawlers();
const unseenAiRobots = newestAiRobots();

/** Each with what judges it: the rules, or the rules as if nobody had listed what is in it. */
const sets: readonly (readonly [name: string, samples: readonly Labelled[], judge: Judge])[] = [
  ['people: user-agents, top-user-agents', labelledPeople(), identifyUserAgent],
  ['crawler-user-agents', labelledCrawlers(), identifyUserAgent],
  ['AI clients as seen or documented', seenClients(), identifyUserAgent],
  ['newest quarter of crawler-user-agents, held back', unseenCrawlers, without(unseenCrawlers)],
  ['newest quarter of ai.robots.txt, held back', unseenAiRobots, without(unseenAiRobots)],
];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const say = (line: string) => process.stdout.write(`${line}\n`);

/** How many a rule decided, and how many of them are something else than it says. */
function errorsByRule(
  samples: readonly Labelled[],
  judge: Judge,
): Map<string, [decided: number, wrong: number]> {
  const rules = new Map<string, [number, number]>();
  for (const { userAgent, label } of samples) {
    const { kind, rule } = judge(userAgent);
    const [decided, wrong] = rules.get(rule) ?? [0, 0];
    rules.set(rule, [decided + 1, wrong + (kind === label ? 0 : 1)]);
  }
  return rules;
}

/** `npm run identity:report`: what the rules find and what they get wrong, by set and by rule. */
for (const [name, samples, judge] of sets) {
  const { recall, precision, wrong } = scoreOf(samples, judge);
  const counts = (['human', 'ai', 'bot'] as const).map(
    (label) => `${samples.filter((sample) => sample.label === label).length} ${label}`,
  );
  say(`${name}: ${counts.join(', ')}`);
  const hasAi = samples.some(({ label }) => label === 'ai');
  say(
    `  AI: ${hasAi ? `recall ${percent(recall)}, precision ${percent(precision)}` : 'none in it'}; wrong in all: ${wrong.length}`,
  );
  for (const [rule, [decided, wrongly]] of errorsByRule(samples, judge)) {
    say(`  ${rule.padEnd(18)} decided ${String(decided).padStart(5)}, wrong ${String(wrongly).padStart(3)}`);
  }
  for (const { label, called, rule, userAgent } of wrong)
    say(`    ${label} called ${called} (${rule}): ${userAgent}`);
}
