import { type AiRulesReply, aiRulesQuery, type RuleTarget } from '../../shared/reports/sites.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { ApiError } from '../errors.ts';
import { productTokens } from '../identity/product-token.ts';
import { caddyRules } from './rules/caddy-rules.ts';
import { nginxRules } from './rules/nginx-rules.ts';
import { robotsRules } from './rules/robots-rules.ts';
import { chooseActions, type RuledClient, unknownClients } from './rules/ruled-client.ts';
import { workerRules } from './rules/worker-rules.ts';

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
      json: async () => (await import('../../shared/replies/sites.ts')).aiRulesReply,
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
