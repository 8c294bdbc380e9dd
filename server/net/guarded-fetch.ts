import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { request as httpRequest } from './node-http.ts';
import { checkAddress, lookupWithin, type MayReach } from './reach.ts';

/**
 * `fetch`, for texts, to servers that a project names: it connects to what may be reached and to nothing else, follows
 * no redirect, and waits for as long as the caller's signal allows (the built-in one gives up after five minutes
 * without a header, and slow models need longer).
 */
export function createGuardedFetch(mayReach: MayReach): typeof globalThis.fetch {
  const lookup = lookupWithin(mayReach);
  return async (address, init = {}) => {
    const url = new URL(address instanceof Request ? address.url : address);
    checkAddress(url, mayReach);
    return toResponse(await send(url, init, lookup));
  };
}

function send(url: URL, init: RequestInit, lookup: LookupFunction): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = {
      // No agent: a pooled connection would skip the look-up.
      agent: false,
      lookup,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.signal && { signal: init.signal }),
    };
    const request = send(url, options, resolve);
    request.on('error', reject);
    request.end(init.body);
  });
}

function toResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = [204, 205, 304].includes(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(body, { status, statusText: message.statusMessage ?? '', headers });
}
