import { Effort, matches, type Pattern, parsePattern } from './pattern.ts';

/** What is read of a file; RFC 9309 asks for no less (section 2.5). */
export const maxRobotsBytes = 500 * 1024;

/** What comes after so many is passed over, as reading all that fits in would hold up hits. */
const maxLines = 40_000;
const maxRules = 10_000;
const maxSitemaps = 200;

interface Rule {
  readonly allows: boolean;
  readonly pattern: Pattern;
}

interface Group {
  /** Product tokens in lower case, or `*`. */
  readonly agents: Set<string>;
  readonly rules: Rule[];
}

/** A robots.txt by RFC 9309. */
export interface RobotsFile {
  readonly groups: readonly Group[];
  /** Addresses of sitemaps, as they stand there. */
  readonly sitemaps: readonly string[];
  /** What of it was passed over, as a sentence. */
  readonly leftOut: string | undefined;
}

/** Rules of one client, the most specific first. */
export type ClientRules = readonly Rule[];

/** Whatever the text is: what cannot be understood is passed over. */
export function parseRobots(text: string): RobotsFile {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  // Lines with agents that stand together begin one group.
  let isNaming = false;
  let rules = 0;
  let named = 0;
  const lines = splitLines(text);
  for (const { key, value } of linesOf(lines)) {
    if (key === 'user-agent') {
      if (!group || !isNaming) {
        group = { agents: new Set(), rules: [] };
        groups.push(group);
      }
      group.agents.add(productToken(value));
      isNaming = true;
    } else if (key === 'allow' || key === 'disallow') {
      isNaming = false;
      // An empty pattern matches nothing.
      if (value !== '' && rules++ < maxRules)
        group?.rules.push({ allows: key === 'allow', pattern: parsePattern(value) });
    } else if (key === 'sitemap' && value !== '' && named++ < maxSitemaps) sitemaps.push(value);
  }
  const over = [
    lines.length > maxLines && `${maxLines} lines`,
    rules > maxRules && `${maxRules} rules`,
    named > maxSitemaps && `${maxSitemaps} sitemaps`,
  ].filter((limit) => limit !== false);
  return { groups, sitemaps, leftOut: over.length > 0 ? passedOver(over.join(' and ')) : undefined };
}

export const passedOver = (limit: string) =>
  `Its robots.txt has more than ${limit}: what comes after them is passed over.`;

/** Those that are not empty, one more than are read. */
function splitLines(text: string): string[] {
  const whole = `${text.startsWith('\uFEFF') ? text.slice(1) : text}\n`.replaceAll('\r', '\n');
  const lines: string[] = [];
  for (let at = 0, end = 0; at < whole.length && lines.length <= maxLines; at = end + 1) {
    end = whole.indexOf('\n', at);
    if (end > at) lines.push(whole.slice(at, end));
  }
  return lines;
}

function* linesOf(lines: readonly string[]): Generator<{ key: string; value: string }> {
  for (const line of lines.slice(0, maxLines)) {
    const [said = ''] = line.split('#', 1);
    const colon = said.indexOf(':');
    if (colon > 0)
      yield { key: said.slice(0, colon).trim().toLowerCase(), value: said.slice(colon + 1).trim() };
  }
}

/** `GPTBot/1.4` names the same client as `GPTBot`. */
function productToken(value: string): string {
  return (/^[^\s/]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/**
 * All groups that name one of the tokens, merged; where none does, those for everybody.
 *
 * @param tokens in lower case
 */
export function rulesFor({ groups }: RobotsFile, tokens: readonly string[]): ClientRules {
  const named = groups.filter(({ agents }) => tokens.some((token) => agents.has(token)));
  const followed = named.length > 0 ? named : groups.filter(({ agents }) => agents.has('*'));
  return followed
    .flatMap(({ rules }) => rules)
    .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allows) - Number(a.allows));
}

/**
 * The longest match holds; of two that are equally long that which allows. Where finding it takes too long, all is allowed: no
 * client is said to disobey what nobody looked up.
 */
export function allows(rules: ClientRules, target: string): boolean {
  if (target === '/robots.txt') return true;
  const effort = new Effort();
  const rule = rules.find(({ pattern }) => matches(pattern, target, effort));
  return effort.isUsedUp || (rule?.allows ?? true);
}
