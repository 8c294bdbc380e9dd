import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { openConnection, parseAnswers, type RawConnection } from '../support/raw-connection.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const megabyte = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`;

/** A connection with the head of a request, and the errors that it ran into. */
function begin(path: string, fields: string): RawConnection & { errors: Error[] } {
  const connection = openConnection(headcount.url);
  const errors: Error[] = [];
  connection.socket.on('error', (error) => errors.push(error));
  connection.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nAuthorization: Bearer ${headcount.ingestKey}\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`,
  );
  return { ...connection, errors };
}

function expectRefusal(received: string, maxBytes: number): void {
  const answers = parseAnswers(received);
  expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[413, 'close']]);
  expect(JSON.parse(answers[0]?.body ?? '')).toEqual({
    error: `The body must have at most ${maxBytes} bytes.`,
  });
}

describe.each([
  ['/v1/hit', 32_768],
  ['/v1/hits', 4_194_304],
])('a body that is too large for %s', (path, maxBytes) => {
  test('sent in chunks is taken in and refused, and the connection closes in order', async () => {
    const { write, closed, errors } = begin(path, 'Transfer-Encoding: chunked');
    write(`${megabyte.repeat(5)}0\r\n\r\n`);
    expectRefusal(await closed, maxBytes);
    expect(errors).toEqual([]);
  });

  test('is refused while it is still on its way, and its sender is not waited for', async () => {
    const { write, received, closed } = begin(path, 'Transfer-Encoding: chunked');
    write(megabyte.repeat(5));
    await expect.poll(received).toContain('\r\n\r\n{"error"');
    expectRefusal(await closed, maxBytes);
  });

  test('and announces its length is refused in order too', async () => {
    const { write, closed, errors } = begin(path, `Content-Length: 5000000`);
    write(' '.repeat(5_000_000));
    expectRefusal(await closed, maxBytes);
    expect(errors).toEqual([]);
  });

  test('and never ends is taken in up to a bound', async () => {
    const { socket, closed, received } = begin(path, 'Transfer-Encoding: chunked');
    const pour = () => {
      while (socket.writable && socket.write(megabyte));
    };
    socket.on('drain', pour);
    pour();
    await closed;
    expectRefusal(received(), maxBytes);
    // What the buffers of the connection held comes on top.
    expect(socket.bytesWritten).toBeLessThan(40_000_000);
  });
});
