import { describe, expect, test } from 'vitest';
import { explain } from '../../server/identity/explain.ts';
import { identify } from '../../server/identity/identify.ts';
import type { Evidence, Identity } from '../../server/identity/identity.ts';
import {
  chrome,
  claudeBrowser,
  claudeCode,
  cursorBrowser,
  googlebot,
  gptBot,
  impossibleMac,
  mac,
  manus,
} from '../support/browsers.ts';

const navigation = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
};

function reported(
  userAgent: string,
  headers: Record<string, string>,
  rest: Partial<Evidence> = {},
): Identity {
  return identify({ via: 'report', userAgent, headers, secure: true, ...rest });
}

describe('proof', () => {
  const prove = (userAgent: string, findings: NonNullable<Evidence['findings']>) =>
    identify({ via: 'script', userAgent, findings });

  test('an address inside the published ranges verifies', () => {
    expect(prove(gptBot, { ranges: 'inside' })).toMatchObject({ client: 'GPTBot', proof: 'verified' });
  });

  test('an address outside them is a spoof, named after what it claims to be', () => {
    expect(prove(gptBot, { ranges: 'outside' })).toEqual({
      kind: 'bot',
      family: 'spoofed AI client',
      spoofed: 'GPTBot',
      rule: 'address',
    });
  });

  test('a claim that could not be checked stays one', () => {
    expect(prove(gptBot, { ranges: 'unknown', dns: 'unknown' })).toMatchObject({ proof: 'claimed' });
  });

  test('what runs on its user’s machine may come from anywhere', () => {
    expect(prove(claudeCode, { ranges: 'outside', dns: 'refused' })).toMatchObject({
      client: 'Claude Code',
      proof: 'claimed',
    });
    expect(prove('Aider/0.86.1', { ranges: 'outside' })).toMatchObject({ client: 'Aider', proof: 'claimed' });
  });

  test('confirmed reverse DNS verifies, also where the list of ranges is behind', () => {
    const amazonbot = 'Mozilla/5.0 (compatible; Amazonbot/0.1)';
    expect(prove(amazonbot, { dns: 'confirmed' })).toMatchObject({ proof: 'verified', rule: 'address' });
    expect(prove(amazonbot, { ranges: 'outside', dns: 'confirmed' })).toMatchObject({ proof: 'verified' });
  });

  test('refused reverse DNS is a spoof only where the operator documents its names', () => {
    expect(prove('CCBot/2.0', { dns: 'refused' })).toMatchObject({ spoofed: 'CCBot' });
    // Amazon's page of September 2026 names lists of addresses, and host names no more.
    expect(prove('Amazonbot/0.1', { dns: 'refused' })).toMatchObject({ kind: 'ai', proof: 'claimed' });
    expect(prove('Bytespider', { dns: 'refused' })).toMatchObject({ kind: 'ai', proof: 'claimed' });
  });

  test.each([
    ['valid', { kind: 'ai', client: 'ChatGPT agent', proof: 'verified', rule: 'signature' }],
    ['unknown', { kind: 'ai', client: 'ChatGPT agent', proof: 'claimed' }],
    ['invalid', { kind: 'bot', spoofed: 'ChatGPT agent', rule: 'signature' }],
  ] as const)('a plain Chrome with a signature of chatgpt.com that is %s', (state, expected) => {
    expect(prove(mac, { signature: { state, host: 'chatgpt.com' } })).toMatchObject(expected);
  });

  test('a signature verifies another product of its operator under that product’s name', () => {
    expect(prove(manus, { signature: { state: 'valid', host: 'api.manus.im' } })).toMatchObject({
      client: 'Manus',
      proof: 'verified',
    });
  });

  test('a signature tells who signed, whatever the user agent says', () => {
    const proof = { signature: { state: 'valid', host: 'www.browserbase.com' } } as const;
    expect(prove(gptBot, proof)).toMatchObject({ client: 'Browserbase', proof: 'verified' });
  });

  test('one label of a host may differ where each customer has its own', () => {
    const host = 'a1b2c3.keydirectory.signer.us-east-1.on.aws';
    expect(prove(mac, { signature: { state: 'valid', host } })).toMatchObject({
      client: 'Amazon Bedrock AgentCore Browser',
    });
    expect(prove(mac, { signature: { state: 'valid', host: `${host}.example.com` } }).kind).toBe('bot');
  });

  test('who signs for a host that is not in the catalogue is automation, not AI', () => {
    expect(prove(chrome, { signature: { state: 'valid', host: 'bots.example.com' } })).toMatchObject({
      kind: 'bot',
      family: 'signed automation',
    });
  });

  test('an invalid signature is a spoof, but not where the address is the operator’s', () => {
    const signature = { state: 'invalid', host: 'agent.bot.goog' } as const;
    const agent = 'Mozilla/5.0 (compatible; Google-Agent)';
    expect(prove(agent, { signature })).toMatchObject({ spoofed: 'Google-Agent' });
    expect(prove(agent, { signature, ranges: 'inside' })).toMatchObject({ proof: 'verified' });
  });

  test('proofs of an address say nothing about people and bots', () => {
    expect(prove(chrome, { ranges: 'outside', dns: 'refused' }).kind).toBe('human');
    expect(prove(googlebot, { ranges: 'outside' })).toMatchObject({ family: 'search engine' });
  });
});

