import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import { knownCrawlers, peoplesUserAgents, seenUserAgents } from '../support/identity/user-agents.ts';
import { aiTag } from './catalogue.check.ts';
import { declined } from './declined.ts';
import { labelledCrawlers } from './labelled.ts';
import { untagged } from './untagged.ts';

function clientOf(userAgent: string): string | undefined {
  const identity = identifyUserAgent(userAgent);
  return identity.kind === 'ai' ? identity.client : undefined;
}

describe('AI clients', () => {
  const attested = clients.filter(({ attested, tokens }) => attested !== false && tokens.length > 0);

  test.each(attested)('$client is told by each of its names, whatever their case', ({ client, tokens }) => {
    for (const token of tokens) {
      const isWhole = token.startsWith('^');
      const name = token.replace(/^\^|\$$/g, '') + (token.endsWith('/') ? '1.0' : '');
      const forms = isWhole
        ? [name]
        : [name, `Mozilla/5.0 (compatible; ${name}${token.endsWith('/') ? '' : '/1.0'})`];
      for (const form of forms) expect(clientOf(form), form).toBe(client);
      expect(clientOf(name.toUpperCase())).toBe(client);
    }
  });

  test('every user agent that was seen or documented names its client', () => {
    const wrong = Object.entries(seenUserAgents).flatMap(([client, userAgents]) =>
      userAgents
        .filter((userAgent) => clientOf(userAgent) !== client)
        .map((userAgent) => `${client}: ${userAgent}`),
    );
    expect(wrong).toEqual([]);
    expect(Object.values(seenUserAgents).flat().length).toBeGreaterThan(110);
  });

  test('what crawler-user-agents tags as AI is AI', () => {
    const wrong = knownCrawlers()
      .filter(({ pattern, tags }) => tags?.includes(aiTag) && !declined.has(pattern))
      .flatMap(({ instances }) => instances)
      .filter((userAgent) => identifyUserAgent(userAgent).kind !== 'ai');
    expect(wrong).toEqual([]);
  });
});

describe('other bots', () => {
  const instances = knownCrawlers()
    .filter(({ tags }) => !tags?.includes(aiTag))
    .flatMap((crawler) => crawler.instances);

  test('none of crawler-user-agents is AI but those that we know better', () => {
    const wrong = instances.filter((userAgent) => {
      const client = clientOf(userAgent);
      return client !== undefined && !untagged.has(client);
    });
    expect(wrong).toEqual([]);
  });

  test('none of crawler-user-agents passes for a person but the five that people read with', () => {
    const people = labelledCrawlers().filter(
      ({ userAgent }) => identifyUserAgent(userAgent).kind === 'human',
    );
    expect(people.filter(({ label }) => label !== 'human')).toEqual([]);
    expect(people.length).toBe(5);
    expect(instances.length).toBeGreaterThan(1500);
  });

  test('the exceptions are still in the package', () => {
    const patterns = knownCrawlers().map(({ pattern }) => pattern);
    expect(patterns).toEqual(expect.arrayContaining([...declined.keys()]));
    const found = new Set(instances.map(clientOf));
    expect([...untagged].filter((client) => !found.has(client))).toEqual([]);
  });
});

describe('people', () => {
  test('an AI client that hides anywhere in a user agent of theirs is found', () => {
    const hiding = clients.filter(
      ({ attested, inAppBrowser, refines, tokens }) =>
        attested !== false && !inAppBrowser && !refines && tokens.some((token) => !/[\^$]/.test(token)),
    );
    const sample = fc.tuple(fc.constantFrom(...peoplesUserAgents()), fc.constantFrom(...hiding), fc.nat());
    fc.assert(
      fc.property(sample, ([userAgent, { client, tokens }, place]) => {
        const token = tokens.find((name) => !/[\^$]/.test(name));
        const at = place % (userAgent.length + 1);
        const hidden = `${userAgent.slice(0, at)}; ${token}${token?.endsWith('/') ? '1.0' : ''}; ${userAgent.slice(at)}`;
        expect(clientOf(hidden), hidden).toBe(client);
      }),
      { numRuns: 5000 },
    );
  });

  test('not one of the measured user agents is AI or a bot', () => {
    const userAgents = peoplesUserAgents();
    expect(userAgents.filter((userAgent) => identifyUserAgent(userAgent).kind !== 'human')).toEqual([]);
    expect(userAgents.length).toBeGreaterThan(900);
  });
});
