import { escapeLine } from '../../shared/plain-text.ts';
import { identifyAfterLookups, type SenderFacts } from '../identity/classify.ts';
import { explain } from '../identity/explain.ts';
import type { Identity } from '../identity/identity.ts';
import { openNetworks } from '../identity/networks/asn-database.ts';
import { hintOf, isHintOf, type NetworkHint } from '../identity/networks/network-hint.ts';
import { createProofs, type DetailedFindings } from '../identity/proof/proof.ts';
import { parseAddress } from '../net/address.ts';
import { oneLine } from '../text/one-line.ts';
import { type Command, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { takeUpLoaded } from './terminal/with-store.ts';

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--header must be given as "Name: value", not "${text}".`);
  }
  return [name.toLowerCase(), value];
}

function readAddress(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) throw new UsageError(`--ip must be an IPv4 or IPv6 address, not "${text}".`);
  return address;
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, {
    'user-agent': { type: 'string' },
    ip: { type: 'string' },
    header: { type: 'string', multiple: true },
    url: { type: 'string', default: 'https://example.com/' },
    json: { type: 'boolean' },
  });
  const headers = Object.fromEntries((values.header ?? []).map(readHeader));
  const userAgent = values['user-agent'] ?? headers['user-agent'];
  if (userAgent === undefined)
    throw new UsageError('Give the user agent with --user-agent; "" if it sends none.');
  if (!URL.canParse(values.url))
    throw new UsageError(`--url must be an absolute address, not "${values.url}".`);
  const { config, log, now } = terminal;
  await takeUpLoaded(terminal);
  const proofs = createProofs({ dataDir: config.dataDir, offline: config.offline, log, now });
  const facts: SenderFacts = {
    via: 'report',
    url: values.url,
    address: values.ip === undefined ? undefined : readAddress(values.ip),
    userAgent,
    headers: values.header === undefined ? undefined : headers,
    at: now(),
  };
  const { identity, findings } = await identifyAfterLookups(facts, proofs);
  await proofs.stop();
  const sentence = explain(identity, { ...facts, findings });
  const network = readNetwork(identity, facts.address, config.clients.asnDatabase);
  if (values.json)
    terminal.print(
      `${JSON.stringify({ ...identity, ...(findings && { found: findings }), ...(network && { network }), sentence })}\n`,
    );
  else terminal.print(`${[sentence, ...describe(findings), ...describeNetwork(network)].join('\n')}\n`);
}

interface SeenNetwork {
  hint: NetworkHint;
  asn: number | undefined;
  name: string | undefined;
}

/** Undefined: there is no database, or it says nothing of such a client. */
function readNetwork(
  identity: Identity,
  address: string | undefined,
  file: string | null,
): SeenNetwork | undefined {
  if (file === null || address === undefined || identity.kind !== 'ai' || !isHintOf(identity))
    return undefined;
  const find = openNetworks(file);
  return {
    hint: hintOf(identity.operator, address, find),
    asn: undefined,
    name: undefined,
    ...find(address),
  };
}

function describeNetwork(network: SeenNetwork | undefined): string[] {
  if (!network) return [];
  const { hint, asn, name } = network;
  const which = asn === undefined ? '' : `AS${asn}${name === undefined ? '' : ` (${oneLine(name)})`}, `;
  return [`Network: ${which}${networkWords[hint]}.`];
}

const networkWords = {
  own: 'the operator’s own, which makes the claim likely and does not prove it',
  rented: 'where anybody may rent machines',
  other: 'not known to be the operator’s',
  unknown: 'the database does not know it',
} as const satisfies Record<NetworkHint, string>;

/** The look-ups, a line each. */
function describe({ ranges, dns, signature }: DetailedFindings = {}): string[] {
  const lines: string[] = [];
  if (ranges) lines.push(`Published addresses: ${rangeWords[ranges]}.`);
  if (dns) lines.push(`Reverse DNS: ${dnsWords[dns]}.`);
  if (signature)
    lines.push(`Signature: ${signature.state === 'valid' ? `good, by ${signature.host}` : signature.why}.`);
  return lines.map((line) => escapeLine(line).replace(/\.\.$/, '.'));
}

const rangeWords = {
  inside: 'this one is among them',
  outside: 'this one is not among them',
  unknown: 'nothing recent enough is known about this one',
} as const;

const dnsWords = {
  confirmed: 'the address has a name of the operator, which leads back to it',
  refused: 'the address has no name of the operator that leads back to it',
  unknown: 'could not be found out',
} as const;

export const whoisCommand: Command = {
  help: `Usage: headcount whois --user-agent <text> [--ip <address>] [--header <field>]... [--json]

Explains who sends a request: a person, an AI client or another bot, and by which rule. It makes
the same look-ups as for a hit (published addresses, reverse DNS, key directories), and waits for the answers.

  --user-agent <text>    the User-Agent field; "" if the request has none
  --ip <address>         the address that the request came from
  --header <field>       another field of the request, such as "Accept: text/markdown"; as often as needed
  --url <address>        the requested address (https://example.com/)
  --json                 print the result as JSON, for programs
`,
  run,
};
