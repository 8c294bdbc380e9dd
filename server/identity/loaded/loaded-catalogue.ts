import type { KeyObject } from 'node:crypto';
import { shippedClients, useClients } from '../catalogue.ts';
import { shippedVersions, useVersions } from '../rule-versions.ts';
import { type CatalogueDocument, checkDocument, parseDocument } from './catalogue-document.ts';
import { verifyText } from './signed-text.ts';

/** What a signed text holds, if it may follow what is in use. @throws CatalogueError */
export function readCatalogue(signed: string, keys: readonly KeyObject[]): CatalogueDocument {
  const document = parseDocument(verifyText(signed, keys));
  checkDocument(document);
  return document;
}

/** From now on this process judges by it. */
export function useCatalogue({ clients, versions }: CatalogueDocument): void {
  useClients(clients);
  const [first] = versions;
  const before = shippedVersions.filter(({ version }) => first !== undefined && version < first.version);
  useVersions([...before, ...versions]);
}

/** What came with this version of Headcount is in use again. */
export function useShippedCatalogue(): void {
  useClients(shippedClients);
  useVersions(shippedVersions);
}
