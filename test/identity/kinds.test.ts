import { describe, expect, test } from 'vitest';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';

const android =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP4A.250105.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile Safari/537.36';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const chrome = `${windows} ${webkit} Chrome/143.0.0.0 Safari/537.36`;

const kindOf = (userAgent: string) => identifyUserAgent(userAgent).kind;

describe('an app in whose window a phone shows pages is a person’s', () => {
  test.each(
    `QRScanner/2.0|BarcodeScanner|Scanner App/3|PriceChecker|HeartMonitor/2|SpiderSolitaire/1.0|Chatbot/1.0|AIChatbot/2.0
Preview/1|FeedReader/2|Validator|Library/3|Inspect/1|Torrent/44|user@host.name|curl Salon|Headless Horseman|ProxyFox/11
AuditApp/1|SecretAgent|Siege/2|Twine/1|Yeti/1|Lighthouse/1|FooGPT/1.0|Healthcheck/1|DungeonCrawl/1.0|Server/1|Robots/2
AliApp(TM/10.48) UCBS/2.11.1.1 TTID/600000@tmall_android_10.48 WindVane/8.5.0|CoreAssistant/com.google.OPA|News/582.1`.split(
      /[|\n]/,
    ),
  )('%s', (app) => {
    expect([android, iphone].map((browser) => kindOf(`${browser} ${app}`))).toEqual(['human', 'human']);
  });

  test.each([
    'Mozilla/5.0 (Linux; U; Android 2.3.4; xx; LG-P698 Build/alex@hawk-droid.rev3) AppleWebKit/533.1 (KHTML, like Gecko) Version/4.0 Mobile Safari/533.1',
    'Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.144 Mobile ProxyFox/11 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU OS 16.3.1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GoogleWv/1.0 (WKWebView) OPA/1.9.78001 CoreAssistant/com.google.OPA',
  ])('%s', (userAgent) => {
    expect(kindOf(userAgent)).toBe('human');
  });

  test.each([
    `${android} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    `${android} (compatible; FreshFetch)`,
    `${android} https://fresh.example/about`,
    `${android} Chrome-Lighthouse`,
    `${iphone} (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)`,
    `${iphone} Safari/604.1 BingPreview/1.0b`,
    `${iphone} (Applebot/0.1; +http://www.apple.com/go/applebot)`,
    iphone.replace('Gecko)', 'Gecko; compatible; FreshBot/1.0)'),
    `${chrome} SecurityHeaders`,
    `${chrome} QRScanner/2.0`,
    `${chrome} FreshBot/1.0`,
  ])('but not %s', (userAgent) => {
    expect(kindOf(userAgent)).toBe('bot');
  });
});

test.each([
  'com.huawei.hmos.browser (2in1;OpenHarmony-6.0.2.130;HAD-W24) NetworkSDK/8.0.10.309',
  'SafeBrowser/6.5 (com.browser.privatebrowser; build:6.5.1; iOS 26.4.2) Alamofire/5.6.4',
  'MQQBrowser/Mini3.1 (ZTE-G R221/WAP2.0)',
  'Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1',
  'Links (2.29; Linux 6.1 x86_64; GNU C 12; text)',
  'Fresh%20Browser/322 CFNetwork/3860.600.12 Darwin/25.5.0',
  'Edge/128.0.2739.82 CFNetwork/1568.200.21 Darwin/24.1.0',
  'Dalvik/2.1.0 (Linux; U; Android 12; VNE-LX3 Build/HONORVNE-L43CM) AppleWebKit [PB/149] (KHTML, like Gecko) Chrome/108.0.0.0 Mobile Safari/537.36',
])('%s reads for a person, though it does not call itself Mozilla', (userAgent) => {
  expect(kindOf(userAgent)).toBe('human');
});

