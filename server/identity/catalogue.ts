import { z } from 'zod';
import shipped from './catalogue.json' with { type: 'json' };
import { purposes } from './identity.ts';

/**
 * One AI client. A token is literal text: it matches without case and never inside a word; `^` and `$` tie
 * it to the start and the end of the user agent. Versions are never part of one.
 */
const clientSchema = z
  .strictObject({
    /** Its name and its key. */
    client: z.string().min(2).max(60),
    operator: z.string().min(2),
    purpose: z.enum(purposes),
    /** False: the operator does not say, this is the likeliest. */
    purposeDocumented: z.literal(false).optional(),
    docsUrl: z.url({ protocol: /^https$/ }).optional(),
    tokens: z.array(z.string().min(4)),
    /** It sends that client's token too; its own token wins, in any position. */
    refines: z.string().optional(),
    /** With Electron in the user agent it is the program's own browser, and a person may be reading. */
    inAppBrowser: z.literal(true).optional(),
    /** Found by how it asks: there is a rule for it and no token. */
    inferredOnly: z.literal(true).optional(),
    /** A request header that only this client sends; after a colon, how its value begins. */
    header: z.string().min(4).optional(),
    /** The letter that the tracker reports when it detects this client in the page. */
    marker: z
      .string()
      .regex(/^[a-z]$/)
      .optional(),
    /** Where the operator publishes the addresses that it comes from. */
    ranges: z.url({ protocol: /^https$/ }).optional(),
    /** Documented: the operator says that all its addresses resolve so; any other address is then a spoof. */
    reverseDns: z
      .strictObject({
        suffixes: z.array(z.string().regex(/^\.[a-z0-9.-]+$/)).min(1),
        documented: z.boolean(),
      })
      .optional(),
    /** Hosts of its key directories; `*` matches one label. */
    signatureHosts: z.array(z.string().regex(/^[a-z0-9*.-]+$/)).optional(),
    /** False: only lists mention it, no one has shown a request. */
    attested: z.literal(false).optional(),
    /** It runs where its user is, so that an address elsewhere is no lie. */
    runsOnUserMachine: z.literal(true).optional(),
    /** The version of the rules that it came with (rule-versions.ts); left out: the first one. */
    since: z.int().min(2).optional(),
    reviewed: z.iso.date(),
  })
  .refine(
    (entry) =>
      entry.tokens.length > 0 ||
      entry.header !== undefined ||
      entry.marker !== undefined ||
      entry.signatureHosts !== undefined ||
      entry.inferredOnly === true,
    'has nothing that it could be recognised by',
  );

export const catalogueSchema = z.array(clientSchema);

export type AiClient = z.infer<typeof clientSchema>;

/** The AI clients that came with this version. Tests hold them against the schema, so that no start has to. */
export const shippedClients = shipped.clients as readonly AiClient[];

/** The AI clients that we know: those that came with this version, or those of a catalogue that was loaded since. */
export let clients: readonly AiClient[] = shippedClients;

/** Replaces the clients for this process; values derived from them are derived anew (`ofCatalogue`). */
export function useClients(others: readonly AiClient[]): void {
  clients = others;
}

/** A value derived from the catalogue: once, and again when another catalogue is in use. */
export function ofCatalogue<T>(make: (clients: readonly AiClient[]) => T): () => T {
  let source: readonly AiClient[] | undefined;
  let made: T;
  return () => {
    if (source !== clients) {
      made = make(clients);
      source = clients;
    }
    return made;
  };
}

const byName = ofCatalogue((all) => new Map(all.map((client) => [client.client, client])));
const byMarker = ofCatalogue(
  (all) => new Map(all.flatMap((client) => (client.marker === undefined ? [] : [[client.marker, client]]))),
);
const byHost = ofCatalogue((all) =>
  all.flatMap((client) => (client.signatureHosts ?? []).map((host) => ({ host: hostPattern(host), client }))),
);

function hostPattern(host: string): RegExp {
  return new RegExp(`^${host.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]{1,63}')}$`);
}

export function clientNames(): string[] {
  return clients.map(({ client }) => client);
}

export function findClient(name: string): AiClient | undefined {
  return byName().get(name);
}

/** @throws Error for a name that a rule relies on and the catalogue lacks. */
export function getClient(name: string): AiClient {
  const client = byName().get(name);
  if (!client)
    throw new Error(`The catalogue of AI clients has no entry named ${name}: add it or mend the rule.`);
  return client;
}

export function findClientByMarker(marker: string): AiClient | undefined {
  return byMarker().get(marker);
}

/** Whether the catalogue names this very host, so that strangers cannot make up more like it. */
export function isNamedSignatureHost(host: string): boolean {
  return clients.some((client) => client.signatureHosts?.includes(host));
}

export function findClientBySignatureHost(host: string): AiClient | undefined {
  return byHost().find((known) => known.host.test(host))?.client;
}
