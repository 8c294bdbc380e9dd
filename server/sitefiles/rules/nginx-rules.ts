import { type AgentRule, agentRules, type RuledClient } from './ruled-client.ts';

/** Answers, and how often slow clients may ask. */
export function nginxRules(clients: readonly RuledClient[]) {
  const rules = agentRules(clients);
  const isUsed = (action: AgentRule['action']) => rules.some((rule) => rule.action === action);
  const server = [
    ...(isUsed('refuse') ? ['if ($ai_action = refuse) { return 403; }'] : []),
    ...(isUsed('pay') ? ['if ($ai_action = pay) { return 402; }'] : []),
    ...(isUsed('slow') ? ['limit_req zone=ai_slow burst=3 nodelay;', 'limit_req_status 429;'] : []),
  ];
  return {
    text: [
      '# 1. Inside "http", before your "server":',
      'map $http_user_agent $ai_choice {',
      '    default allow;',
      ...rules.map(({ pattern, action }) => `    "~*${pattern}" ${action};`),
      '}',
      '# What is asked of clients stays readable for them.',
      'map $uri $ai_action {',
      '    default $ai_choice;',
      '    /robots.txt allow;',
      '}',
      ...(isUsed('slow') ? slowZone(rules) : []),
      '',
      '# 2. Inside the "server" of your site:',
      ...server,
      '',
    ].join('\n'),
    place:
      'Paste both parts into the settings of nginx where they say, check them with “nginx -t”, and reload.',
    notes: [byName],
  };
}

/** A measure for each client, whatever addresses it comes from. */
function slowZone(rules: readonly AgentRule[]): string[] {
  return [
    'map $http_user_agent $ai_client {',
    '    default "";',
    ...rules
      .filter(({ action }) => action === 'slow')
      .map(({ pattern, client }) => `    "~*${pattern}" "${client}";`),
    '}',
    'map $ai_action $ai_slow {',
    '    default "";',
    '    slow $ai_client;',
    '}',
    'limit_req_zone $ai_slow zone=ai_slow:1m rate=10r/m;',
  ];
}

/** What holds of all rules that servers keep. */
export const byName =
  'Clients are known by what they call themselves: one that takes another name gets past, and an agent in a person’s browser has the name of the browser.';
