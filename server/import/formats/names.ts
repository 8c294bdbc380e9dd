/** Meanings of a log's fields for a request. */
export type Meaning = keyof typeof table;

/** On which side of the exchange a field is, where its name says so. */
type Side = 'request' | 'response' | undefined;

/**
 * What servers, proxies and the recipes that go around call the fields of an access log, the best one first: words in lower
 * case without anything between them. `cs(User-Agent)`, `request_User-Agent`, `http.request.headers.user-agent`,
 * `ClientRequestUserAgent` and `httpRequest.userAgent` are all `useragent`, as words that only say where a field belongs
 * are left out, unless a name is here with them.
 */
const table = {
  time: [
    'timeiso8601 timestamp starttime startutc starttimestamp timestampms timemicros timeunixnano msec ts time timelocal',
    'timegmt utctime datetime eventtime requesttimestamp endtimestamp startlocal created receivetimestamp',
  ],
  date: ['date datelocal dategmt utcdate'],
  address: [
    'remoteaddr clientip remoteip clienthost cip clientaddr clientaddress remoteaddress ip ipaddress sourceip sourceaddress',
    'downstreamremoteaddress networkclientip realipremoteaddr srcip remotehost remote client addr',
  ],
  forwardedFor: ['xforwardedfor forwardedfor xff sxff fwd'],
  request: ['request requestline req'],
  method: ['method verb'],
  target: [
    'requesturi requesturl originalrequesturiwithargs uri url uristem urloriginal urlfull path pathandquery urlpath uripath',
    'target rawpath',
  ],
  query: ['uriquery query querystring args urlquery rawquery'],
  status: ['status statuscode code response elbstatuscode returncode'],
  bytes: ['bodybytessent bytessent bytesout bytes size bodysize contentsize bodybytes length sentbytes'],
  host: ['xhostheader httphost host authority vhost urldomain domain servername serveraddress hostname'],
  scheme: ['xforwardedproto scheme protocol proto urlscheme version'],
  tls: ['tls https ssl'],
  referrer: ['referer referrer'],
  userAgent: ['useragent agent ua useragentoriginal useragentstring useragentfull'],
  contentType: ['contenttype mimetype'],
  /** Only CloudFront has it, which percent-encodes what it writes. */
  edge: ['xedgelocation xedgerequestid xedgeresulttype'],
} as const;

export const meanings = Object.keys(table) as Meaning[];

interface Place {
  meaning: number;
  rank: number;
}

const places = new Map<string, Place>(
  meanings.flatMap((name, meaning) =>
    table[name]
      .join(' ')
      .split(' ')
      .map((joined, rank): [string, Place] => [joined, { meaning, rank }]),
  ),
);

/** Words that only say where a field belongs, and to which side. */
const sides: Readonly<Record<string, 'request' | 'response' | 'neither'>> = {
  ...Object.fromEntries(['request', 'req', 'client', 'cs'].map((word) => [word, 'request'])),
  ...Object.fromEntries(
    ['response', 'resp', 'res', 'sc', 'sent', 'downstream'].map((word) => [word, 'response']),
  ),
  ...Object.fromEntries(
    'http headers header edge properties json payload fields attributes nginx access log event data proxy context ctx record message'
      .split(' ')
      .map((word) => [word, 'neither']),
  ),
};

/** Some names mean something on one side only: `request_time` and the header `Date` are not when it was. */
function isOn(meaning: Meaning, side: Side): boolean {
  if (meaning === 'time' || meaning === 'date') return side === undefined;
  if (meaning === 'bytes' || meaning === 'contentType') return side !== 'request';
  return side !== 'response' || meaning === 'status';
}

const longestName = 100;

/** `ClientRequestURI`, `client_request_uri` and `client.request-uri` are the words client, request and uri. */
export function wordsOf(name: string): string[] {
  // Elasticsearch has what was logged in `_source`.
  if (name.length > longestName || name === '_source') return [];
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** What a field means, by the words of its name and of what it is in; undefined: nothing. */
export function placeOf(words: readonly string[]): Place | undefined {
  let side: Side;
  for (let from = 0; from < words.length; from++) {
    const place = places.get(words.slice(from).join(''));
    if (place && isOn(meanings[place.meaning] as Meaning, side)) return place;
    const word = sides[words[from] as string];
    if (word === undefined) return undefined;
    if (word !== 'neither') side = word;
  }
  return undefined;
}

/** Whether fields in here are headers of the request. */
export function areHeaders(words: readonly string[]): boolean {
  return /^headers?$/.test(words.at(-1) ?? '') && !words.some((word) => sides[word] === 'response');
}
