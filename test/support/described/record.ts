import { hash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** One answer of a server under test. */
export interface RecordedAnswer {
  /** Empty where Node could not read the request. */
  method: string;
  target: string;
  status: number;
  type: string;
  /** Of JSON alone. */
  body: string;
  /** Where it was seen. */
  by: string;
}

/** Names the folder to write to; without it nothing is recorded. */
export const folderVariable = 'TEST_ANSWERS_FOLDER';

/** For the run that this process is. */
export const answersFolder = join(tmpdir(), `headcount-answers-${process.pid}`);

const maxKnown = 5_000;
const known = new Set<string>();
const ports = new Set<number>();
let isSubscribed = false;
let whereAmI = () => 'a process of its own';

/** Sets the name of the running test. */
export function setTestName(name: () => string): void {
  whereAmI = name;
}

/** Records what is answered on this port, or on any port of this process. */
export function recordAnswers(port?: number): void {
  if (process.env[folderVariable] === undefined) return;
  if (!isSubscribed) {
    isSubscribed = true;
    const isMeant = ({ socket: { localPort = 0 } }: IncomingMessage) =>
      port === undefined || ports.has(localPort);
    subscribe('http.server.response.created', (message) => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
      if (isMeant(request)) listen(request, response);
    });
  }
  if (port !== undefined) ports.add(port);
}

export function stopRecording(port: number): void {
  ports.delete(port);
}

interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An error that may have come before there was a request. */
export function recordRefusal({ status, headers, body }: RawAnswer): void {
  if (process.env[folderVariable] === undefined || status < 400) return;
  append({ method: '', target: '', status, type: headers['content-type'] ?? '', body, by: whereAmI() });
}

/** Keeps what is sent of JSON, as it is sent. */
function listen(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  const typeOf = () => String(response.getHeader('content-type') ?? '');
  const keep = (chunk: unknown) => {
    if (!typeOf().startsWith('application/json')) return;
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = ((...args: Parameters<typeof write>) => {
    keep(args[0]);
    return write.apply(response, args);
  }) as typeof write;
  response.end = ((...args: Parameters<typeof end>) => {
    keep(args[0]);
    return end.apply(response, args);
  }) as typeof end;
  response.on('finish', () => {
    const { method = '', url: target = '' } = request;
    const body = decode(Buffer.concat(chunks), response.getHeader('content-encoding'));
    append({ method, target, status: response.statusCode, type: typeOf(), body, by: whereAmI() });
  });
}

function decode(bytes: Buffer, encoding: unknown): string {
  if (bytes.length === 0) return '';
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

/** At once, as the process may be killed; the same answer only once. */
function append({ by, ...answer }: RecordedAnswer): void {
  // The answers themselves would be hundreds of kilobytes each.
  const digest = hash('sha1', JSON.stringify(answer));
  if (known.has(digest)) return;
  if (known.size >= maxKnown) known.clear();
  known.add(digest);
  const folder = process.env[folderVariable] as string;
  appendFileSync(join(folder, `${process.pid}-${threadId}`), `${JSON.stringify({ ...answer, by })}\n`);
}
