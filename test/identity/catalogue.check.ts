import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import { type Crawler, knownCrawlers } from '../support/userAgents.ts';

/** How crawler-user-agents marks what it holds for AI. */
export const aiTag = 'ai-crawler';

/** What it marks so and the catalogue leaves out, with the reason. */
export const declined: ReadonlyMap<string, string> = new Map([
  ['Google-Extended', 'a name for robots.txt: no request carries it'],
  ['semantic-visions', 'media monitoring'],
  ['Spider[\\s\\S]*spider\\.com', 'a word that every crawler carries; nobody has shown such a request'],
]);

function isInCatalogue({ pattern, instances }: Crawler): boolean {
  const userAgents = instances.length > 0 ? instances : [pattern.replaceAll('\\', '')];
  return userAgents.every((userAgent) => {
    const identity = identifyUserAgent(userAgent);
    return identity.kind === 'ai' && identity.rule !== 'self-declared';
  });
}

/** `npm run catalogue:check`: prints what is new in crawler-user-agents, and exits with 1 if anything is. */
function check(): void {
  const listed = knownCrawlers().filter(({ tags }) => tags?.includes(aiTag));
  const fresh = listed.filter((crawler) => !declined.has(crawler.pattern) && !isInCatalogue(crawler));
  const gone = [...declined.keys()].filter((pattern) =>
    listed.every((crawler) => crawler.pattern !== pattern),
  );
  for (const { pattern, description, url, instances } of fresh) {
    process.stdout.write(`new: ${pattern}  ${description ?? ''} ${url ?? ''}\n`);
    for (const userAgent of instances) process.stdout.write(`     ${userAgent}\n`);
  }
  for (const pattern of gone)
    process.stdout.write(`no longer listed, take it out of the declined: ${pattern}\n`);
  process.stdout.write(
    fresh.length + gone.length === 0
      ? `The catalogue knows all ${listed.length - declined.size} AI clients of crawler-user-agents; ${declined.size} are declined.\n`
      : 'Add each to server/identity/catalogue.json, or decline it in test/catalogue.check.ts with the reason.\n',
  );
  process.exitCode = fresh.length + gone.length === 0 ? 0 : 1;
}

if (import.meta.main) check();
