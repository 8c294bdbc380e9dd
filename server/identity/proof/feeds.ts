/** A file in which an operator publishes the addresses that its clients come from. */
export interface Feed {
  id: string;
  url: string;
  /** The clients, by the token in their user agent, whose requests come from these addresses. */
  tokens: readonly string[];
  /** Tokens that are also sent from elsewhere, so that an address outside proves nothing about them. */
  alsoElsewhere?: readonly string[];
}

/** From the operators' own documentation; last reviewed 2026-11-24. */
export const feeds: readonly Feed[] = [
  { id: 'openai-gptbot', url: 'https://openai.com/gptbot.json', tokens: ['GPTBot'] },
  { id: 'openai-searchbot', url: 'https://openai.com/searchbot.json', tokens: ['OAI-SearchBot'] },
  { id: 'openai-chatgpt-user', url: 'https://openai.com/chatgpt-user.json', tokens: ['ChatGPT-User'] },
  { id: 'openai-adsbot', url: 'https://openai.com/adsbot.json', tokens: ['OAI-AdsBot'] },
  {
    id: 'openai-connectors',
    url: 'https://openai.com/chatgpt-connectors.json',
    tokens: ['openai-mcp/'],
    // OpenAI does not say that the tools of its API come from there too.
    alsoElsewhere: ['openai-mcp/'],
  },
  {
    id: 'anthropic',
    url: 'https://claude.com/crawling/bots.json',
    tokens: ['ClaudeBot', 'Claude-SearchBot', 'Claude-User'],
    // Claude Code sends Claude-User from the machine of the person who runs it.
    alsoElsewhere: ['Claude-User'],
  },
  {
    id: 'perplexity-bot',
    url: 'https://www.perplexity.com/perplexitybot.json',
    tokens: ['PerplexityBot'],
  },
  {
    id: 'perplexity-user',
    url: 'https://www.perplexity.com/perplexity-user.json',
    tokens: ['Perplexity-User'],
  },
  {
    id: 'google-common-crawlers',
    url: 'https://developers.google.com/static/crawling/ipranges/common-crawlers.json',
    tokens: ['Googlebot', 'GoogleOther', 'Google-CloudVertexBot'],
  },
  {
    id: 'google-user-triggered-agents',
    url: 'https://developers.google.com/static/crawling/ipranges/user-triggered-agents.json',
    tokens: ['Google-Agent'],
  },
  {
    id: 'google-user-triggered-fetchers',
    url: 'https://developers.google.com/static/crawling/ipranges/user-triggered-fetchers-google.json',
    tokens: ['Google-GeminiNotebook', 'NotebookLM', 'Google-Pinpoint'],
  },
  { id: 'bing', url: 'https://www.bing.com/toolbox/bingbot.json', tokens: ['bingbot'] },
  { id: 'apple', url: 'https://search.developer.apple.com/applebot.json', tokens: ['Applebot'] },
  { id: 'common-crawl', url: 'https://index.commoncrawl.org/ccbot.json', tokens: ['CCBot'] },
  {
    id: 'duckduckgo-duckassistbot',
    url: 'https://duckduckgo.com/duckassistbot.json',
    tokens: ['DuckAssistBot'],
  },
  { id: 'duckduckgo-duckduckbot', url: 'https://duckduckgo.com/duckduckbot.json', tokens: ['DuckDuckBot'] },
  {
    id: 'amazon-amazonbot',
    url: 'https://developer.amazon.com/amazonbot/ip-addresses/',
    tokens: ['Amazonbot'],
  },
  {
    id: 'amazon-searchbot',
    url: 'https://developer.amazon.com/amazonbot/searchbot-ip-addresses/',
    tokens: ['Amzn-SearchBot'],
  },
  {
    id: 'amazon-user',
    url: 'https://developer.amazon.com/amazonbot/live-ip-addresses/',
    tokens: ['Amzn-User'],
  },
  { id: 'liner-linerbot', url: 'https://docs.getliner.com/linerbot.json', tokens: ['LinerBot'] },
  { id: 'mistral-index', url: 'https://mistral.ai/mistralai-index-ips.json', tokens: ['MistralAI-Index'] },
  { id: 'mistral-user', url: 'https://mistral.ai/mistralai-user-ips.json', tokens: ['MistralAI-User'] },
  { id: 'kimi-bot', url: 'https://www.kimi.com/policies/kimibot.json', tokens: ['KimiBot'] },
  {
    id: 'kimi-searchbot',
    url: 'https://www.kimi.com/policies/kimi-searchbot.json',
    tokens: ['Kimi-SearchBot'],
  },
  { id: 'kimi-user', url: 'https://www.kimi.com/policies/kimi-user.json', tokens: ['Kimi-User'] },
  {
    id: 'parallel-shapbot',
    url: 'https://docs.parallel.ai/resources/shapbot.json',
    tokens: ['ShapBot'],
  },
  { id: 'ahrefs', url: 'https://api.ahrefs.com/v3/public/crawler-ips', tokens: ['AhrefsBot'] },
];
