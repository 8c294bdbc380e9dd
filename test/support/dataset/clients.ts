import { zipf } from '../../../bench/random.ts';
import type { SeenClient } from '../../../server/counting/view.ts';
import type { Traits } from '../../../server/counting/visitor/visitor.ts';
import { shippedRanges } from '../../../server/identity/proof/range-copy.ts';
import shipped from '../../../server/identity/proof/shipped-ranges.json' with { type: 'json' };
import { userAgentOf } from '../identity/user-agents.ts';
import { countedAs, programsPages, siteUrl } from './site.ts';
import type { CountedView, DatasetDay, DatasetView, Dice } from './view.ts';

/** Crawlers come in bursts, indexers every day, assistants and coding agents when people work. */
type Rhythm = 'bursts' | 'daily' | 'office';

interface Client {
  client: string;
  proof: SeenClient['proof'];
  /** Left out: the one that it is known by. */
  userAgent?: string;
  accept?: string;
  addresses: readonly string[];
  country: string | null;
  /** Left out: a program reports no device. */
  traits?: Traits;
  rhythm: Rhythm;
  /** On a working day without a burst, in the beginning. */
  viewsPerDay: number;
}

const unknown: Traits = { device: '(unknown)', browser: '(unknown)', system: '(unknown)' };
const webKit: Traits = { ...unknown, browser: 'WebKit' };
const macChrome: Traits = { device: 'desktop', browser: 'Chrome', system: 'Mac OS' };

const hostsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}.${i + 1}`);

/** Addresses that GPTBot comes from, by the list that comes with Headcount. */
const gptBotAddresses = (shippedRanges.parse(shipped).feeds['openai-gptbot']?.ranges ?? []).map((range) =>
  range.replace(/(\d+)\/\d+$/, (_, last: string) => String(Number(last) + 3)),
);

/**
 * The range for documentation (RFC 5737) proves nothing and refutes nothing: from there come the clients whose operators
 * publish addresses that do not come with Headcount.
 */
const nobodys = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `192.0.2.${from + i}`);

const readsMarkdown = 'text/markdown, text/html;q=0.9, */*;q=0.8';

const clients: readonly Client[] = [
  {
    client: 'GPTBot',
    proof: 'verified',
    addresses: gptBotAddresses,
    country: 'US',
    traits: webKit,
    rhythm: 'bursts',
    viewsPerDay: 3,
  },
  {
    client: 'ClaudeBot',
    proof: 'claimed',
    addresses: nobodys(1, 6),
    country: null,
    traits: webKit,
    rhythm: 'bursts',
    viewsPerDay: 3,
  },
  {
    client: 'Meta-ExternalAgent',
    proof: 'claimed',
    addresses: hostsOf('69.63.184', 5),
    country: 'US',
    rhythm: 'bursts',
    viewsPerDay: 2,
  },
  {
    client: 'CCBot',
    proof: 'claimed',
    addresses: nobodys(11, 2),
    country: null,
    rhythm: 'bursts',
    viewsPerDay: 1,
  },
  {
    client: 'OAI-SearchBot',
    proof: 'claimed',
    addresses: nobodys(21, 4),
    country: null,
    traits: macChrome,
    rhythm: 'daily',
    viewsPerDay: 7,
  },
  {
    client: 'PerplexityBot',
    proof: 'claimed',
    addresses: nobodys(31, 3),
    country: null,
    traits: webKit,
    rhythm: 'daily',
    viewsPerDay: 5,
  },
  {
    client: 'Claude-SearchBot',
    proof: 'claimed',
    addresses: nobodys(41, 3),
    country: null,
    traits: webKit,
    rhythm: 'daily',
    viewsPerDay: 3,
  },
  {
    client: 'ChatGPT-User',
    proof: 'claimed',
    addresses: nobodys(51, 40),
    country: null,
    traits: webKit,
    rhythm: 'office',
    viewsPerDay: 8,
  },
  {
    client: 'Claude-User',
    proof: 'claimed',
    addresses: nobodys(101, 25),
    country: null,
    traits: webKit,
    rhythm: 'office',
    viewsPerDay: 4,
  },
  {
    client: 'Perplexity-User',
    proof: 'claimed',
    addresses: nobodys(131, 15),
    country: null,
    traits: webKit,
    rhythm: 'office',
    viewsPerDay: 3,
  },
  {
    client: 'MistralAI-User',
    proof: 'claimed',
    addresses: nobodys(151, 5),
    country: null,
    traits: webKit,
    rhythm: 'office',
    viewsPerDay: 1,
  },
  {
    client: 'Claude Code',
    proof: 'claimed',
    accept: readsMarkdown,
    addresses: hostsOf('98.30.200', 60),
    country: 'US',
    rhythm: 'office',
    viewsPerDay: 7,
  },
  {
    client: 'Cursor',
    proof: 'claimed',
    accept: readsMarkdown,
    addresses: hostsOf('87.128.200', 40),
    country: 'DE',
    rhythm: 'office',
    viewsPerDay: 4,
  },
  {
    client: 'opencode',
    proof: 'inferred',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    accept: 'text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1',
    addresses: hostsOf('86.128.200', 20),
    country: 'GB',
    traits: macChrome,
    rhythm: 'office',
    viewsPerDay: 3,
  },
  {
    client: 'Unnamed coding agent',
    proof: 'inferred',
    userAgent: 'node',
    accept: readsMarkdown,
    addresses: hostsOf('49.36.200', 10),
    country: 'IN',
    rhythm: 'office',
    viewsPerDay: 2,
  },
];

/** The AI clients that read the site. */
export function createClients(dice: Dice): (day: DatasetDay) => DatasetView[] {
  const drawPage = zipf(programsPages.length, dice.random);
  return (day) =>
    clients.flatMap((client) => {
      const count = Math.round(readCount(client, day, dice) * day.length);
      return Array.from({ length: count }, () => viewOf(client, programsPages[drawPage()] ?? '/', dice));
    });
}

const silenced: Client = {
  client: 'Bytespider',
  proof: 'claimed',
  addresses: nobodys(161, 4),
  country: null,
  rhythm: 'daily',
  viewsPerDay: 2,
};

/** One that comes every day, and in the last week no more. */
export function createSilencedClient(dice: Dice): (day: DatasetDay) => DatasetView[] {
  return (day) => {
    if (day.progress > 0.91) return [];
    const count = Math.max(1, Math.round(readCount(silenced, day, dice)));
    return Array.from({ length: count }, () => viewOf(silenced, dice.pick(programsPages), dice));
  };
}

/** AI reads more from month to month, and more than people do. */
function readCount({ rhythm, viewsPerDay }: Client, day: DatasetDay, dice: Dice): number {
  const trend = 1 + 1.8 * day.progress;
  const usual = viewsPerDay * trend * (0.6 + 0.8 * dice.random());
  switch (rhythm) {
    case 'bursts':
      return day.sinceLaunch === 2 || dice.between(1, 11) === 1 ? usual * 14 : usual;
    case 'daily':
      return usual;
    case 'office':
      return usual * (day.isWeekend ? 0.35 : 1);
    default:
      return rhythm satisfies never;
  }
}

function viewOf(reader: Client, path: string, dice: Dice): DatasetView {
  const { client, proof, accept, addresses, country, rhythm, traits = unknown } = reader;
  const { userAgent = userAgentOf(client) } = reader;
  const fate: CountedView = {
    kind: 'ai',
    path: countedAs(path),
    source: '(direct)',
    country,
    language: null,
    screen: null,
    traits,
    client: { name: client, proof },
  };
  return {
    via: 'report',
    url: siteUrl + path,
    address: dice.pick(addresses),
    userAgent,
    hour: rhythm === 'office' ? 8 + 11 * dice.random() : 24 * dice.random(),
    ...(accept !== undefined && { accept }),
    fate,
  };
}
