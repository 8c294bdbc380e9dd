import { userAgentOf } from '../test/support/identity/user-agents.ts';

interface Answer {
  client: string;
  path: string;
  status: number;
  bytes: number;
  times: number;
}

const site = 'https://teapot.example';

/** What the demo's server answered AI clients with today, besides pages. */
const answers: readonly Answer[] = [
  { client: 'GPTBot', path: '/docs/api/kettles', status: 404, bytes: 1_900, times: 3 },
  { client: 'ClaudeBot', path: '/docs/api/kettles', status: 404, bytes: 1_900, times: 2 },
  { client: 'PerplexityBot', path: '/docs/v1/install', status: 404, bytes: 1_900, times: 1 },
  { client: 'ChatGPT-User', path: '/docs/install.html', status: 301, bytes: 0, times: 2 },
  { client: 'CCBot', path: '/blog', status: 403, bytes: 600, times: 2 },
  { client: 'Meta-ExternalAgent', path: '/docs/api/pots', status: 429, bytes: 300, times: 5 },
  { client: 'OAI-SearchBot', path: '/docs/sdk/go', status: 503, bytes: 0, times: 1 },
  { client: 'GPTBot', path: '/robots.txt', status: 200, bytes: 120, times: 1 },
  { client: 'ClaudeBot', path: '/robots.txt', status: 200, bytes: 120, times: 1 },
  { client: 'ClaudeBot', path: '/llms.txt', status: 200, bytes: 5_200, times: 1 },
  { client: 'Claude Code', path: '/llms-full.txt', status: 200, bytes: 412_000, times: 1 },
  { client: 'Claude Code', path: '/docs/api/pots.md', status: 200, bytes: 18_400, times: 6 },
  { client: 'Cursor', path: '/docs/sdk/typescript.md', status: 200, bytes: 22_800, times: 4 },
  { client: 'GPTBot', path: '/docs/api/pots', status: 200, bytes: 64_000, times: 7 },
  { client: 'GPTBot', path: '/docs/v1/api/pots', status: 200, bytes: 38_000, times: 4 },
  { client: 'ClaudeBot', path: '/docs/api/authentication', status: 200, bytes: 51_000, times: 6 },
  { client: 'Claude-User', path: '/changelog', status: 200, bytes: 640_000, times: 2 },
  { client: 'ChatGPT-User', path: '/changelog', status: 200, bytes: 640_000, times: 3 },
];

/** As `POST /v1/hits` takes them. */
export const answeredHits: readonly object[] = answers.flatMap(({ client, path, times, ...answer }) =>
  Array.from({ length: times }, (_, index) => ({
    ...answer,
    url: site + path,
    ip: `192.0.2.${1 + index}`,
    userAgent: userAgentOf(client),
    headers: { accept: path.endsWith('.md') ? 'text/markdown' : 'text/html' },
  })),
);
