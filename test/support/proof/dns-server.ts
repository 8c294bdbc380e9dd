import type { AddressInfo } from 'node:net';
import dns from 'dns2';

export interface TestDnsServer {
  /** For Resolver.setServers. */
  address: string;
  /** What was asked for, as `<type> <name>`. */
  asked: string[];
  close(): Promise<void>;
}

/** Records by `<type> <name>`; a name server that is `silent` about a question never answers it. */
export type Records = Readonly<Record<string, readonly string[] | 'silent' | 'broken'>>;

const { Packet } = dns;
const types = { PTR: Packet.TYPE.PTR, A: Packet.TYPE.A, AAAA: Packet.TYPE.AAAA };
const serverFailure = 2;
const noSuchName = 3;

/** A real name server on loopback, over UDP. */
export async function startDnsServer(records: Records): Promise<TestDnsServer> {
  const asked: string[] = [];
  const server = dns.createUDPServer((request, send) => {
    const [question] = request.questions;
    if (!question) return;
    const type = (Object.keys(types) as (keyof typeof types)[]).find((name) => types[name] === question.type);
    const key = `${type} ${question.name.toLowerCase()}`;
    asked.push(key);
    const found = records[key];
    if (found === 'silent') return;
    const response = Packet.createResponseFromRequest(request);
    if (found === 'broken') response.header.rcode = serverFailure;
    else if (!found) response.header.rcode = noSuchName;
    else {
      for (const value of found) {
        const record = new Packet.Resource(question.name, question.type, Packet.CLASS.IN, 300);
        response.answers.push(Object.assign(record, type === 'PTR' ? { domain: value } : { address: value }));
      }
    }
    void send(response);
  });
  await server.listen(0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The name under which the address is looked up the other way round (IPv4). */
export const reverseName = (ip: string) => `${ip.split('.').reverse().join('.')}.in-addr.arpa`;
