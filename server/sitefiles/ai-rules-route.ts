import { type AiRulesReply, aiRulesQuery } from '../../shared/reports/sites.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { ApiError } from '../errors.ts';

import { productTokens } from '../identity/product-token.ts';
import { chooseActions, type RuledClient, unknownClients } from './rules/ruled-client.ts';
import { writeRules } from './rules/written-rules.ts';

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
