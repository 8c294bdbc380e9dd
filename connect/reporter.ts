import type { ReportedHit } from '../shared/hit.ts';
import type { Exchange } from './exchange.ts';
import { isPage, isReported } from './page.ts';
import type { Options } from './types/options.d.ts';

type Known = Options & { filter?: unknown };

/** The pattern of each option, as `<type> <value>` (`u` is undefined), and an example. */
const rules: Record<keyof Known, readonly [RegExp, string]> = {
  server: [/^string https?:\/\/[^?#\s]+$/, 'https://count.example.com'],
  key: [/^string hc_(ingest|admin)_/, 'hc_ingest_…'],
  project: [/^(u|string)/, '7kq2m9'],
  countPeople: [/^(u|b)/, 'true'],
  trustedProxies: [/^(u|string [\w\s,.:/]+$)/, 'loopback,10.0.0.0/8'],
  addressHeader: [/^(u|string [\w-]+$)/, 'cf-connecting-ip'],
  filter: [/^(u|f)/, '() => true'],
  log: [/^(u|f)/, 'console.warn'],
};

function check(options: Known): void {
  for (const name of Object.keys({ ...rules, ...options })) {
    const [pattern, example] = rules[name as keyof Known] ?? [];
    const value = options[name as keyof Known];
    if (!pattern) throw Error(`There is no option ${name}.`);
    // Never with the value, as it may be a key.
    if (!pattern.test(`${typeof value} ${value}`)) throw Error(`${name} must be like ${example}`);
  }
}

export interface Reporter extends Pick<Sender, 'flush'> {
  /** Reports what `read` answers, if that was a page and the filter lets it pass. Never throws. */
  report(read: () => Exchange, passes: () => boolean | undefined, waitUntil?: WaitUntil): void;
}

/** @throws Error with a sentence for the person who sets it up */
export function prepare(options: Known): Reporter {
  check(options);
  const { addressHeader = '' } = options;
  // biome-ignore lint/suspicious/noConsole: where warnings go when the site names no log of its own
  const { log: warn = (message: string) => console.warn(message) } = options;
  const log = (message: string) => {
    try {
      warn(message);
    } catch {
      // The site goes on, whatever its log does.
    }
  };
  const { add, flush } = createSender(createPost(options), log);
  let warnOnce: typeof log | undefined = log;
  return {
    flush,
    report(read, passes, waitUntil) {
      try {
        const hit = toHit(read(), addressHeader.toLowerCase());
        if (hit && passes() !== false) add(hit, waitUntil);
      } catch (error) {
        warnOnce?.(`Headcount cannot report a view: ${error}`);
        warnOnce = undefined;
      }
    },
  };
}

/** The headers that identify the client and its language, and none that is a credential. */
const identifying =
  /^(accept(-language)?|(sec-|signature).*|x-(browser-agent|forwarded-(for|host|proto))|cf-brapi-request-id)$/;
const secret = /^(cookie|(proxy-)?authorization)$/;

/** A hit before JSON: a date becomes its text, and what is undefined is left out. */
type Hit = { [Name in keyof ReportedHit]: unknown };

/**
 * @param addressHeader lower case
 * @returns undefined if it was no page that somebody read, nor what a program did not get
 * @throws Error if the visitor's IP address is not known
 */
function toHit(exchange: Exchange, addressHeader: string): Hit | undefined {
  const { method, url, headers, peer, status, type, bytes } = exchange;
  const header = (name: string) => headers.get(name);
  if (!isPage(exchange) && !isReported(exchange)) return undefined;
  // Its last entry was written by the peer. The server goes on from there, as it knows which proxies are trusted.
  const ip = header(addressHeader)?.split(',').pop() ?? peer;
  if (!ip) throw Error('no IP address, set addressHeader');
  return {
    url,
    method,
    ip,
    userAgent: header('user-agent') ?? '',
    referrer: header('referer'),
    at: new Date(),
    status,
    type: type || undefined,
    // Not sent in answer to HEAD, nor to who has it already.
    bytes: status === 200 && method === 'GET' && bytes >= 0 ? bytes : undefined,
    headers: Object.fromEntries(
      [...headers].filter(
        // A signature names the fields that it covers (RFC 9421, section 4.1).
        ([name]) =>
          !secret.test(name) && (identifying.test(name) || header('signature-input')?.includes(`"${name}"`)),
      ),
    ),
  };
}

export type WaitUntil = (promise: Promise<unknown>) => void;

export interface Sender {
  /** @param waitUntil keeps the process alive until the hit is sent, where the platform has such a function */
  add(hit: object, waitUntil?: WaitUntil): void;
  /** Sends all that waits, now. What the server does not take goes on waiting. */
  flush(): Promise<void>;
}

const timeoutMs = 20_000;
/** A hit waits no longer than this for others, and for no more of them. */
const batchMs = 1000;
const batchHits = 100;
/** A batch on its way blocks others for no longer. */
const lockMs = timeoutMs + batchMs;
/** Characters; an honest request is never longer, and a batch stays below the 4 MB that the server takes. */
const maxHitLength = 16_000;
/** Of all that waits: some 15,000 hits. */
const maxLength = 8_000_000;
/** Of the pause after a failure: up to a minute. */
const maxDoublings = 6;
const maxTries = 10;

interface Process {
  once?(event: 'beforeExit' | 'exit', listener: () => void): void;
}

interface Timer {
  unref?(): void;
}

/**
 * Gathers hits and sends them to the server, one request at a time. In a worker timers and promises end with the request
 * in which they were made: so each hit looks after its own sending, and a batch on its way blocks others for a limited time.
 *
 * One function and no class: its private names pack better, and what is taken apart is packed into each of four files.
 */
export function createSender(post: Post, log: (message: string) => void): Sender {
  /** As JSON, the oldest first. */
  const waiting: string[] = [];
  /** Of the first so many; sent as they are, under one key, until the server has them: an answer may be lost. */
  let size = 0;
  let key: string;
  /** Characters of all that waits. */
  let length = 0;
  let lost = 0;
  let failures = 0;
  /** Nothing is sent before: a batch is on its way, or the last one was not taken. */
  let pausedUntil = 0;
  let current: Promise<void> | undefined;

  /** Sends as long as there is a full batch; the first one need not be full. */
  const sendAll = async () => {
    do {
      pausedUntil = Date.now() + lockMs;
      if (!size) {
        size = Math.min(batchHits, waiting.length);
        // Not every platform has `crypto`.
        key = `${Math.random()}${pausedUntil}`;
      }
      const sent = key;
      const problem = await post(waiting.slice(0, size), sent);
      // It took so long that it was sent again meanwhile, and taken.
      if (key !== sent) return;
      if (problem) {
        const pauseMs = batchMs * 2 ** Math.min(failures, maxDoublings) * (1 - Math.random() / 4);
        pausedUntil = Date.now() + pauseMs;
        if (!failures++) log(`Headcount is unavailable, views wait: ${problem}`);
        return sendIn(pauseMs, pausedUntil);
      }
      length -= waiting.splice(0, size).join('').length;
      size = pausedUntil = 0;
      if (failures) log(`Headcount is available again, views lost: ${lost}`);
      failures = lost = 0;
    } while (waiting.length >= batchHits);
    if (waiting.length) sendIn(batchMs);
  };

  const send = async () => {
    if (!waiting.length || Date.now() < pausedUntil) return;
    current = sendAll();
    await current;
  };

  /** @param pause ends by this, as clocks and timers do not agree to the millisecond */
  const sendIn = (ms: number, pause?: number) => {
    const trySending = () => {
      if (pausedUntil === pause) pausedUntil = 0;
      send();
    };
    // Waiting hits do not keep a process alive: they are sent when it ends.
    (setTimeout(trySending, ms) as Timer | number as Timer).unref?.();
  };

  /** Until this hit has been taken, with whichever batch. Other requests' promises may never settle: so it looks again. */
  const sent = async (hit: string) => {
    for (let tries = 0; tries < maxTries && waiting.includes(hit); tries++) {
      await new Promise((resolve) => setTimeout(resolve, batchMs));
      await send();
    }
  };

  const flush = async () => {
    await current;
    pausedUntil = 0;
    await send();
    // What came after a batch that was sent again.
    await send();
  };

  const { process } = globalThis as { process?: Process };
  // When nothing else keeps the process alive, and at the very end.
  process?.once?.('beforeExit', flush);
  process?.once?.('exit', () => {
    if (waiting.length) log(`Headcount is unavailable, views lost: ${lost + waiting.length}`);
  });

  return {
    add(hit, waitUntil) {
      const text = JSON.stringify(hit);
      if (text.length > maxHitLength) return;
      length += text.length;
      waiting.push(text);
      for (; length > maxLength; lost++) length -= `${waiting.splice(size, 1)}`.length;
      if (waiting.length >= batchHits) send();
      if (waitUntil) waitUntil(sent(text));
      else if (waiting.length === 1) sendIn(batchMs);
    },
    flush,
  };
}

/**
 * Sends a batch of hits, each as JSON, and answers what went wrong; an empty text if nothing did. Under one key it counts
 * once.
 */
type Post = (hits: string[], batchKey: string) => Promise<string>;

function createPost(options: Options): Post {
  const { server, key, project, countPeople, trustedProxies = 'loopback' } = options;
  const batch = { project, people: countPeople ? 'count' : 'skip', trustedProxies };
  return async (hits, batchKey) => {
    try {
      const response = await fetch(server.replace(/\/*$/, '/v1/hits'), {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': batchKey,
        },
        body: `${JSON.stringify(batch).slice(0, -1)},"hits":[${hits}]}`,
        // Another address is another server, which the key is not meant for.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return response.ok ? '' : `${response.status} ${text}`;
    } catch (error) {
      return `${(error as Error).cause ?? error}`;
    }
  };
}
