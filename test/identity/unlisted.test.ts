import { describe, expect, test } from 'vitest';
import { factsOf } from '../../server/identity/client-facts.ts';
import { identify } from '../../server/identity/identify.ts';
import { makers, makersSchema } from '../../server/identity/unlisted/maker.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import { chrome } from '../support/browsers.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1';
const android =
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36';

/** With a program in the place where browsers name none. */
const asEngine = (userAgent: string, program: string) =>
  userAgent.replace('Gecko)', `Gecko; compatible; ${program})`);

describe('an AI client that nobody has listed', () => {
  test.each([
    ['Mozilla/5.0 (compatible; FreshBot/1.0; +https://x.ai)', 'FreshBot', 'xAI', 'unknown'],
    ['Mozilla/5.0 (compatible; FreshBot/1.0; +fresh@openai.com)', 'FreshBot', 'OpenAI', 'unknown'],
    ['Fresh-Search/2.0 (+https://docs.mistral.ai/fresh)', 'Fresh-Search', 'Mistral AI', 'search'],
    [
      'Fresh-Nutch/1.23 (broad web crawler; https://ssi.inc/)',
      'Fresh-Nutch',
      'Safe Superintelligence',
      'training',
    ],
    ['codex-fresh-client/0.1.0', 'codex-fresh-client', 'OpenAI', 'coding'],
    ['claude-fresh-agent', 'claude-fresh-agent', 'Anthropic', 'browser'],
    ['GPT-User/1.0', 'GPT-User', 'OpenAI', 'assistant'],
    ['amazon-Quick-Fresh-on-behalf-of-1266b92d', 'amazon-Quick-Fresh', 'Amazon', 'assistant'],
  ])('%s is called after itself, and is of its maker', (userAgent, token, operator, purpose) => {
    const identity = identifyUserAgent(userAgent);
    expect(identity).toMatchObject({ kind: 'ai', operator, purpose, proof: 'claimed' });
    const client = identity.kind === 'ai' ? identity.client : '';
    expect(client.startsWith(`${token} (unlisted, `)).toBe(true);
    expect(factsOf(client)).toEqual({
      operator,
      purpose: purpose === 'unknown' ? null : purpose,
      robotsNames: [token],
    });
  });

  test.each([
    ['llm-reader/1.0', 'llm-reader (unlisted, assistant)'],
    ['fresh-mcp-client/0.3', 'fresh-mcp-client (unlisted, coding)'],
    ['Fresh-WebFetch/0.1', 'Fresh-WebFetch (unlisted, assistant)'],
    ['FreshThing on-behalf-of somebody', 'FreshThing (unlisted)'],
    ['Mozilla/5.0 (compatible; FreshBot/1.0; +https://fresh.ai/bot)', 'FreshBot (unlisted)'],
  ])('%s says in words that it is AI, of a maker that nobody knows', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({
      kind: 'ai',
      client,
      operator: 'unknown',
      proof: 'inferred',
      rule: 'self-declared',
    });
  });

  test.each([
    ['Mozilla/5.0 (compatible; Fresh-User/1.0)', 'Fresh-User (unlisted, assistant)'],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; FreshBot/1.0', 'FreshBot (unlisted)'],
  ])('%s is written as AI clients write theirs', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({
      kind: 'ai',
      client,
      operator: 'unknown',
      proof: 'inferred',
      rule: 'ai-form',
    });
  });

  test.each([
    ['GeminiCLI/0.1.5 (darwin; arm64)', 'GeminiCLI (unlisted, Google, coding)'],
    ['GeminiCLI/0.1.5 (Windows_NT; x64)', 'GeminiCLI (unlisted, Google, coding)'],
    ['Gemini-Agent/1.0', 'Gemini-Agent (unlisted, Google, browser)'],
    ['CodexCLI/1.0', 'CodexCLI (unlisted, OpenAI, coding)'],
    ['Codex/1.0', 'Codex (unlisted, OpenAI, coding)'],
    ['CursorAgent/1.0 (macOS)', 'CursorAgent (unlisted, Anysphere, browser)'],
    ['Windsurf/2.0', 'Windsurf (unlisted, Cognition)'],
    ['DevinBot/1.0', 'DevinBot (unlisted, Cognition)'],
  ])('%s has a brand and a word in one', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({ kind: 'ai', client, rule: 'maker-name' });
  });

  test.each([
    ['a name that only contains a brand', 'Mozilla/5.0 (compatible; MyGPTBotClone/1.0)'],
    ['a name that a brand begins', 'Claudette/1.0 (+https://example.com)'],
    [
      'an address that only ends as a maker’s',
      'Mozilla/5.0 (compatible; Fresh/1.0; +https://not-openai.com)',
    ],
    [
      'an address under which a maker’s stands',
      'Mozilla/5.0 (compatible; Fresh/1.0; +https://openai.com.example.org)',
    ],
    ['a game’s server whose name begins with a brand', 'Bedrock-Server/1.20'],
    ['a name of two common words', 'windsurf-forecast/2.0'],
    ['a word that begins as a tool does', 'Bedrock-Client/1.0'],
    ['another one', 'Windsurf-Climate/3.1'],
    ['a name that begins with a first name', 'devin-portfolio-checker/1.0'],
    ['the library of a maker', 'OpenAI/JS 4.77.0'],
  ])('%s is no maker’s', (_, userAgent) => {
    expect(identifyUserAgent(userAgent)).not.toMatchObject({ proof: 'claimed' });
  });

  test.each([
    ['codex_cli_rs/0.161.0 (Mac OS 26.0.1; arm64) iTerm.app/3.5', 'codex_cli_rs (unlisted, OpenAI, coding)'],
    ['codex_vscode/0.5.1 (Windows 10.0.26100; x86_64) unknown', 'codex_vscode (unlisted, OpenAI, coding)'],
    ['qwen-code/1.0 (Windows 11)', 'qwen-code (unlisted, Alibaba, coding)'],
    ['claude-fresh-agent/1.0 (Windows NT 10.0)', 'claude-fresh-agent (unlisted, Anthropic, browser)'],
    ['fresh-mcp-client/0.3 (Macintosh; arm64)', 'fresh-mcp-client (unlisted, coding)'],
    ['Fresh-WebFetch/0.1 (macOS)', 'Fresh-WebFetch (unlisted, assistant)'],
    ['FreshThing/1.0 (Windows; LLM)', 'FreshThing (unlisted)'],
  ])('%s is AI, though it names the computer of a person', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({ kind: 'ai', client });
  });

  const uuid = '1266b92d-aaaa-4bbb-8ccc-1234567890ab';
  test.each([
    ['jane.doe@example.com on-behalf-of x', 'Unnamed (unlisted)'],
    ['Mozilla/5.0 (compatible; jane.doe@fresh.ai)', 'Unnamed (unlisted)'],
    ['Mozilla/5.0 (jane.doe@fresh/1.0; LLM crawler)', 'Unnamed (unlisted)'],
    ['jane.doe+news@example.com FreshThing/1.0 (LLM)', 'FreshThing (unlisted)'],
    ['Fresh-on-behalf-of-jane.doe', 'Fresh (unlisted)'],
    ['on-behalf-of-jane.doe/1.0', 'Unnamed (unlisted)'],
    [`amazon-Quick-Fresh-on-behalf-of-${uuid}`, 'amazon-Quick-Fresh (unlisted, Amazon, assistant)'],
    [`amazon-Quick-${uuid}`, 'amazon-Quick (unlisted, Amazon, assistant)'],
    [`Fresh-mcp-client-${uuid}/1.0`, 'Fresh-mcp-client (unlisted, coding)'],
    ['Fresh-LLM-aaaaaaaa-4bbb-8ccc-9ddd-1234567890ab', 'Fresh-LLM (unlisted)'],
    [`a266b92d-${uuid.slice(9)} LLM`, 'Unnamed (unlisted)'],
  ])('%s is counted without what tells of its user', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({ kind: 'ai', client });
  });

  test('what it is called bounds what is kept of its user agent', () => {
    const userAgent = `${'Fresh'.repeat(200)}/1.0 (user jane.doe@example.com; +https://x.ai)`;
    const identity = identifyUserAgent(userAgent);
    expect(JSON.stringify(identity)).not.toContain('jane');
    expect(identity.kind === 'ai' && identity.client.length).toBeLessThan(70);
  });

  test('asking for Markdown does not take its name away', () => {
    const headers = { accept: 'text/markdown, text/html' };
    const fresh = identify({ via: 'report', userAgent: 'Fresh-WebFetch/0.1 (+https://zcode.ai)', headers });
    expect(fresh).toMatchObject({ client: 'Fresh-WebFetch (unlisted, Zhipu AI, assistant)' });
  });

  test('signing with a key that nobody knows does not make it a bot, and with a false signature it is one', () => {
    const userAgent = 'Mozilla/5.0 (compatible; FreshBot/1.0; +https://x.ai)';
    const judge = (state: 'valid' | 'invalid') =>
      identify({ via: 'report', userAgent, findings: { signature: { state, host: 'fresh.example' } } });
    expect(judge('valid')).toMatchObject({ kind: 'ai', operator: 'xAI' });
    expect(judge('invalid')).toMatchObject({ family: 'signed automation' });
  });
});

