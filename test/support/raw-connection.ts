import { connect, type Socket } from 'node:net';
import { recordRefusal } from './described/record.ts';

/** What came back on a connection of its own. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A bare connection, for requests that no client would send. */
export interface RawConnection {
  socket: Socket;
  write(text: string | Uint8Array): void;
  /** All that came so far. */
  received(): string;
  /** Resolves with all that came, once the server has closed it. */
  closed: Promise<string>;
}

/** @param from which address of this machine it is made from; otherwise the system chooses */
export function openConnection(url: string, from?: string): RawConnection {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  // A reset is an end like any other; what came before it is what counts.
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, write: (bytes) => void socket.write(bytes), received: () => text, closed };
}

/** Sends all of it and waits until the server has closed the connection. */
export async function sendRaw(url: string, text: string | Uint8Array): Promise<RawAnswer[]> {
  const connection = openConnection(url);
  connection.write(text);
  return parseAnswers(await connection.closed);
}

/** One after the other; bodies have a length. */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    const answer = { status: Number(statusLine.split(' ')[1]), headers, body };
    recordRefusal(answer);
    answers.push(answer);
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