describe('headers of the page request', () => {
  test('a visit that comes from chatgpt.com is a person’s', () => {
    expect(reported(chrome, { ...navigation, referer: 'https://chatgpt.com/' }).kind).toBe('human');
  });

  test.each([
    [
      'opencode',
      chrome,
      'text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1',
    ],
    ['OpenClaw', impossibleMac, 'text/markdown, text/html;q=0.9, */*;q=0.8'],
    ['Claude Code', 'axios/1.8.4', 'text/markdown, text/html, */*'],
    ['Unnamed coding agent', 'curl/8.4.0', 'text/markdown'],
    ['Unnamed coding agent', 'got (https://github.com/sindresorhus/got)', 'text/html, text/markdown;q=0.9'],
    ['Unnamed coding agent', 'colly - https://github.com/gocolly/colly', 'text/markdown, */*'],
    ['Unnamed coding agent', 'python-requests/2.32', 'TEXT/MARKDOWN'],
    ['Unnamed coding agent', chrome, 'text/html, text/markdown'],
    ['Claude desktop', claudeBrowser, 'text/markdown, */*'],
    ['Cursor', cursorBrowser, 'text/markdown, */*'],
  ])('%s asks for Markdown', (client, userAgent, accept) => {
    expect(reported(userAgent, { accept })).toMatchObject({ kind: 'ai', client, proof: 'inferred' });
  });

  test.each([
    ['refused', 'text/html, text/markdown;q=0'],
    ['refused with decimals', 'text/html, text/markdown; q=0.000'],
    ['part of another type', 'text/markdownish, text/html'],
    ['a parameter', 'text/html;profile="text/markdown"'],
  ])('Markdown %s is not asked for', (_, accept) => {
    expect(reported(chrome, { ...navigation, accept }).kind).toBe('human');
  });

  test('a search engine that asks for Markdown stays a search engine', () => {
    expect(reported(googlebot, { accept: 'text/markdown' })).toMatchObject({ family: 'search engine' });
  });

  test.each(['script', 'pixel'] as const)('of a %s they say nothing about the page', (via) => {
    const headers = { accept: 'text/markdown' };
    expect(identify({ via, userAgent: chrome, headers, secure: true }).kind).toBe('human');
  });

  test('one weak sign never costs a person', () => {
    const { accept } = navigation;
    expect(reported(chrome, { accept }).kind).toBe('human');
    expect(reported(impossibleMac, navigation).kind).toBe('human');
    expect(reported(chrome, { ...navigation, accept: '*/*' }).kind).toBe('human');
    expect(reported(mac, { ...navigation, 'sec-ch-ua-platform': '"Linux"' }).kind).toBe('human');
  });

  test('two weak signs are automation, and not AI', () => {
    const { accept } = navigation;
    expect(reported(impossibleMac, { accept })).toMatchObject({ family: 'disguised automation' });
    expect(reported(chrome, { accept: '*/*' })).toMatchObject({ family: 'disguised automation' });
  });

  test('old browsers and pages over http send no Sec-Fetch', () => {
    const old = impossibleMac.replace('Chrome/122', 'Chrome/70');
    expect(reported(old, { accept: '*/*' }).kind).toBe('human');
    expect(reported(chrome, { accept: '*/*' }, { secure: false }).kind).toBe('human');
  });

  test('a headless browser says so in its client hints', () => {
    const headers = { ...navigation, 'sec-ch-ua': '"HeadlessChrome";v="143", "Chromium";v="143"' };
    expect(reported(chrome, headers)).toMatchObject({ family: 'headless browser' });
  });

  test.each([
    ['ChatGPT for Chrome', 'agent-header', { 'x-browser-agent': 'ChatGPT/abc' }],
    ['Cloudflare Browser Run', 'agent-header', { 'cf-brapi-request-id': '1' }],
    ['ChatGPT agent', 'signature-agent', { 'signature-agent': '"https://chatgpt.com"' }],
    ['Google-Agent', 'signature-agent', { 'signature-agent': 'g="https://agent.bot.goog"' }],
  ])('%s claims itself by its own header', (client, rule, headers) => {
    expect(reported(chrome, { ...navigation, ...headers })).toMatchObject({ client, rule, proof: 'claimed' });
  });

  test('a header of another tool with the same name claims nothing', () => {
    expect(reported(chrome, { ...navigation, 'x-browser-agent': 'other' }).kind).toBe('human');
    expect(reported(chrome, { ...navigation, 'signature-agent': '"https://example.com"' }).kind).toBe(
      'human',
    );
  });
});

