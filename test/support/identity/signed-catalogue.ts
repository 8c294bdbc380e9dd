import { shippedClients } from '../../../server/identity/catalogue.ts';
import { makeKeyPair, signText } from '../../../server/identity/loaded/signed-text.ts';
import { shippedVersions } from '../../../server/identity/rule-versions.ts';

export const signer = makeKeyPair();

const shipped = shippedVersions.map(({ version, date, says }) => ({ version, date, says }));
export const shippedVersion = shipped.length;

/** Of what comes after it: no date may go back. */
export const nextDate = shippedVersions.at(-1)?.date ?? '';

/** A client that no catalogue of Headcount has. */
export const zyxbot = {
  client: 'Zyxbot',
  operator: 'Zyx',
  purpose: 'search',
  tokens: ['Zyxbot'],
  since: shippedVersion + 1,
  reviewed: '2026-11-21',
};
export const zyxUserAgent = 'Mozilla/5.0 (compatible; Zyxbot/1.0; +https://zyx.example/bot)';

/** A catalogue of a version that comes so much after the one of Headcount, as a file before it is signed. */
export function catalogueText(
  ahead = 1,
  change: (clients: object[]) => object[] = (clients) => clients,
  more = {},
): string {
  const version = {
    version: shippedVersion + ahead,
    date: nextDate,
    says: `Zyxbot is an AI client (${ahead}).`,
  };
  const clients = change([...shippedClients, zyxbot]);
  return JSON.stringify({ versions: [...shipped, version], clients, ...more });
}

export const signedCatalogue = (...given: Parameters<typeof catalogueText>): string =>
  signText(catalogueText(...given), signer.privateKey);
