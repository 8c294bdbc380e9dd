import { describe, expect, test } from 'vitest';
import { identify } from '../../server/identity/identify.ts';
import type { Identity } from '../../server/identity/identity.ts';
import {
  chrome,
  claudeBrowser,
  claudeCode,
  cursorBrowser,
  googlebot,
  gptBot,
  impossibleMac,
  mac,
} from '../support/browsers.ts';

const android = (device: string) =>
  `Mozilla/5.0 (Linux; Android 9; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36`;

function byUserAgent(userAgent: string): Identity {
  return identify({ via: 'script', userAgent });
}

describe('traps', () => {
  const iphone = (app: string) =>
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 ${app}`;

  test.each([
    ["Google's Gemini app", iphone('GoogleWv/1.0 (WKWebView) GeminiiOS/1.2026.2270600')],
    ['the Grok app', iphone('Safari/604.1 GrokApp/1.3.92')],
    ["Microsoft's Copilot app", iphone('Safari/605.1 CopilotSapphire/1.0.180000000')],
    [
      'the Kimi app',
      'Mozilla/5.0 (Linux; Android 14; 22101316G Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.122 Mobile Safari/537.36 Kimi/2.4.3',
    ],
    ['the Doubao app', `${chrome} SamanthaDoubao/1.37.6`],
    ['a Sony SGPT12 tablet', android('SGPT12 Build/TJDSU0177')],
    ['a Gemini Pro phone', android('Gemini Pro')],
    ['a Comet phone', android('Comet')],
    ['an Atlas phone', android('Atlas')],
    ['the Atlas browser', `${mac} Atlas/1.0`],
    ['a Cubot phone', android('CUBOT_NOTE_S Build/LMY47I')],
    ['a POWER BOT phone', android('POWER BOT')],
    [
      'a television with Google TV',
      `${chrome.replace('Windows NT 10.0; Win64; x64', 'Linux; GoogleTV 3.2; NSZ-GS7')}`,
    ],
    [
      'a television with HbbTV',
      'Opera/9.80 (Linux mips; U; HbbTV/1.1.1 (; Humax; hdr1000s; 1.0.0; 1.0.0; ); ce-html/1.0; en) Presto/2.10.250 Version/11.60',
    ],
    ['a Java phone', 'Nokia6120c/3.83; Profile/MIDP-2.0 Configuration/CLDC-1.1 Google'],
    ['a MAUI phone', 'Lemon B369_Maui Wap Browser'],
    ['the in-app browser of Claude', claudeBrowser],
    ['the in-app browser of Cursor', cursorBrowser],
    ['the in-app browser of VS Code', cursorBrowser.replace('Cursor/3.0.16', 'Code/1.115.0')],
    [
      'an Android build that a list of crawlers names',
      'Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.7444.142 Mobile Safari/537.36 Instagram 406.0.0.58.159 Android',
    ],
    ['Chrome with a version of macOS that it never sends', impossibleMac],
    [
      'UC Browser in an app of Alibaba',
      'Mozilla/5.0 (Linux; U; Android 10; zh-CN; ELE-AL00 Build/HUAWEIELE-AL00) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/69.0.3497.100 UWS/3.22.1.171 Mobile Safari/537.36 AliApp(DingTalk/5.1.5) com.alibaba.android.rimet/13534898 Channel/227200 language/zh-CN',
    ],
    ['the Google app', `${android('SM-A536B; wv')} GoogleApp/15.1.36.28.arm64`],
    [
      'a program with a window of JavaFX',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/606.1 (KHTML, like Gecko) JavaFX/11 Safari/606.1',
    ],
    ['a browser on Windows Server', chrome.replace('Windows NT 10.0', 'Windows Server 2016')],
    [
      'Internet Explorer 9 with Chrome Frame',
      'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; WOW64; Trident/5.0; chromeframe/12.0.742.112)',
    ],
  ])('%s is a person', (_, userAgent) => {
    expect(byUserAgent(userAgent).kind).toBe('human');
  });

  test.each([
    ['Googlebot', googlebot, 'search engine'],
    ['Applebot', `${mac} (Applebot/0.1; +http://www.apple.com/go/applebot)`, 'search engine'],
    ['bingbot', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'search engine'],
    [
      'PetalBot',
      'Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)',
      'search engine',
    ],
    ['GoogleOther', 'GoogleOther', 'search engine'],
    [
      'GoogleOther on a phone',
      'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/117.0.5938.132 Mobile Safari/537.36 (compatible; GoogleOther)',
      'search engine',
    ],
    [
      "OpenAI's checker of advertisements",
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-AdsBot/1.0; +https://openai.com/adsbot',
      'advertising',
    ],
    ['Google-Extended, a name for robots.txt', 'Mozilla/5.0 (compatible; Google-Extended/1.0)', 'other bot'],
    ['the SDK of an AI maker', 'OpenAI/JS 4.77.0', 'other bot'],
    ['headless Chrome', chrome.replace('Chrome/', 'HeadlessChrome/'), 'headless browser'],
    ["Cypress's own browser", chrome.replace('Chrome/', 'Cypress/14.0.1 Chrome/'), 'headless browser'],
    ['curl', 'curl/8.4.0', 'library'],
    ['AhrefsBot', 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'seo'],
    ['an empty user agent', '', 'empty user agent'],
    ['a blank user agent', ' ', 'empty user agent'],
  ])('%s is a bot', (_, userAgent, family) => {
    expect(byUserAgent(userAgent)).toMatchObject({ kind: 'bot', family });
  });
});

