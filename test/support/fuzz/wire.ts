import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface WireAnswer {
  status: number;
  /** By lower-case name; of a repeated field all values. */
  headers: Map<string, string[]>;
  body: Buffer;
}

/** What a connection came to: an answer, an end without one, or nothing at all within the bound. */
export type WireOutcome = WireAnswer | 'closed' | 'silent';

interface RawOptions {
  /** Whether the answer has no body whatever its fields say. */
  isHead: boolean;
  /** Ends the sending side, as a client that breaks off in the middle does. */
  breaksOff: boolean;
  timeoutMs: number;
}

/** Sends any bytes over a connection of their own, and reads the answer to them. */
export function sendBytes(port: number, bytes: Buffer, options: RawOptions): Promise<WireOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const received: Buffer[] = [];
    const settle = (outcome: WireOutcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const read = (isOver: boolean) => readAnswer(Buffer.concat(received), options.isHead, isOver);
    const timer = setTimeout(() => settle(read(true) ?? 'silent'), options.timeoutMs);
    socket.on('data', (part: Buffer) => {
      received.push(part);
      const answer = read(false);
      if (answer) settle(answer);
    });
    // A server that refuses a large body closes while it is still being sent.
    socket.on('error', () => settle(read(true) ?? 'closed'));
    socket.on('end', () => settle(read(true) ?? 'closed'));
    send(socket, bytes, options.breaksOff);
  });
}

function send(socket: Socket, bytes: Buffer, breaksOff: boolean): void {
  if (breaksOff) socket.end(bytes);
  else socket.write(bytes);
}

/** Once the answer is whole, or all of it that came where the connection is over. */
function readAnswer(bytes: Buffer, isHead: boolean, isOver: boolean): WireAnswer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...fields] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const rest = bytes.subarray(headEnd + 4);
  if (status >= 100 && status < 200 && status !== 101) return readAnswer(rest, isHead, isOver);
  const headers = readFields(fields);
  const body = isHead || status === 204 || status === 304 ? Buffer.alloc(0) : readBody(rest, headers, isOver);
  return body && { status, headers, body };
}

function readFields(lines: readonly string[]): Map<string, string[]> {
  const fields = lines.map((line) => /^([^:]+): *(.*)$/.exec(line) ?? ['', line, '']);
  const byName = Map.groupBy(fields, ([, name = '']) => name.toLowerCase());
  return new Map([...byName].map(([name, found]) => [name, found.map(([, , value = '']) => value)]));
}

function readBody(bytes: Buffer, headers: Map<string, string[]>, isOver: boolean): Buffer | undefined {
  // A stream has answered once it has begun.
  if (headers.get('content-type')?.[0]?.startsWith('text/event-stream')) return Buffer.alloc(0);
  if (headers.get('transfer-encoding')?.[0] === 'chunked') return readChunks(bytes);
  const length = headers.get('content-length')?.[0];
  if (length === undefined) return isOver ? bytes : undefined;
  return bytes.length >= Number(length) ? bytes.subarray(0, Number(length)) : undefined;
}

function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (length === 0) return Buffer.concat(chunks);
    const from = lineEnd + 2;
    if (bytes.length < from + length + 2) return undefined;
    chunks.push(bytes.subarray(from, from + length));
    at = from + length + 2;
  }
}
