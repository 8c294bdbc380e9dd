import { list } from 'isbot';
import { describe, expect, test } from 'vitest';
import { catalogueSchema, clients } from '../../server/identity/catalogue.ts';
import { doubtfulPatterns } from '../../server/identity/person.ts';
import { findByToken } from '../../server/identity/token.ts';

const names = clients.flatMap(({ client, tokens }) =>
  tokens.map((token) => ({ client, name: token.toLowerCase().replace(/^\^|\$$/g, '') })),
);

function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

describe('the catalogue of AI clients', () => {
  test('has nothing but what its schema allows', () => {
    expect(catalogueSchema.parse(clients)).toEqual(clients);
  });

  test('names every client, token, marker, header and signature host once', () => {
    expect(duplicates(clients.map(({ client }) => client.toLowerCase()))).toEqual([]);
    expect(duplicates(names.map(({ name }) => name))).toEqual([]);
    expect(duplicates(clients.flatMap(({ marker }) => marker ?? []))).toEqual([]);
    expect(duplicates(clients.flatMap(({ header }) => header ?? []))).toEqual([]);
    expect(duplicates(clients.flatMap(({ signatureHosts }) => signatureHosts ?? []))).toEqual([]);
  });

  test('leaves the letter w to navigator.webdriver', () => {
    expect(clients.filter(({ marker }) => marker === 'w')).toEqual([]);
  });

  test('was reviewed, and not in the future', () => {
    const today = new Date().toISOString().slice(0, 10);
    const wrong = clients.filter(({ reviewed }) => reviewed < '2026-11-01' || reviewed > today);
    expect(wrong).toEqual([]);
  });

  test('stands in the order of operators and names, where a newcomer looks', () => {
    const order = clients.map(({ operator, client }) => `${operator}\t${client}`.toLowerCase());
    expect(order).toEqual(order.toSorted());
  });

  test('expects no address of what runs on its user’s machine', () => {
    expect(clients.filter((client) => client.runsOnUserMachine && client.ranges)).toEqual([]);
  });

  test('refines only clients that it holds', () => {
    const known = new Set(clients.map(({ client }) => client));
    const refined = clients.flatMap(({ refines }) => refines ?? []);
    expect(refined.filter((client) => !known.has(client))).toEqual([]);
    expect(refined).toContain('Claude-User');
  });

  test('lets no token swallow a longer one', () => {
    const swallowing = names.flatMap((outer) =>
      names
        .filter((inner) => inner.client !== outer.client && outer.name.includes(inner.name))
        .map(() => outer),
    );
    expect(swallowing.map(({ name }) => name)).toContain('diffbot-user');
    const wrong = swallowing.filter(({ client, name }) => findByToken(`${name} 1.0`)?.client !== client);
    expect(wrong).toEqual([]);
  });

  const valid = { client: 'Example', operator: 'Example', purpose: 'search', tokens: ['ExampleBot'] };
  test.each([
    ['no operator', { operator: undefined }],
    ['an empty operator', { operator: '' }],
    ['no date of review', { reviewed: undefined }],
    ['a date that does not exist', { reviewed: '2026-02-30' }],
    ['a purpose of its own', { purpose: 'undocumented' }],
    ['nothing to be recognised by', { tokens: [] }],
    ['a token that is too short to be told', { tokens: ['AI'] }],
    ['ranges over plain http', { ranges: 'http://example.com/ranges.json' }],
    ['a field that nobody knows', { surprise: true }],
  ])('refuses an entry with %s', (_, change) => {
    const entry = { ...valid, reviewed: '2026-11-21' };
    expect(catalogueSchema.safeParse([entry]).success).toBe(true);
    expect(catalogueSchema.safeParse([{ ...entry, ...change }]).success).toBe(false);
  });
});

test('every pattern of isbot that we doubt is still one of its patterns', () => {
  expect(doubtfulPatterns.filter((pattern) => !list.includes(pattern))).toEqual([]);
});