describe('what no browser sends is no person', () => {
  test.each([
    ['Dalvik/2.1.0 (Linux; U; Android 13; SM-A536B Build/TP1A.220624.014)'],
    ['Dalvik/1.6.0 (Linux; U; Android 4.4.2; GT-I9505 Build/KOT49H)'],
    ['FreshApp/4.1 Dalvik/2.1.0 (Linux; U; Android 15; Pixel 9 Build/AP4A.250105.002)'],
    ['Dalvik/2.1.0 (Linux; U; Android 11; BRAVIA 4K VH2 Build/RTM8.211117.002)'],
    ['CFNetwork/1410.0.3 Darwin/22.6.0'],
    ['FreshApp/4.1 CFNetwork/1568.200.51 Darwin/24.1.0'],
    ['Fresh%20App/12 CFNetwork/808.3 Darwin/16.3.0 (x86_64)'],
    ['com.fresh.app/4.1 iPhone/18.5 hw/iPhone17_1 CFNetwork/3826.500.131 Darwin/24.5.0'],
    ['com.apple.WebKit.Networking/8621.2.5.10.10 CFNetwork/3826.500.131 Darwin/24.5.0'],
    ['MobileSafari/8621.2.5.10.10 CFNetwork/3826.500.131 Darwin/24.5.0'],
    ['acme/Fetcher/1'],
    ['Chromaxa/1.0 Sonar/1.0'],
    ['ImageVisu/v4.x.x'],
    ['i2kconnect/"1.7.0"'],
    ['localhost.localdomain/go-network-v2.0.1'],
    [`\${jndi:ldap://x}`],
    ['&as_qdr=all'],
    ['Mozilla/5.0 (compatible; Vercel Edge Functions)'],
    ['Mozilla/5.0 (compatible; FreshTool/1.0; Linux x86_64)'],
    [`${chrome} (FreshIndexer 2)`],
    [`${chrome} (compatible; Sitefetch/1.0)`],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 [sitereader 2]'],
  ])('%s', (userAgent) => {
    expect(kindOf(userAgent)).toBe('bot');
  });

  const gecko = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0)';
  const whole = iphone.replace(' Mobile/15E148', '');
  test.each([
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14_7_2) AppleWebKit/537.36'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15',
    ],
    ['Mozilla/5.0 (Windows NT 10.0'],
    [windows],
    [`${windows} AppleWebKit`],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0'],
    [`${windows} AppleWebKit/537.36 (KHTML, like`],
    [`${windows} ${webkit}`],
    [`${windows} ${webkit} Chrome/143.0.0.0`],
    [`${windows} ${webkit} Safari/537.36`],
    [`${windows} Chrome/143.0.0.0 Safari/537.36`],
    [`Mozilla/5.0 ${webkit} Chrome/143.0.0.0 Safari/537.36`],
    [gecko],
    [`${gecko} Gecko/20100101`],
    [`${gecko} Firefox/140.0`],
    ['Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0)'],
    ['Mozilla/4.0 (compatible; MSIE 6.0)'],
    ['Opera/9.80 (Windows NT 6.1)'],
    [whole],
    [whole.replace(/ \(KHTML.*/, '')],
    [whole.replace(/ AppleWebKit.*/, '')],
    ['Mozilla/5.0 (Linux; Android 10; K)'],
    ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit}`],
  ])('half a browser: %s', (userAgent) => {
    expect(kindOf(userAgent)).toBe('bot');
  });

  test('while a window of WebKit on macOS is one', () => {
    const window = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
    expect(kindOf(window)).toBe('human');
  });
});

test.each([
  'MCPWatch/0.1.0 (+mcpwatch@fresh.example) longitudinal MCP security research',
  'MCP-Catalog-Bot/1.0',
  'fresh-mcp-health/0.1 (+https://fresh.example; daily MCP liveness probe)',
  'Mozilla/5.0 (compatible; MCPDirectoryBot/1.0; +https://mcp.directory)',
  'StatusBot/1.0 (+https://uptime.ai/)',
  'FreshBot/1.0 (+https://agent-directory.ai/)',
  'SecurityScanner/2.0 (+https://fresh.ai/)',
  'AgentScanner/1.0 (looks for AI agents)',
  'RSS-WebFetch/1.0',
  'HuggingFace-uptime/1.0',
  'LLM-Uptime/1.0',
  'facebookplatform/1.0 (+http://developers.facebook.com)',
  'FacebookWebhooks/1.0 (https://developers.facebook.com/docs/webhooks)',
  'UniversityResearchAgent/1.0',
  'HomeAssistant/2026.1 aiohttp/3.9',
  'Fresh/1.0 (not for AI training)',
])('%s has a word of AI and is none', (userAgent) => {
  expect(kindOf(userAgent)).toBe('bot');
});

test.each([
  'Deep-Research-Bot/1.0',
  'DeepResearch/1.0',
  'ForgeFlow-Agent/1.0 (AI workflow generator)',
  'Fresh/0.1 (+local-first assistant; web fetch)',
  'research-agent/0.1 (+https://github.com/fresh/research-agent)',
  'Fresh-Agent/0.1 (+https://github.com/fresh/fresh)',
  'FreshAiAssistant/1.0 (+https://fresh.example)',
  'fresh-assistant/1.0',
  'Fresh/1.0 (AI research assistant)',
  'Fresh/1.0 (AI-powered agent)',
  'Fresh/1.0 (autonomous agent)',
  'Fresh/1.0 (large language model)',
  'Fresh/1.0 (agentic browser)',
  'Language Model Dataset Fetcher',
  'FreshLLM/1.0',
  'FreshLLMs/1.0',
  'FreshRAG/1.0',
  'FreshGPT/1.0',
  'FreshAiBot',
  'fresh_ai_bot/1.0',
  'ai_crawler/1.0',
  'AI Crawler',
  'web_fetch/1.0',
  'Web Fetch Tool/1',
  'coding_agent/1',
  'SeltzSitemapFetcher/1.0',
])('%s says that it is AI', (userAgent) => {
  expect(kindOf(userAgent)).toBe('ai');
});
