interface PageLimit {
  /** Of a page's text; what comes after them is not read. */
  characters: number;
  source: string;
  /** When the source was looked at. */
  asOf: string;
}

/** How much of a text AI clients are known to take, by their names in the catalogue. Few operators say so; these were measured. */
export const pageLimits: Readonly<Record<string, PageLimit>> = {
  'Claude Code': {
    characters: 100_000,
    source: 'https://dacharycarey.com/2026/02/19/agent-web-fetch-spelunking',
    asOf: '2026-11-22',
  },
  'Claude-User': {
    characters: 20_700,
    source: 'https://rhyannonjoy.github.io/agent-ecosystem-testing/web-fetch-test-findings-raw',
    asOf: '2026-11-22',
  },
  'MCP fetch server': {
    characters: 5_000,
    source: 'https://github.com/modelcontextprotocol/servers/tree/main/src/fetch',
    asOf: '2026-11-22',
  },
};
