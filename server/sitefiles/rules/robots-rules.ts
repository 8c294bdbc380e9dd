import { productTokens } from '../../identity/product-token.ts';
import type { RuledClient } from './ruled-client.ts';

const heads = {
  refuse: '# AI clients that are asked to stay away.',
  pay: '# AI clients that are asked to stay away, as nobody can be asked for payment here.',
  slow: '# AI clients that are asked to take their time: seconds between two requests.',
} as const;

const bodies = {
  refuse: ['Disallow: /'],
  pay: ['Disallow: /'],
  slow: ['Crawl-delay: 10', 'Disallow:'],
} as const;

/** By RFC 9309. */
export function robotsRules(clients: readonly RuledClient[]) {
  const kept = new Set(clients.filter(({ action }) => action === 'allow').flatMap(ownTokens));
  const groups = (['refuse', 'pay', 'slow'] as const).flatMap((action) => {
    const tokens = clients.filter((client) => client.action === action).flatMap(ownTokens);
    // A token that two clients share can say one thing alone.
    const named = [...new Set(tokens)].filter((token) => !kept.has(token));
    if (named.length === 0) return [];
    return [
      [heads[action], ...named.map((token) => `User-agent: ${token}`), ...bodies[action], ''].join('\n'),
    ];
  });
  const isSlow = clients.some(({ action }) => action === 'slow');
  const isPaid = clients.some(({ action }) => action === 'pay');
  return {
    text: groups.length === 0 ? '# All AI clients are welcome.\n' : groups.join('\n'),
    place: 'Add it to the robots.txt at the root of your site.',
    notes: [
      'It asks and does not enforce. Clients that fetch for somebody who asked, and agents on somebody’s machine, mostly do not look at it.',
      'A client that has a group of its own follows no rule of “User-agent: *”: repeat in the group what should hold for it too.',
      ...(isSlow ? ['Crawl-delay is not part of the standard: many clients ignore it.'] : []),
      ...(isPaid ? ['A robots.txt cannot ask for payment: these clients are asked to stay away.'] : []),
    ],
  };
}

/** Not those of a client that it refines, which has a choice of its own. */
function ownTokens({ tokens }: RuledClient): string[] {
  return productTokens({ tokens });
}
