import { parseAddress } from '../../net/address.ts';
import { showable } from '../import-result.ts';
import { bunnyParser } from './bunny.ts';
import { combinedParser } from './combined.ts';
import { emptyEntry, type LineParser } from './entry.ts';
import { columnsParser, jsonParser, logfmtParser, ltsvParser } from './fields.ts';
import { jsonlParser, parseObject, vercelParser } from './json-line.ts';
import { logFormatParser } from './log-format.ts';
import { type Wrapper, wrapped, wrappers } from './wrappers.ts';

export interface LogFormat {
  /** Its name in `--format`. */
  names: readonly [string, ...string[]];
  /** The server that writes it, also in the middle of a sentence. */
  title: string;
  /** Fields that the log needs, and how to have them written; one or more sentences. */
  remedy?: string;
  /** Its fields cannot distinguish people from programs. */
  lacksUserAgents?: boolean;
  /** The form of its lines, as for `--log-format`, or their parser. */
  lines: string | (() => LineParser);
}

/** The order of the fields where no line says it (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html). */
const cloudfrontFields =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol';

/**
 * All formats that are read. Detection prefers the first of two that read the same, and options, help, documents and messages
 * are made from this list.
 */
export const logFormats: readonly LogFormat[] = [
  {
    names: ['combined'],
    title: 'the combined format of nginx, Apache, Squid, Traefik and others',
    remedy:
      'More fields may follow. `X-Forwarded-For` is used where nginx has it last, as in its `main` format.',
    lines: () => combinedParser({ withHost: false }),
  },
  {
    names: ['apache'],
    title: "Apache's combined format with `%v` or `%v:%p` in front (`vhost_combined`)",
    lines: () => combinedParser({ withHost: true }),
  },
  {
    names: ['common'],
    title: "Apache's common format",
    remedy: 'Have your server log the combined format.',
    lacksUserAgents: true,
    lines: () => combinedParser({ withHost: true, isCommon: true }),
  },
  {
    names: ['lighttpd', 'ovh'],
    title: 'the default of lighttpd, and the logs of OVH',
    lines:
      '$remote_addr $host $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
  },
  {
    names: ['gandi'],
    title: 'the logs of Gandi',
    lines:
      '$host $remote_addr - $remote_user [$time_local] ($request_time) "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
  },
  {
    names: ['alb'],
    title: "AWS's Application Load Balancer",
    lines:
      '$type $time_iso8601 $elb $remote_addr_port $target $t1 $t2 $t3 $status $target_status $request_length $bytes_sent "$request_with_url" "$http_user_agent" $ssl_cipher',
  },
  {
    names: ['elb'],
    title: "AWS's Classic Load Balancer",
    lines:
      '$time_iso8601 $elb $remote_addr_port $target $t1 $t2 $t3 $status $target_status $request_length $bytes_sent "$request_with_url" "$http_user_agent" $ssl_cipher',
  },
  {
    names: ['s3'],
    title: "Amazon S3's server access logs",
    lines:
      '$owner $bucket [$time_local] $remote_addr $requester $request_id $operation $key "$request" $status $error $bytes_sent $size $t1 $t2 "$http_referer" "$http_user_agent" $version_id $host_id $signature $cipher $authentication $host ',
  },
  {
    names: ['envoy'],
    title: "Envoy's default format",
    remedy: 'It has no address but those of `X-Forwarded-For`.',
    lines:
      '[$time_iso8601] "$request" $status $flags $bytes_received $bytes_sent $t1 $t2 "$http_x_forwarded_for" "$http_user_agent" "$request_id" "$host" "$upstream"',
  },
  {
    names: ['istio'],
    title: "Istio's default format",
    lines:
      '[$time_iso8601] "$request" $status $flags $details $termination "$failure" $bytes_received $bytes_sent $t1 $t2 "$http_x_forwarded_for" "$http_user_agent" "$request_id" "$host" "$upstream" $cluster $local $downstream $remote_addr_port $server_name',
  },
  {
    names: ['haproxy'],
    title: "HAProxy's HTTP log format (`option httplog`)",
    remedy:
      'It has user agents where the frontend has `capture request header User-Agent len 256`, and hosts with `capture request header Host len 100`.',
    lines:
      '$remote_addr_port [$time_local] $haproxy_frontend $backend $timers $status $bytes_sent $cookie $response_cookie $termination $connections $queues $haproxy_captures"$request"',
  },
  {
    names: ['squid'],
    title: "Squid's native format",
    remedy: 'Have Squid log its `combined` format (`access_log … combined`).',
    lacksUserAgents: true,
    lines: '$msec $request_time $remote_addr $result/$status $bytes_sent $request_method $request_url $user ',
  },
  {
    names: ['heroku'],
    title: "the lines of Heroku's router",
    remedy: 'Have your application log the combined format, and import what it writes.',
    lacksUserAgents: true,
    lines: herokuParser,
  },
  {
    names: ['bunny'],
    title: "Bunny's raw logs",
    remedy: 'They lack the method. Addresses must not be anonymized.',
    lines: bunnyParser,
  },
  {
    names: ['vercel'],
    title: "Vercel's log drains, as NDJSON",
    lines: vercelParser,
  },
  {
    names: ['jsonl'],
    title: 'the items of `POST /v1/hits`, one a line',
    remedy: 'Each needs `url`, `ip`, `userAgent` and `at`.',
    lines: jsonlParser,
  },
  {
    names: ['json', 'nginx-json', 'caddy', 'cloudflare', 'fastly', 'traefik', 'google', 'azure'],
    title: 'lines of JSON, by the usual names of their fields',
    remedy:
      'Each needs a time, the address, a method, a path or URL, a status and a user agent. Traefik keeps the user agent with `accesslog.fields.headers.names.User-Agent=keep`.',
    lines: jsonParser,
  },
  {
    names: ['w3c', 'iis'],
    title: "the W3C's extended format",
    remedy:
      'Its `#Fields:` have to name `c-ip`, `cs-method`, `cs-uri-stem` or `cs-uri`, `sc-status` and `cs(User-Agent)`. Logs of streams (RTMP, SHOUTcast) have no method.',
    lines: () => columnsParser(),
  },
  {
    names: ['csv', 'google-storage'],
    title: 'a table whose first line names the columns, separated by commas or tabs',
    lines: () => columnsParser(),
  },
  {
    names: ['cloudfront'],
    title: "CloudFront's standard logs without a line that names the fields",
    lines: cloudfrontParser,
  },
  {
    names: ['logfmt'],
    title: 'lines of `name=value`',
    lines: logfmtParser,
  },
  {
    names: ['ltsv'],
    title: 'lines of `label:value` parted by tabs (LTSV)',
    lines: ltsvParser,
  },
];