describe('no person', () => {
  test.each([
    ['has a comment without Mozilla or Opera', 'FreshTool/1.0 (+contact)', 'other bot'],
    [
      'names another program in the place of its engine',
      chrome.replace('Gecko)', 'Gecko; compatible; Fresh/1)'),
      'other bot',
    ],
    ['only mentions a user', 'Fresh-Multi-User-Scanner/1.0', 'other bot'],
    ['names one on an iPhone', asEngine(iphone, 'FreshThing/1.0'), 'other bot'],
    ['names one on Android', asEngine(android, 'FreshAssist/1.0'), 'other bot'],
    ['names one with a device that looks like a tool', asEngine(android, 'Fresh/1.0; 24x7'), 'other bot'],
    ['drives with Puppeteer', 'Mozilla/5.0 Puppeteer', 'headless browser'],
    ['scans with redback', 'Mozilla/5.0 redback', 'security scanner'],
  ])('%s', (_, userAgent, family) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({ kind: 'bot', family });
  });

  test.each([
    [asEngine(iphone, 'Grok-Fetch/1.0'), 'Grok-Fetch (unlisted, xAI, assistant)'],
    [asEngine(android, 'Claude-Fresh/1.0'), 'Claude-Fresh (unlisted, Anthropic)'],
  ])('%s is of the maker of the program in the place of its engine', (userAgent, client) => {
    expect(identifyUserAgent(userAgent)).toMatchObject({ kind: 'ai', client });
  });

  test.each([
    ['an app on a phone', 'FreshApp/1.5 (Android 14; Pixel 8)'],
    ['the app of an AI maker', 'ChatGPT/1.2025.014 (iOS 18.2; iPhone15,3; build 12723)'],
    ['the same app on a computer', 'ChatGPT/1.2025.014 (Mac OS X 15.1; arm64; build 3)'],
    ['the desktop program beside a coding agent', 'Codex Desktop/0.1 (Mac OS 26.0.1; arm64)'],
    ['an app on a computer that has AI in its name', 'NoteAI/2.0 (Windows NT 10.0)'],
    ['an app on a phone that names its model', 'FreshApp/1.5 (Android 14; LLM)'],
    ['a program on a computer', 'FreshReader/2.0 (Windows NT 10.0; Win64; x64)'],
    ['a browser of an Amiga', 'IBrowse/2.5.5 (Amiga; AmigaOS 3.1)'],
    ['a browser in a terminal', 'Links (2.1pre23; Linux 3.5.0 i686; 237x63)'],
  ])('but %s may be one', (_, userAgent) => {
    expect(identifyUserAgent(userAgent).kind).toBe('human');
  });
});

