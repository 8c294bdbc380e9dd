import { closeSync, openSync, writeSync } from 'node:fs';
import { seenUserAgents } from '../../test/support/identity/user-agents.ts';
import { paths } from '../load/traffic.ts';
import { randomNumbers, zipf } from '../random.ts';
import userAgents from '../user-agents.json' with { type: 'json' };

const assets = ['/assets/app.3f9c1d.js', '/assets/style.81b2aa.css', '/img/logo.svg', '/fonts/inter.woff2'];
const bots = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  'UptimeRobot/2.0; http://www.uptimerobot.com/',
];
const ai = Object.values(seenUserAgents).flatMap((list) => list.slice(0, 1));
const referrers = ['-', '-', 'https://www.google.com/', 'https://duckduckgo.com/', 'https://chatgpt.com/'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const visitorPool = 300_000;
/** Requests come so many a second, so that a gigabyte is about a month. */
const perSecond = 2;
const startAt = Date.UTC(2026, 5, 1);

export interface AccessLog {
  lines: number;
  bytes: number;
}

/**
 * Writes a log in the combined format as a site of 300 pages has it: of a hundred requests about 23 are pages of people,
 * 58 what these pages are made of, 11 of bots, 5 of AI clients and 3 for what does not exist.
 */
export function writeAccessLog(file: string, bytes: number): AccessLog {
  const random = randomNumbers(7);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const drawPath = zipf(paths.length, random);
  /** Machines have addresses of their own. */
  const oneOf = (count: number) => addressOf(visitorPool + Math.floor(random() * count));
  const output = openSync(file, 'w');
  const log = { lines: 0, bytes: 0 };
  let piece = '';
  const write = (address: string, request: string, status: number, referrer: string, userAgent: string) => {
    const at = timeText(startAt + (log.lines++ / perSecond) * 1000);
    piece += `${address} - - [${at}] "${request} HTTP/1.1" ${status} ${1000 + Math.floor(random() * 60_000)} "${referrer}" "${userAgent}"\n`;
    if (piece.length > 1 << 20) {
      log.bytes += writeSync(output, piece);
      piece = '';
    }
  };
  while (log.bytes + piece.length < bytes) {
    const who = random();
    const path = paths[drawPath()] as string;
    if (who < 0.265) write(oneOf(60), `GET ${path}`, 200, '-', pick(bots));
    else if (who < 0.375) write(oneOf(200), `GET ${path}`, 200, '-', pick(ai));
    else if (who < 0.44)
      write(
        addressOf(Math.floor(random() * visitorPool)),
        `GET /wp-login-${Math.floor(random() * 1000)}.php`,
        404,
        '-',
        pick(userAgents),
      );
    else {
      const visitor = Math.floor(random() * visitorPool);
      const userAgent = userAgents[visitor % userAgents.length] as string;
      write(addressOf(visitor), `GET ${path}`, random() < 0.1 ? 304 : 200, pick(referrers), userAgent);
      const page = `https://docs.example.com${path}`;
      const count = Math.floor(random() * 6);
      for (let i = 0; i < count; i++) write(addressOf(visitor), `GET ${pick(assets)}`, 200, page, userAgent);
    }
  }
  log.bytes += writeSync(output, piece);
  closeSync(output);
  return log;
}

/** Two of five come over IPv6. */
function addressOf(visitor: number): string {
  return visitor % 5 < 2
    ? `2001:db8:${(visitor >> 16).toString(16)}:${(visitor & 0xffff).toString(16)}::1`
    : `${100 + (visitor >> 16)}.${(visitor >> 8) & 255}.${visitor & 255}.9`;
}

function timeText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}
