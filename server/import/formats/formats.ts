import { bunnyParser } from './bunny.ts';
import { caddyParser } from './caddy.ts';
import { cloudflareParser } from './cloudflare.ts';
import { cloudfrontParser } from './cloudfront.ts';
import { combinedParser } from './combined.ts';
import { emptyEntry, type LineParser } from './entry.ts';
import { isObject, type JsonObject, parseObject } from './json-line.ts';
import { jsonlParser } from './jsonl.ts';
import { nginxJsonParser } from './nginx-json.ts';
import { vercelParser } from './vercel.ts';

const parsers = {
  combined: () => combinedParser({ withHost: false }),
  apache: () => combinedParser({ withHost: true }),
  common: () => combinedParser({ withHost: true, isCommon: true }),
  'nginx-json': nginxJsonParser,
  caddy: caddyParser,
  cloudfront: cloudfrontParser,
  cloudflare: cloudflareParser,
  vercel: vercelParser,
  bunny: bunnyParser,
  jsonl: jsonlParser,
} as const satisfies Record<string, () => LineParser>;

export type FormatName = keyof typeof parsers;

export const formatNames = Object.keys(parsers) as FormatName[];

export function createParser(format: FormatName): LineParser {
  return parsers[format]();
}

/** How an object of each JSON format can be known. In this order: nginx's fields have any name. */
const marks: [FormatName, (line: JsonObject) => boolean][] = [
  ['caddy', (line) => isObject(line.request) && 'uri' in line.request],
  ['cloudflare', (line) => 'ClientRequestMethod' in line || 'EdgeStartTimestamp' in line],
  ['vercel', (line) => 'deploymentId' in line || (isObject(line.proxy) && 'clientIp' in line.proxy)],
  ['cloudfront', (line) => 'cs-uri-stem' in line],
  ['jsonl', (line) => 'url' in line && 'ip' in line && 'userAgent' in line],
  ['nginx-json', () => true],
];

/** The format of a line, if it has one. */
function formatOf(line: string): FormatName | undefined {
  if (line.startsWith('{')) {
    const object = parseObject(line);
    const format = object && marks.find(([, isIt]) => isIt(object))?.[0];
    return format && (createParser(format).parse(line, emptyEntry()) === 'unreadable' ? undefined : format);
  }
  if (/^#(?:Version|Fields):/.test(line) || /^[^"]*\tc-ip\t/.test(line)) return 'cloudfront';
  const reads = (format: FormatName) => createParser(format).parse(line, emptyEntry()) === 'request';
  return (['combined', 'apache', 'common', 'bunny', 'cloudfront'] as const).find(reads);
}

/** The format that most of the first lines have; undefined: none of them has any. */
export function detectFormat(head: string): FormatName | undefined {
  const votes = new Map<FormatName, number>();
  for (const line of head
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split(/\r?\n/)
    .slice(0, 100)) {
    const format = line === '' ? undefined : formatOf(line);
    if (format) votes.set(format, (votes.get(format) ?? 0) + 1);
    // What follows is told here, whatever it looks like.
    if (format === 'cloudfront' && line.startsWith('#')) return format;
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
}
