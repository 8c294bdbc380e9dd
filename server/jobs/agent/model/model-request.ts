import { ReadableStream as NodeStream } from 'node:stream/web';
import { createGuardedFetch } from '../../../net/guarded-fetch.ts';
import type { MayReach } from '../../../net/reach.ts';
import { AnsweredWhole, CompletionTooLarge, ModelSilent, maxAnswerLength } from './answer-fault.ts';

/** How long a model's server may say nothing at all; signs of life that say nothing else count as saying something. */
export interface SilenceLimits {
  /** Until it begins to answer: some read a long conversation, or write the whole answer, before that. */
  beginMs: number;
  /** From one piece to the next: some models think for minutes in the middle of an answer. */
  goOnMs: number;
}

const defaultLimits: SilenceLimits = { beginMs: 10 * 60_000, goOnMs: 5 * 60_000 };

/** In a stream each word comes in some hundred bytes of its own, which are not kept. */
const maxStreamBytes = 32 * 1024 * 1024;

export type ModelRequest = (address: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `fetch` as the AI SDK wants it, for one answer of a model, which it bounds; it is given up when it falls silent. */
export function createModelRequest(mayReach: MayReach, limits = defaultLimits): ModelRequest {
  const send = createGuardedFetch(mayReach);
  return async (address, init = {}) => {
    const silence = new Silence(limits);
    const signal = AbortSignal.any([silence.signal, ...(init.signal ? [init.signal] : [])]);
    const response = await send(address, { ...init, signal }).catch((error: unknown) => {
      silence.end();
      throw silence.causeOf(error);
    });
    const answer = bound(response, silence, isChat(address));
    return isStream(answer) || !asksForStream(address, init) ? answer : await withoutStream(answer);
  };
}

function bound(response: Response, silence: Silence, ofChat: boolean): Response {
  const { status, statusText, headers, body } = response;
  if (body === null) {
    silence.end();
    return response;
  }
  const streams = isStream(response);
  const pieces = readPieces(body, silence, streams ? maxStreamBytes : maxAnswerLength);
  const whole = streams && ofChat ? withFinishReason(pieces) : pieces;
  const stream = NodeStream.from(whole) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(stream, { status, statusText, headers });
}

/** Ends the request when it lasts for too long. */
class Silence {
  readonly #controller = new AbortController();
  readonly #goOnMs: number;
  #timer: NodeJS.Timeout;

  constructor({ beginMs, goOnMs }: SilenceLimits) {
    this.#goOnMs = goOnMs;
    this.#timer = this.#wait(beginMs, false);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  break(): void {
    this.end();
    this.#timer = this.#wait(this.#goOnMs, true);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Itself, where it is why the request failed. */
  causeOf(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }

  #wait(ms: number, hasBegun: boolean): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(new ModelSilent(ms, hasBegun)), ms);
  }
}

async function* readPieces(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of body) {
      silence.break();
      size += piece.length;
      if (size > maxBytes) throw new CompletionTooLarge();
      yield piece;
    }
  } catch (error) {
    throw silence.causeOf(error);
  } finally {
    silence.end();
  }
}

function isStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('Content-Type') ?? '');
}

/** https://platform.openai.com/docs/api-reference/chat */
function isChat(address: string | URL | Request): boolean {
  return /\/chat\/completions(?:\?|$)/.test(String(address));
}

function asksForStream(address: string | URL | Request, { body }: RequestInit): boolean {
  return (
    String(address).includes(':streamGenerateContent') ||
    (typeof body === 'string' && JSON.parse(body).stream === true)
  );
}

/**
 * Some gateways take the wish for a stream and answer in one piece, and some say that they have no streams, as OpenAI
 * does for organisations that it has not verified.
 *
 * @throws AnsweredWhole
 */
async function withoutStream(answer: Response): Promise<Response> {
  if (answer.body === null) return answer;
  const text = await answer.text();
  const isWhole = answer.ok ? isJson(text) : [400, 422, 501].includes(answer.status) && /stream/i.test(text);
  if (isWhole) throw new AnsweredWhole();
  const { status, statusText, headers } = answer;
  return new Response(text, { status, statusText, headers });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Longer than what is looked for, which may come in two pieces. */
const reasonOverlap = 64;
const stopReason = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

/**
 * Some servers of the chat API name no stopReason at the end of an answer: their `[DONE]` alone says that it is whole. As the
 * AI SDK does not look at that, the stopReason is added. In an event no text has such quotes or line ends: JSON escapes them.
 */
async function* withFinishReason(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let seen = '\n';
  let hasReason = false;
  let isDone = false;
  for await (const piece of pieces) {
    seen = seen.slice(-reasonOverlap) + Buffer.from(piece).toString('latin1');
    hasReason ||= /"finish_reason"\s{0,9}:\s{0,9}"/.test(seen);
    isDone ||= /[\r\n]data: ?\[DONE\]/.test(seen);
    yield piece;
  }
  if (isDone && !hasReason) yield Buffer.from(`\n\n${stopReason}`);
}