test.each(
  `AhrefsBot aiHitBot Applebot Applebot-Extended Awario Baiduspider Bravebot Coveobot DataForSeoBot DuckDuckBot
   Google-Extended Google-Firebase Googlebot GoogleOther HeadlessChrome PetalBot VelenPublicWebCrawler IbouBot ias_crawler
   Kagibot facebookexternalhit meta-externalads bingbot ICC-Crawler Scrapy OAI-AdsBot SemrushBot-OCOB SemrushBot-SWA
   SentiBot TurnitinBot omgili YandexBot`.split(/\s+/),
)('%s, which some list calls AI, is an ordinary bot', (name) => {
  const forms = [name, `${name}/1.0`, `Mozilla/5.0 (compatible; ${name}/1.0; +https://example.com/bot)`];
  expect(forms.map((form) => byUserAgent(form).kind)).toEqual(['bot', 'bot', 'bot']);
});

describe('names', () => {
  test.each([
    ['GPTBot/1.0', 'GPTBot'],
    ['gptbot', 'GPTBot'],
    [gptBot.replace('1.4', '27.13'), 'GPTBot'],
    [claudeCode, 'Claude Code'],
    ['Claude-User/1.0 (via something; claude-code/3.0)', 'Claude Code'],
    ['Claude-User/1.0', 'Claude-User'],
    ['Mozilla/5.0 (compatible; Diffbot-User/1.0)', 'Diffbot-User'],
    ['Mozilla/5.0 (compatible; GoogleAgent-Mariner)', 'GoogleAgent-Mariner'],
    ['Mozilla/5.0 (compatible; Google-Agent)', 'Google-Agent'],
    ['crush/1.0', 'Crush'],
    ['Cursor/3.0.16 (darwin arm64)', 'Cursor'],
  ])('%s is %s', (userAgent, client) => {
    expect(byUserAgent(userAgent)).toMatchObject({ kind: 'ai', client, proof: 'claimed' });
  });

  test.each([
    ['inside another word', 'NotGPTBotAtAll/1.0'],
    ['at the end of another word', 'Mozilla/5.0 (compatible; xCCBot/1.0)'],
    ['in the name of a game', 'Candy-Crush/1.2 (Android)'],
  ])('a token %s names nobody', (_, userAgent) => {
    expect(byUserAgent(userAgent)).not.toMatchObject({ proof: 'claimed' });
  });

  test('a name that only lists mention counts where nothing contradicts it', () => {
    const bot = byUserAgent('Mozilla/5.0 (compatible; Character-AI/1.0; +https://character.ai/)');
    expect(bot).toMatchObject({ kind: 'ai', client: 'Character-AI', rule: 'unattested-token' });
    expect(byUserAgent(`${mac} Character-AI/1.0`).kind).toBe('human');
  });

  test.each([
    ['Mozilla/5.0 (compatible; MyGPTBot/1.0; +https://example.com)'],
    ['Mozilla/5.0 (compatible; ExampleAIBot/1.0)'],
    ['ai-crawler/1.0 (+https://example.com)'],
    ['Mozilla/5.0 (compatible; Example/1.0; +https://example.com/ai-bot)'],
  ])('%s says itself that it is AI', (userAgent) => {
    expect(byUserAgent(userAgent)).toMatchObject({ kind: 'ai', proof: 'inferred', rule: 'self-declared' });
  });

  test.each([
    ['Mozilla/5.0 (compatible; Thaibot/1.0; +https://example.com)'],
    ['Mozilla/5.0 (compatible; aiHitBot/2.9; +https://www.aihitdata.com/about)'],
    ['jobswithgptcom-bot'],
  ])('%s does not', (userAgent) => {
    expect(byUserAgent(userAgent).kind).toBe('bot');
  });

  test('a phone of such a name is a person’s, but not one with the very token of a client', () => {
    expect(byUserAgent(android('AI-Bot 5')).kind).toBe('human');
    expect(byUserAgent(android('GPTBot Build/1'))).toMatchObject({ kind: 'ai', client: 'GPTBot' });
  });
});
