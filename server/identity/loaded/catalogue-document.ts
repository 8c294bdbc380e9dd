import { z } from 'zod';
import { type AiClient, catalogueSchema, clients } from '../catalogue.ts';
import { ruledClients } from '../headers.ts';
import { newestOf, rulesVersion, ruleVersion, ruleVersions } from '../rule-versions.ts';
import { Words } from '../words.ts';
import { CatalogueError } from './catalogue-error.ts';

const documentSchema = z.strictObject({
  /** Versions of the rules, oldest first; the last one is this catalogue's. */
  versions: z.array(ruleVersion).min(1).max(1000),
  /** Clients whose proofs were changed or removed on purpose. */
  proofsChanged: z.array(z.string()).default([]),
  clients: catalogueSchema.min(1).max(5000),
});

/** A catalogue that can be loaded without a release of Headcount. */
export type CatalogueDocument = z.infer<typeof documentSchema>;

export const versionOf = ({ versions }: CatalogueDocument): number => newestOf(versions);

/** @throws CatalogueError */
export function parseDocument(text: string): CatalogueDocument {
  const parsed = documentSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'the whole';
  throw new CatalogueError(
    `It does not have the form of a catalogue for this version of Headcount; at ${place}: ${issue?.message}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CatalogueError('It is not JSON.');
  }
}

/** Checks that it may follow the catalogue in use. @throws CatalogueError */
export function checkDocument(document: CatalogueDocument): void {
  checkVersions(document);
  checkNames(document.clients);
  checkClients(document);
  const undeclared = changedProofs(clients, document.clients).filter(
    (name) => !document.proofsChanged.includes(name),
  );
  if (undeclared.length > 0) {
    throw new CatalogueError(
      `It would change by what these clients are proved: ${undeclared.join(', ')}. If that is meant, list them in "proofsChanged".`,
    );
  }
}

function checkVersions({ versions }: CatalogueDocument): void {
  const isOrdered = versions.every(({ version, date }, i) => {
    const before = versions[i - 1];
    return before === undefined || (version > before.version && date >= before.date);
  });
  if (!isOrdered) throw new CatalogueError('Its versions do not count up, or a date goes back.');
  const newest = versions.at(-1);
  if (newest === undefined || newest.version <= rulesVersion) {
    throw new CatalogueError(
      `Its version is ${newest?.version}, and ${rulesVersion} is in use: only a newer one is taken up.`,
    );
  }
  const { date } = ruleVersions.at(-1) ?? newest;
  if (newest.date < date) {
    throw new CatalogueError(
      `It is of ${newest.date}, and that in use of ${date}: only a newer one is taken up.`,
    );
  }
}

function checkNames(all: readonly AiClient[]): void {
  const named: [what: string, values: string[]][] = [
    ['the client', all.map(({ client }) => client.toLowerCase())],
    [
      'the token',
      all.flatMap(({ tokens }) => tokens.map((token) => token.toLowerCase().replace(/^\^|\$$/g, ''))),
    ],
    // navigator.webdriver has that letter.
    ['the marker', ['w', ...all.flatMap(({ marker }) => marker ?? [])]],
    ['the header', all.flatMap(({ header }) => header ?? [])],
    ['the signature host', all.flatMap(({ signatureHosts }) => signatureHosts ?? [])],
  ];
  for (const [what, values] of named) {
    const twice = values.find((value, i) => values.indexOf(value) !== i);
    if (twice !== undefined) throw new CatalogueError(`It has ${what} "${twice}" twice.`);
  }
}

/** Of people: a token that one of them holds would turn many into AI. */
const browsers = [
  'mozilla/5.0 (windows nt 10.0; win64; x64) applewebkit/537.36 (khtml, like gecko) chrome/142.0.0.0 safari/537.36 edg/142.0.0.0',
  'mozilla/5.0 (macintosh; intel mac os x 10_15_7) applewebkit/605.1.15 (khtml, like gecko) version/26.1 safari/605.1.15',
  'mozilla/5.0 (iphone; cpu iphone os 18_7 like mac os x) applewebkit/605.1.15 (khtml, like gecko) version/26.1 mobile/15e148 safari/604.1',
  'mozilla/5.0 (linux; android 10; k) applewebkit/537.36 (khtml, like gecko) samsungbrowser/29.0 chrome/136.0.0.0 mobile safari/537.36',
  'mozilla/5.0 (x11; ubuntu; linux x86_64; rv:145.0) gecko/20100101 firefox/145.0 opr/125.0.0.0 crios/142.0 fxios/145.0 electron/39.0',
  'mozilla/5.0 (compatible; )',
];

function checkClients({ clients: all, versions }: CatalogueDocument): void {
  const known = new Set(all.map(({ client }) => client));
  const missing = ruledClients.find((name) => !known.has(name));
  if (missing !== undefined) throw new CatalogueError(`It lacks ${missing}, which rules name.`);
  const before = new Set(clients.map(({ client }) => client));
  const newest = Math.max(...versions.map(({ version }) => version));
  for (const { client, refines, tokens, runsOnUserMachine, ranges, since = 1 } of all) {
    if (refines !== undefined && !known.has(refines)) {
      throw new CatalogueError(`${client} refines ${refines}, which it lacks.`);
    }
    if (runsOnUserMachine && ranges) {
      throw new CatalogueError(
        `${client} runs on its user's machine, so that no addresses can be expected of it.`,
      );
    }
    const common = tokens.find((token) => browsers.some((text) => new Words([[token, true]]).find(text)));
    if (common !== undefined) {
      throw new CatalogueError(`The token "${common}" of ${client} occurs in the user agents of people.`);
    }
    if (since > newest)
      throw new CatalogueError(`${client} is there since ${since}, a version that it lacks.`);
    if (!before.has(client) && since <= rulesVersion) {
      throw new CatalogueError(
        `${client} is new: give it the version that it came with, "since": ${newest}.`,
      );
    }
  }
}

/** The proofs of a client, or the reason why it has none. */
const proofs = ['ranges', 'reverseDns', 'signatureHosts', 'runsOnUserMachine'] as const;

/** Clients with other or fewer proofs than before. A first proof of a kind is no change. */
function changedProofs(before: readonly AiClient[], after: readonly AiClient[]): string[] {
  const found = new Map(after.map((client) => [client.client, client]));
  return before.filter((old) => isOther(old, found.get(old.client))).map(({ client }) => client);
}

function isOther(before: AiClient, after: AiClient | undefined): boolean {
  if (!after) return proofs.some((proof) => proof !== 'runsOnUserMachine' && before[proof] !== undefined);
  // No client would be reported as spoofed any more.
  if (after.runsOnUserMachine && !before.runsOnUserMachine) return true;
  return proofs.some(
    (proof) => before[proof] !== undefined && JSON.stringify(before[proof]) !== JSON.stringify(after[proof]),
  );
}