describe('what the tracker sees in the page', () => {
  const seen = (userAgent: string, page: string) => identify({ via: 'script', userAgent, page });

  test.each([
    ['c', 'Claude in Chrome'],
    ['x', 'ChatGPT for Chrome'],
    ['p', 'Comet assistant'],
    ['n', 'Amazon Nova Act'],
    ['u', 'browser-use'],
    ['s', 'Browserbase'],
    ['k', 'Skyvern'],
    ['b', 'BrowserOS'],
    ['m', 'Manus'],
    ['d', 'Claude desktop'],
  ])('the mark %s is %s at work', (page, client) => {
    expect(seen(chrome, page)).toMatchObject({ kind: 'ai', client, proof: 'inferred', rule: 'page-marker' });
  });

  test('a driven browser without a mark is a bot, with one an AI client', () => {
    expect(seen(chrome, 'w')).toMatchObject({ kind: 'bot', family: 'automated browser' });
    expect(seen(chrome, 'wu')).toMatchObject({ kind: 'ai', client: 'browser-use' });
  });

  test('an AI client that a program drives stays what it says', () => {
    expect(seen(manus, 'w')).toMatchObject({ kind: 'ai', client: 'Manus', proof: 'claimed' });
  });

  test('no mark, and letters that mean nothing, change nothing', () => {
    expect(seen(chrome, '').kind).toBe('human');
    expect(seen(chrome, '?').kind).toBe('human');
  });
});

describe('in words', () => {
  test.each<[string, Omit<Evidence, 'via'>]>([
    [
      'AI client GPTBot (OpenAI, training), claimed: its user agent says so; nobody checked the address.',
      { userAgent: gptBot },
    ],
    [
      'AI client GPTBot (OpenAI, training), verified: its address is the operator’s.',
      { userAgent: gptBot, findings: { ranges: 'inside' } },
    ],
    [
      'A bot (spoofed AI client): it claims to be GPTBot, but its address is not the operator’s.',
      { userAgent: gptBot, findings: { ranges: 'outside' } },
    ],
    [
      'AI client Claude Code (Anthropic, coding), claimed: its user agent says so; it runs on its user’s machine, so that its address proves nothing.',
      { userAgent: claudeCode, findings: { ranges: 'outside' } },
    ],
    [
      'AI client FreshBot (unlisted, xAI), claimed: its user agent has an address of its operator, and a name that the catalogue does not hold; what is not listed cannot be checked.',
      { userAgent: 'FreshBot/1.0 (+https://x.ai)' },
    ],
    ['A person: its user agent is that of a common browser and holds nothing else.', { userAgent: chrome }],
    ['A bot (search engine): its user agent holds the name of a known bot.', { userAgent: googlebot }],
  ])('%s', (sentence, rest) => {
    const evidence: Evidence = { via: 'report', ...rest };
    expect(explain(identify(evidence), evidence)).toBe(sentence);
  });
});
