import { hash } from 'node:crypto';
import { list } from 'isbot';
import { expect, test } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import { shippedVersions } from '../../server/identity/rule-versions.ts';
import { makers } from '../../server/identity/unlisted/maker.ts';

/** What can change who is who; sources and dates of reviews cannot. */
function digest(): string {
  const rules = clients.map(({ docsUrl: _, reviewed: __, since: ___, ...rule }) => rule);
  const names = makers.map(({ source: _, noted: __, ...maker }) => maker);
  return hash('sha256', JSON.stringify([rules, list, names]));
}

test('a change of the catalogue, of the makers of AI, or of the known bots, comes with a new version of the rules', () => {
  // When this fails: add a version to server/identity/catalogue.json, and `since` to new clients.
  expect(shippedVersions.at(-1)?.digest).toBe(digest());
});

test('versions count up, and clients are since one that there is', () => {
  const versions = shippedVersions.map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, i) => i + 1));
  const dates = shippedVersions.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted());
  expect(clients.filter(({ since = 1 }) => !versions.includes(since))).toEqual([]);
});
