import { createGuardedFetch } from '../../../net/guarded-fetch.ts';
import type { MayReach } from '../../../net/reach.ts';

/** Models write less than this in one answer; what is longer is a fault, and would fill the memory. */
const maxCompletionBytes = 2 * 1024 * 1024;

/** The model's server sent more than a completion can be. */
export class CompletionTooLarge extends Error {}

export type ModelRequest = (address: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `fetch` as the AI SDK wants it, for one JSON answer, which it bounds. */
export function createModelRequest(mayReach: MayReach): ModelRequest {
  const send = createGuardedFetch(mayReach);
  return async (address, init) => {
    const response = await send(address, init);
    const { status, statusText, headers } = response;
    return new Response(await readBody(response), { status, statusText, headers });
  };
}

/** Null where an answer of this status has none. */
async function readBody({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxCompletionBytes) throw new CompletionTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
