import { clients } from '../../server/identity/catalogue.ts';
import { findByToken } from '../../server/identity/token.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import aiRobots from '../support/identity/ai-robots-names.json' with { type: 'json' };
import services from '../support/identity/services-of-2025.json' with { type: 'json' };
import {
  type Crawler,
  knownCrawlers,
  peoplesUserAgents,
  seenUserAgents,
} from '../support/identity/user-agents.ts';
import { aiTag } from './catalogue.check.ts';
import { declined } from './declined.ts';
import { untagged } from './untagged.ts';

/** Who sends a user agent, as those say who listed or measured it. */
export type Label = 'ai' | 'bot' | 'human';

export interface Labelled {
  label: Label;
  userAgent: string;
}

/** What crawler-user-agents lists and a person reads with, too. */
const peoples = new Set(['AP3A\\.240617\\.008', 'Code\\/1\\.', 'MetaIAB Facebook', 'Trae\\/', 'Fluid']);

function labelOf({ pattern, tags }: Crawler, userAgent: string): Label {
  if (peoples.has(pattern)) return 'human';
  if (tags?.includes(aiTag)) return declined.has(pattern) ? 'bot' : 'ai';
  const identity = identifyUserAgent(userAgent);
  return identity.kind === 'ai' && untagged.has(identity.client) ? 'ai' : 'bot';
}

export function labelledCrawlers(crawlers: readonly Crawler[] = knownCrawlers()): Labelled[] {
  return crawlers.flatMap((crawler) =>
    crawler.instances.map((userAgent) => ({ label: labelOf(crawler, userAgent), userAgent })),
  );
}

export const labelledPeople = (): Labelled[] =>
  peoplesUserAgents().map((userAgent) => ({ label: 'human', userAgent }));

export const seenClients = (): Labelled[] =>
  Object.values(seenUserAgents)
    .flat()
    .map((userAgent) => ({ label: 'ai', userAgent }));

/** The newest quarter of what a list took in, and all that came on the same day as the oldest of it. */
function newestQuarter<T>(entries: readonly T[], dateOf: (entry: T) => string | undefined): T[] {
  const dated = entries.filter((entry) => dateOf(entry) !== undefined);
  const dates = dated.map((entry) => dateOf(entry) as string).sort();
  const from = dates[Math.floor(dates.length * 0.75)] ?? '';
  return dated.filter((entry) => (dateOf(entry) as string) >= from);
}

/** The newest AI clients of crawler-user-agents, and its newest bots. */
export function newestCrawlers(): Labelled[] {
  const isAi = (crawler: Crawler) => crawler.instances.some((each) => labelOf(crawler, each) === 'ai');
  const dateOf = (crawler: Crawler) => crawler.addition_date;
  const ai = newestQuarter(knownCrawlers().filter(isAi), dateOf);
  const others = newestQuarter(
    knownCrawlers().filter((crawler) => !isAi(crawler)),
    dateOf,
  );
  return labelledCrawlers([...ai, ...others]).filter(({ label }) => label !== 'human');
}

/** User agents that were seen of the newest names in ai.robots.txt which the catalogue holds for AI by their names. */
export function newestAiRobots(): Labelled[] {
  const known = [...seenClients(), ...labelledCrawlers()];
  const names = newestQuarter(Object.entries(aiRobots.names), ([, date]) => date);
  const tokens = names.flatMap(([name]) => findByToken(name.toLowerCase()) ?? []);
  const found = known.filter(({ userAgent }) => {
    const client = findByToken(userAgent.toLowerCase());
    return client !== undefined && tokens.includes(client);
  });
  const distinct = new Map(found.map((sample) => [sample.userAgent, sample]));
  return [...distinct.values()].filter(({ userAgent }) => identifyUserAgent(userAgent).kind === 'ai');
}

/** The newest names in ai.robots.txt, and those of them of which no user agent is known. */
export function newestAiRobotsNames(): { names: string[]; unseen: string[] } {
  const names = newestQuarter(Object.entries(aiRobots.names), ([, date]) => date).map(([name]) => name);
  const seen = newestAiRobots().map(({ userAgent }) => findByToken(userAgent.toLowerCase()));
  const unseen = names.filter((name) => {
    const client = findByToken(name.toLowerCase());
    return client === undefined || !seen.includes(client);
  });
  return { names, unseen };
}

/** Makers that were on public lists of AI services before any client was that is held back. */
export const listedMakers: ReadonlySet<string> = new Set(services.flatMap(({ operators }) => operators));

/**
 * The rules as they would be if nobody had listed these clients.
 *
 * @param knownMakers the table was made with the lists in view, and holds makers of clients that are held back; with
 *   `some`, a maker is known only by a client that is not, and with `listed`, also from lists of AI services that know
 *   no user agents and are older than what is held back
 */
export function without(
  held: readonly Labelled[],
  knownMakers: 'all' | 'listed' | 'some' | 'none' = 'all',
): (userAgent: string) => ReturnType<typeof identifyUserAgent> {
  const hidden = new Set(held.map(({ userAgent }) => findByToken(userAgent.toLowerCase())));
  const operators = new Set(clients.filter((client) => !hidden.has(client)).map(({ operator }) => operator));
  const find = (text: string) => {
    const client = findByToken(text);
    return client && hidden.has(client) ? undefined : client;
  };
  const known = { some: operators, listed: operators.union(listedMakers), none: new Set<string>() };
  const knowsMaker = (operator: string) => knownMakers === 'all' || known[knownMakers].has(operator);
  return (userAgent) => identifyUserAgent(userAgent, find, knowsMaker);
}

export interface Score {
  /** Of all AI, what was called so; of all that was called AI, what is. */
  recall: number;
  precision: number;
  /** What was called something else than it is. */
  wrong: (Labelled & { called: Label; rule: string })[];
}

export function scoreOf(samples: readonly Labelled[], judge: typeof identifyUserAgent): Score {
  const judged = samples.map((sample) => {
    const { kind, rule } = judge(sample.userAgent);
    return { ...sample, called: kind, rule };
  });
  const ai = judged.filter(({ label }) => label === 'ai');
  const called = judged.filter((each) => each.called === 'ai');
  const right = ai.filter((each) => each.called === 'ai').length;
  return {
    recall: ai.length === 0 ? 1 : right / ai.length,
    precision: called.length === 0 ? 1 : right / called.length,
    wrong: judged.filter(({ label, called: kind }) => kind !== label),
  };
}
