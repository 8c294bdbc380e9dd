import { sights } from '../../server/identity/explain.ts';
import type { Rule } from '../../server/identity/identity.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import {
  type Labelled,
  labelledCrawlers,
  labelledPeople,
  newestAiRobots,
  newestAiRobotsNames,
  newestCrawlers,
  scoreOf,
  seenClients,
  without,
} from './labelled.ts';

type Judge = typeof identifyUserAgent;

const unseenCrawlers = newestCrawlers();
const unseenAiRobots = newestAiRobots();
const newestCrawlersName = 'newest quarter of crawler-user-agents, held back';
const newestAiRobotsName = 'newest quarter of ai.robots.txt, held back';

/** Each with what judges it: the rules, or the rules as if nobody had listed what is in it. */
const sets: readonly (readonly [name: string, samples: readonly Labelled[], judge: Judge])[] = [
  ['people: user-agents, top-user-agents', labelledPeople(), identifyUserAgent],
  ['crawler-user-agents', labelledCrawlers(), identifyUserAgent],
  ['AI clients as seen or documented', seenClients(), identifyUserAgent],
  [newestCrawlersName, unseenCrawlers, without(unseenCrawlers)],
  [
    `${newestCrawlersName}, with makers that have others or were listed before`,
    unseenCrawlers,
    without(unseenCrawlers, 'listed'),
  ],
  [`${newestCrawlersName}, with makers that have others`, unseenCrawlers, without(unseenCrawlers, 'some')],
  [`${newestCrawlersName}, by words alone`, unseenCrawlers, without(unseenCrawlers, 'none')],
  [newestAiRobotsName, unseenAiRobots, without(unseenAiRobots)],
  [
    `${newestAiRobotsName}, with makers that have others or were listed before`,
    unseenAiRobots,
    without(unseenAiRobots, 'listed'),
  ],
  [`${newestAiRobotsName}, with makers that have others`, unseenAiRobots, without(unseenAiRobots, 'some')],
  [`${newestAiRobotsName}, by words alone`, unseenAiRobots, without(unseenAiRobots, 'none')],
];

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const say = (line: string) => process.stdout.write(`${line}\n`);
const names = { human: 'people', ai: 'AI clients', bot: 'bots' } as const;

/** How many a rule decided, and how many of them are something else than it says. */
function errorsByRule(
  samples: readonly Labelled[],
  judge: Judge,
): Map<Rule, [decided: number, wrong: number]> {
  const rules = new Map<Rule, [number, number]>();
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
    (label) => `${samples.filter((sample) => sample.label === label).length} ${names[label]}`,
  );
  say(`${name}: ${counts.join(', ')}`);
  const hasAi = samples.some(({ label }) => label === 'ai');
  say(
    `  ${hasAi ? `recall of AI ${percent(recall)}, precision of AI ${percent(precision)}, ` : ''}wrong in all: ${wrong.length}`,
  );
  say('\n  decided  wrong  rule');
  const rules = [...errorsByRule(samples, judge)].sort(([, [a]], [, [b]]) => b - a);
  for (const [rule, [decided, wrongly]] of rules) {
    say(
      `  ${String(decided).padStart(7)}  ${String(wrongly).padStart(5)}  ${rule.padEnd(16)}  ${sights[rule]}`,
    );
  }
  if (wrong.length > 0) say('\n  wrong:');
  for (const { label, called, rule, userAgent } of wrong)
    say(`    ${names[label]} called ${names[called]} (${rule}): ${userAgent}`);
  say('');
}

const { names: newestNames, unseen } = newestAiRobotsNames();
say(
  `Of ${newestNames.length} names in the newest quarter of ai.robots.txt, no user agent is known of ${unseen.length}: ${unseen.join(', ')}`,
);
