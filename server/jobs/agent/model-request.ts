import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Models write less than this in one answer; what is longer is a fault, and would fill the memory. */
const maxCompletionBytes = 2 * 1024 * 1024;

/** The model's server sent more than a completion can be. */
export class CompletionTooLarge extends Error {}

/**
 * `fetch` as the AI SDK wants it, for one JSON answer. Unlike the built-in one it waits for as long as the caller's
 * signal allows (the built-in one gives up after five minutes without a header, and slow models need longer), follows
 * no redirect with a key in hand, and bounds the answer.
 */
export async function requestModel(
  address: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(address instanceof Request ? address.url : address);
  const message = await send(url, init);
  const body = await readBody(message);
  const status = message.statusCode ?? 0;
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const statusText = message.statusMessage ?? '';
  return new Response([204, 205, 304].includes(status) ? null : body, { status, statusText, headers });
}

function send(url: URL, init: RequestInit): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.signal && { signal: init.signal }),
    };
    const request = send(url, options, resolve);
    request.on('error', reject);
    request.end(init.body);
  });
}

async function readBody(message: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxCompletionBytes) throw new CompletionTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
