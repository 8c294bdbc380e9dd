import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import aiRobots from '../support/identity/ai-robots-names.json' with { type: 'json' };
import { type Crawler, knownCrawlers } from '../support/identity/user-agents.ts';
import { declined, declinedNames } from './declined.ts';

/** How crawler-user-agents marks what it holds for AI. */
export const aiTag = 'ai-crawler';

interface Entry {
  name: string;
  /** Known ones, or else what a client of this name would send. */
  userAgents: readonly string[];
  about?: string;
}

interface List {
  name: string;
  entries: readonly Entry[];
  declined: ReadonlyMap<string, string>;
}

const entryOfName = (name: string): Entry => ({
  name,
  userAgents: [name, `Mozilla/5.0 (compatible; ${name}/1.0)`],
});

function entryOfCrawler({ pattern, instances, description = '', url = '' }: Crawler): Entry {
  const userAgents = instances.length > 0 ? instances : [pattern.replaceAll('\\', '')];
  return { name: pattern, userAgents, about: `${description} ${url}`.trim() };
}

/** In the catalogue of AI clients, or by its name among the bots that are not AI. */
function isSorted(userAgent: string): boolean {
  const { kind, rule } = identifyUserAgent(userAgent);
  return rule === 'bot-name' || (kind === 'ai' && (rule === 'token' || rule === 'unattested-token'));
}

/** Some of what a list names is in the catalogue with a version or a word behind it only. */
const isKnown = ({ userAgents, about }: Entry) =>
  about === undefined ? userAgents.some(isSorted) : userAgents.every(isSorted);

/** Names of a list of one's own: one in a line, or those of a robots.txt. */
function namesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const robots = lines.filter((line) => /^user-agent:/i.test(line));
  const names = robots.length > 0 ? robots.map((line) => line.slice('user-agent:'.length).trim()) : lines;
  return names.filter((name) => name !== '' && name !== '*');
}

function lists(files: readonly string[]): List[] {
  const tagged = knownCrawlers().filter(({ tags }) => tags?.includes(aiTag));
  return [
    { name: 'crawler-user-agents', entries: tagged.map(entryOfCrawler), declined },
    {
      name: 'ai.robots.txt',
      entries: Object.keys(aiRobots.names).map(entryOfName),
      declined: declinedNames,
    },
    ...files.map((file) => ({
      name: file,
      entries: namesIn(readFileSync(file, 'utf8')).map(entryOfName),
      declined: new Map([...declined, ...declinedNames]),
    })),
  ];
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** @returns how many of it somebody has to look at */
function compare({ name: list, entries, declined: without }: List, isWhole: boolean): number {
  const fresh = entries.filter((entry) => !without.has(entry.name) && !isKnown(entry));
  const gone = isWhole ? [...without.keys()].filter((name) => entries.every((one) => one.name !== name)) : [];
  for (const { name, about = '', userAgents } of fresh) {
    say(`new in ${list}: ${name}  ${about}`.trimEnd());
    if (about !== '') for (const userAgent of userAgents) say(`     ${userAgent}`);
  }
  for (const name of gone) say(`no longer in ${list}, take it out of the declined: ${name}`);
  say(`${list}: ${entries.length} AI clients, ${fresh.length} of them new.`);
  return fresh.length + gone.length;
}

/** Lists of one's own. */
function readFiles(): string[] {
  const { values } = parseArgs({ options: { file: { type: 'string', multiple: true, default: [] } } });
  const missing = values.file.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`There is no file ${missing}.`);
  return values.file;
}

/** `npm run catalogue:check [-- --file list.txt]`: prints what is new in public lists, and exits with 1 if anything is. */
function check(): void {
  const files = readFiles();
  const open = lists(files).reduce((sum, list) => sum + compare(list, !files.includes(list.name)), 0);
  if (open > 0) {
    say(
      'Add each to server/identity/catalogue.json, or decline it in test/identity/declined.ts with the reason.',
    );
  }
  process.exitCode = open === 0 ? 0 : 1;
}

if (import.meta.main) {
  try {
    check();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
