import { zipf } from '../../../bench/random.ts';
import { userAgentOf } from '../identity/user-agents.ts';
import { programsPages, siteUrl } from './site.ts';
import type { DatasetDay, DatasetView, Dice } from './view.ts';

interface Bot {
  dropped: 'bot' | 'spoofed' | 'foreign_host';
  family: string | null;
  via: DatasetView['via'];
  userAgent: string;
  address: string;
  signs?: string;
  host?: string;
  viewsPerDay: number;
}

const reported = { dropped: 'bot', via: 'report' } as const;
const someChrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const bots: readonly Bot[] = [
  {
    ...reported,
    family: 'search engine',
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    address: '66.249.66.1',
    viewsPerDay: 9,
  },
  {
    ...reported,
    family: 'search engine',
    userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    address: '52.167.144.1',
    viewsPerDay: 5,
  },
  {
    ...reported,
    family: 'seo',
    userAgent: 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    address: '54.36.148.1',
    viewsPerDay: 6,
  },
  {
    ...reported,
    family: 'monitor',
    userAgent: 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    address: '216.144.250.150',
    viewsPerDay: 12,
  },
  {
    ...reported,
    family: 'link preview',
    userAgent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    address: '54.90.1.1',
    viewsPerDay: 2,
  },
  {
    ...reported,
    family: 'library',
    userAgent: 'python-requests/2.32.5',
    address: '94.130.3.4',
    viewsPerDay: 3,
  },
  {
    ...reported,
    family: 'automated browser',
    via: 'script',
    signs: 'w',
    userAgent: someChrome,
    address: '94.130.3.5',
    viewsPerDay: 1,
  },
  {
    dropped: 'spoofed',
    family: 'GPTBot',
    via: 'report',
    userAgent: userAgentOf('GPTBot'),
    address: '91.240.118.9',
    viewsPerDay: 3,
  },
  // A copy of the site with its script line.
  {
    dropped: 'foreign_host',
    family: null,
    via: 'script',
    host: 'teap0t.example',
    userAgent: someChrome,
    address: '94.130.3.6',
    viewsPerDay: 1,
  },
];

/** What comes besides and must not be counted. */
export function createBots(dice: Dice): (day: DatasetDay) => DatasetView[] {
  const drawPage = zipf(programsPages.length, dice.random);
  return (day) =>
    bots.flatMap((bot) =>
      Array.from({ length: Math.round(bot.viewsPerDay * day.length) }, () =>
        viewOf(bot, programsPages[drawPage()] ?? '/', dice),
      ),
    );
}

function viewOf(bot: Bot, path: string, dice: Dice): DatasetView {
  const { via, userAgent, address, dropped, family, signs, host } = bot;
  return {
    via,
    url: host === undefined ? siteUrl + path : `https://${host}${path}`,
    address,
    userAgent,
    ...(via === 'report' && { hour: 24 * dice.random() }),
    ...(signs !== undefined && { signs }),
    fate: { dropped, family },
  };
}