/** Version 2 may be JSON too. */
function cloudfrontParser(): LineParser {
  const json = jsonParser();
  const columns = columnsParser(cloudfrontFields);
  return {
    ...columns,
    parse: (line, entry) => (line.startsWith('{') ? json : columns).parse(line, entry),
  };
}

/** Lines of the router among those of the application. */
function herokuParser(): LineParser {
  const logfmt = logfmtParser();
  return {
    ...logfmt,
    parse(line, entry) {
      if (!line.includes(' fwd=')) return 'unreadable';
      const kind = logfmt.parse(line, entry);
      entry.lacksUserAgent = true;
      return kind;
    },
  };
}

/** The name of a format on the command line. */
export type FormatName = string;

export const formatNames: readonly FormatName[] = logFormats.flatMap(({ names }) => names);

/** For the help of a command: all names in lines of at most so many characters. */
export function listFormats(width: number): string[] {
  const lines = [''];
  for (const name of ['auto', ...formatNames]) {
    const last = lines.at(-1) as string;
    if (last.length + name.length + 2 > width) lines.push(name);
    else lines[lines.length - 1] = last === '' ? name : `${last}, ${name}`;
  }
  return lines;
}

/** The rows of the table in docs/access-logs.md. */
export function describeFormats(): string[] {
  return logFormats.map(({ names, title, remedy = '', lacksUserAgents }) => {
    const shown = names.map((name) => `\`${name}\``).join(', ');
    const condition = lacksUserAgents ? 'Has no user agents, so it needs `--people count`. ' : '';
    return `| ${shown} | ${title} | ${`${condition}${remedy}`.trim()} |`;
  });
}

/** The way out where a log cannot be read. */
export const wayOut = `name one with --format, or describe the lines with --log-format, for example --log-format '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"' (more: /help/access-logs.html on any Headcount server).`;

const lineInside = /[\da-fA-F:.]{3,39} \S+ [^[\]]{1,100}? \[\d\d\/[A-Z][a-z]{2}\/\d{4}:/;
const errorLog =
  /^(?:\d{4}\/\d\d\/\d\d [\d:]{8} \[[a-z]{1,9}\] \d|\[[^\]]{1,60}\] \[(?:\w{1,30}:)?(?:error|warn|notice|info|crit|alert)\])/;

/** A hint for a log that is no access log: a sentence and a space, or nothing. */
export function resemblance(lines: readonly string[]): string {
  const most = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length * 2 > lines.length;
  if (most(lineInside)) {
    if (lines.some((line) => (lineInside.exec(line)?.index ?? 0) > 0))
      return 'Its lines have lines of an access log in them: import these alone, without the text around them (such as with sed, jq -r, docker logs or logcli --output=raw). ';
  }
  if (most(errorLog)) return 'It looks like an error log, which has no page views: import the access log. ';
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(lines[0] ?? ''))
    return 'It looks like a page, and not like a log. ';
  const object = parseObject(lines.find((line) => line.startsWith('{')) ?? '');
  if (!object) return '';
  const names = Object.keys(object).slice(0, 8).map(showable).join(', ');
  return `It looks like JSON with the fields ${names}: name those of a request, as in --log-format '{"ip":"$remote_addr","time":"$time_iso8601","url":"$request_uri","agent":"$http_user_agent"}'. `;
}

