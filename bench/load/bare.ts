import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Headcount is measured against: reads each request's body, and answers 202 to all. */
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    Buffer.concat(chunks).toString();
    res.writeHead(202, { 'Content-Length': 0 });
    res.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