describe('the table of AI makers', () => {
  test('stands in the order of operators, and gives every domain and brand to one of them', () => {
    const operators = makers.map(({ operator }) => operator.toLowerCase());
    expect(operators).toEqual(operators.toSorted());
    const words = makers.flatMap(({ domains, brands, commonWords = [] }) => [
      ...domains,
      ...brands,
      ...commonWords,
    ]);
    expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
    expect(new Set(operators).size).toBe(operators.length);
  });

  test('has nothing but what its schema allows', () => {
    expect(makersSchema.parse(makers)).toEqual(makers);
  });

  test('has no date of the future', () => {
    const today = new Date().toISOString().slice(0, 10);
    expect(makers.filter(({ noted }) => noted > today)).toEqual([]);
  });

  const valid = {
    operator: 'Fresh',
    domains: ['fresh.example'],
    brands: ['fresh'],
    source: 'https://fresh.example',
    noted: '2026-11-23',
  };
  test.each([
    ['nothing to be known by', { domains: [], brands: [] }],
    ['an address with a path', { domains: ['fresh.example/ai'] }],
    ['a brand in capitals', { brands: ['Fresh'] }],
    ['no source', { source: undefined }],
    ['no date', { noted: undefined }],
  ])('refuses a maker with %s', (_, change) => {
    expect(makersSchema.safeParse([valid]).success).toBe(true);
    expect(makersSchema.safeParse([{ ...valid, ...change }]).success).toBe(false);
  });
});
