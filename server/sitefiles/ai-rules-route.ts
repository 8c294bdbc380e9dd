import {
  type AiRulesReply,
  aiRulesQuery,
  aiRulesReply,
  type RuleTarget,
} from '../../shared/reports/sites.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { ApiError } from '../errors.ts';
import { productTokens } from '../identity/product-token.ts';
import { byName, nginxRules } from './rules/nginx-rules.ts';
import { agentRules, chooseActions, type RuledClient, unknownClients } from './rules/ruled-client.ts';

/** Rules for AI clients, to be pasted where requests come in. Nothing here stands in their way. */
export const aiRulesRoute = reportRoute({
  name: 'analytics.ai-rules',
  method: 'GET',
  path: '/v1/analytics/:projectId/ai-rules',
  access: 'project',
  scope: 'read',
  summary: 'Rules for AI clients, to paste into robots.txt or the settings of a server',
  description: 'Headcount itself blocks no requests.',
  query: aiRulesQuery,
  answers: {
    200: {
      says: 'The rules, and what they say of each client',
      json: aiRulesReply,
    },
  },
  handle: (_context, { query }): AiRulesReply => {
    const [unknown] = unknownClients(query);
    if (unknown !== undefined) {
      throw new ApiError(
        'invalid',
        `The query is not valid: clients names ${unknown}, which no AI client is called.`,
        {
          details: [{ message: `names ${unknown}, which no AI client is called`, path: 'clients' }],
        },
      );
    }
    const { target } = query;
    const ruled = chooseActions(query);
    const clients = ruled.map((client) => ({
      client: client.client,
      operator: client.operator,
      purpose: client.purpose,
      action: client.action,
      isReachable: isReachable(client, target === 'robots'),
    }));
    return { target, ...writeRules(target, ruled), clients };
  },
});

function isReachable({ tokens }: RuledClient, byRobots: boolean): boolean {
  return byRobots ? productTokens({ tokens }).length > 0 : tokens.length > 0;
}

/** Rules to paste. */
interface WrittenRules {
  text: string;
  /** Where they belong. */
  place: string;
  /** What they cannot do. */
  notes: string[];
}

const writers: Record<RuleTarget, (clients: readonly RuledClient[]) => WrittenRules> = {
  robots: robotsRules,
  nginx: nginxRules,
  caddy: caddyRules,
  worker: workerRules,
};

function writeRules(target: RuleTarget, clients: readonly RuledClient[]): WrittenRules {
  return writers[target](clients);
}

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

const answers = {
  refuse: ['\trespond 403'],
  pay: ['\trespond 402'],
  slow: ['\theader Retry-After 10', '\trespond 429'],
} as const;

/** Caddy itself measures no rate: slow clients are let in for one second in ten. */
const isOutsideWindow = ' && int({time.now.unix}) % 10 != 0';

export function caddyRules(clients: readonly RuledClient[]) {
  const rules = agentRules(clients);
  const used = (['refuse', 'pay', 'slow'] as const).filter((action) =>
    rules.some((rule) => rule.action === action),
  );
  return {
    text: [
      'map {header.User-Agent} {ai_action} {',
      ...rules.map(({ pattern, action }) => `\t"~(?i)${pattern}" ${action}`),
      '\tdefault allow',
      '}',
      ...used.flatMap((action) => [
        `@ai_${action} {`,
        '\t# What is asked of clients stays readable for them.',
        '\tnot path /robots.txt',
        `\texpression \`{ai_action} == "${action}"${action === 'slow' ? isOutsideWindow : ''}\``,
        '}',
        `handle @ai_${action} {`,
        ...answers[action],
        '}',
      ]),
      '',
    ].join('\n'),
    place:
      'Paste it into the block of your site in the Caddyfile, check it with “caddy validate”, and reload.',
    notes: [
      byName,
      'Caddy runs “handle” blocks with a path before these: where your site has some, put these lines and those into one “route” block, these first.',
      ...(used.includes('slow')
        ? [
            'Caddy itself measures no rate: slow clients are let in for one second in ten, and asked to come again otherwise.',
          ]
        : []),
    ],
  };
}

export function workerRules(clients: readonly RuledClient[]) {
  const rules = agentRules(clients).map(({ pattern, action, client = '' }) =>
    JSON.stringify([pattern, action, client]),
  );
  const isSlow = clients.some(({ action }) => action === 'slow');
  return {
    text: `${head}
const rules = [
${rules.map((rule) => `  ${rule},`).join('\n')}
].map(([pattern, action, client]) => ({ pattern: new RegExp(pattern, 'i'), action, client }));
${body}`,
    place: 'Make it a Worker with a route for your whole site.',
    notes: [
      byName,
      ...(isSlow
        ? [
            'Cloudflare runs a Worker in many places at once: slow clients are slowed down in each of them by itself.',
          ]
        : []),
    ],
  };
}

const head =
  '// The first pattern that a user agent matches holds; without one the request goes on to the site.';

const body = `
const slowMs = 6000;
const lastSeen = new Map();

function isTooSoon(client) {
  const now = Date.now();
  if (now - (lastSeen.get(client) ?? 0) < slowMs) return true;
  lastSeen.set(client, now);
  return false;
}

export default {
  async fetch(request) {
    const userAgent = request.headers.get('user-agent') ?? '';
    const rule = rules.find(({ pattern }) => pattern.test(userAgent));
    // What is asked of clients stays readable for them.
    if (rule && new URL(request.url).pathname !== '/robots.txt') {
      if (rule.action === 'refuse') return new Response('Forbidden', { status: 403 });
      if (rule.action === 'pay') return new Response('Payment required', { status: 402 });
      if (rule.action === 'slow' && isTooSoon(rule.client)) {
        return new Response('Too many requests', { status: 429, headers: { 'Retry-After': String(slowMs / 1000) } });
      }
    }
    return fetch(request);
  },
};
`;
