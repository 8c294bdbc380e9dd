/** Who signs with the keys of which host (Web Bot Auth); last reviewed 2026-11-21. */
const signers: Readonly<Record<string, string>> = {
  'chatgpt.com': 'ChatGPT agent',
  'agent.bot.goog': 'Google-Agent',
  'cursorusercontent.com': 'Grok Bot',
  'api.manus.im': 'Manus',
  'web-bot-auth.cloudflare-browser-rendering-085.workers.dev': 'Cloudflare Browser Run',
  'www.browserbase.com': 'Browserbase',
  'api.anchorbrowser.io': 'Anchor Browser',
  'www.kernel.sh': 'Kernel',
  'api.apify.com': 'Apify',
  'crawler.exa.ai': 'Exa',
  'you.com': 'YouBot',
  'assistbot.duckduckgo.com': 'DuckAssistBot',
};

/** Amazon gives each of its customers a host: https://docs.aws.amazon.com/bedrock-agentcore/ */
const agentCoreHost = /^[a-z0-9-]+\.keydirectory\.signer\.[a-z0-9-]+\.on\.aws$/;

/** The client that signs with the keys of this host. */
export function findSigner(host: string): string | undefined {
  if (Object.hasOwn(signers, host)) return signers[host];
  return agentCoreHost.test(host) ? 'Amazon Bedrock AgentCore Browser' : undefined;
}

/** Whether strangers cannot make up more hosts like this one. */
export const isWellKnownSigner = (host: string): boolean => Object.hasOwn(signers, host);
