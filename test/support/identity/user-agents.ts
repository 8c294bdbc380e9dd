import { readFileSync } from 'node:fs';
import crawlers from 'crawler-user-agents';
import topUserAgents from 'top-user-agents';
import aiUserAgents from './aiUserAgents.json' with { type: 'json' };

export interface Crawler {
  pattern: string;
  instances: readonly string[];
  tags?: readonly string[];
  description?: string;
  url?: string;
  /** As in `2026/04/26`. */
  addition_date?: string;
}

/** User agents of people, as measured on real sites. */
/** Sites measure these, too, and no browser sends them. */
const halfBrowser = /^Mozilla\/5\.0 \(Windows NT 10\.0; Win64; x64\) (AppleWebKit\/537\.36|Chrome\/[\d.]+)$/;

export function peoplesUserAgents(): string[] {
  // The package exports a generator only; the measured list is in the same folder.
  const path = new URL('../../../node_modules/user-agents/dist/user-agents.json', import.meta.url);
  const measured = JSON.parse(readFileSync(path, 'utf8')) as { userAgent: string }[];
  const all = new Set([...measured.map(({ userAgent }) => userAgent), ...topUserAgents]);
  return [...all].filter((userAgent) => !halfBrowser.test(userAgent));
}

export function knownCrawlers(): readonly Crawler[] {
  return crawlers;
}

/** Full user agents by client, as documented by its operator or seen in requests. */
export const seenUserAgents: Readonly<Record<string, readonly string[]>> = aiUserAgents;

/** @throws Error for a client of which none is known */
export function userAgentOf(client: string): string {
  const [userAgent] = seenUserAgents[client] ?? [];
  if (userAgent === undefined) throw new Error(`No user agent of ${client} is known.`);
  return userAgent;
}