function createParser({ lines, title, remedy, lacksUserAgents = false }: LogFormat): LineParser {
  const parser =
    typeof lines === 'string' ? logFormatParser(lines, { lacksUserAgents, isOpenEnded: true }) : lines();
  return { ...parser, title, lacksUserAgents, ...(remedy !== undefined && { remedy }) };
}

/** Lines that are looked at. */
const sampleLines = 200;
/** How many wrappers may be around each other. */
const maxWrappers = 2;

interface Candidate {
  create: () => LineParser;
  /** Lines that have all that is needed. */
  complete: number;
  /** How much of it all lines have. */
  likeness: number;
}

/** Options about the lines. */
export type GivenFormat = { format: FormatName | 'auto' } | { logFormat: string };

/**
 * The parser for lines like these: of the formats, with or without something around the lines, the one in which most of them have
 * all that is needed. Undefined: no line is of any.
 *
 * @throws ImportError where a description of lines is wrong
 */
export function findFormat(lines: readonly string[], given: GivenFormat): (() => LineParser) | undefined {
  const looked = lines.slice(0, sampleLines);
  let best: Candidate | undefined;
  for (const candidate of candidatesFor(looked, creatorsOf(given))) {
    if (best === undefined || isBetter(candidate, best)) best = candidate;
    // No other can read more of them.
    if (best.complete === looked.length) break;
  }
  return best?.create;
}

/** The parser of the given format, whatever the lines look like. Undefined: none was given. */
export function namedParser(given: GivenFormat): LineParser | undefined {
  return 'format' in given && given.format === 'auto' ? undefined : creatorsOf(given)[0]?.();
}

function creatorsOf(given: GivenFormat): (() => LineParser)[] {
  if ('logFormat' in given) return [() => logFormatParser(given.logFormat)];
  const { format: name } = given;
  return logFormats
    .filter(({ names }) => name === 'auto' || names.includes(name))
    .map((format) => () => createParser(format));
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.complete > 0 || other.complete > 0) return one.complete > other.complete;
  return one.likeness > other.likeness;
}

/** @param around the wrappers around `inner`, the outermost first */
function* candidatesFor(
  lines: readonly string[],
  creators: readonly (() => LineParser)[],
  around: readonly Wrapper[] = [],
  inner = lines,
): Generator<Candidate> {
  for (const create of creators) {
    const candidate = rate(lines, () => around.reduceRight(wrapped, create()));
    if (candidate.likeness > 0) yield candidate;
  }
  if (around.length === maxWrappers) return;
  for (const wrapper of wrappers) {
    const carried = carriedBy(inner, wrapper);
    if (carried) yield* candidatesFor(lines, creators, [...around, wrapper], carried);
  }
}

/** Undefined: the wrapper is around the fewest of them. */
function carriedBy(lines: readonly string[], wrapper: Wrapper): string[] | undefined {
  if (lines.filter((line) => wrapper(line)).length * 2 < lines.length) return undefined;
  const carried: string[] = [];
  const collect: LineParser = {
    parse(line) {
      carried.push(line);
      return 'other';
    },
  };
  const parser = wrapped(collect, wrapper);
  for (const line of lines) parser.parse(line, emptyEntry());
  return carried;
}

function rate(lines: readonly string[], create: () => LineParser): Candidate {
  const parser = create();
  const entry = emptyEntry();
  const candidate = { create, complete: 0, likeness: 0 };
  for (const line of lines) {
    const kind = parser.parse(line, entry);
    const isHeading = parser.isHeaded && kind === 'other' && /^#Fields:|c-ip/.test(line);
    if (isHeading) candidate.likeness++;
    if (kind !== 'request') continue;
    const { address, host, method, target, status, userAgent, lacksUserAgent } = entry;
    const found = [
      parseAddress(address) !== undefined,
      isHost(host),
      /^[A-Z]/i.test(method),
      target !== '',
      status >= 100,
      userAgent !== '' || lacksUserAgent,
    ];
    candidate.likeness += found.filter(Boolean).length;
    if (found.every(Boolean)) candidate.complete++;
  }
  return candidate;
}

/** Nothing, or what a host looks like. A time is none. */
export function isHost(text: string): boolean {
  return /^(?:[\w*.-]*|\[[\da-f:.]+\])(?::\d*)?$/i.test(text) && !/^\d{4}-\d\d-\d\dT/.test(text);
}
