import { z } from 'zod';
import entries from './makers.json' with { type: 'json' };

const brand = z.string().regex(/^[a-z][a-z0-9-]+$/);

/** A maker of AI, and signs by which an unlisted program is recognised as theirs. */
const makerSchema = z
  .strictObject({
    operator: z.string().min(2),
    /** Of their own, subdomains included. Who makes other things too has only those here that serve their AI. */
    domains: z.array(z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)),
    /** How names of their programs begin. */
    brands: z.array(brand),
    /**
     * Brands that are words of a dictionary or names of people, too: alone, or before a word such as tools have
     * (`CursorAgent`), they are theirs, and `windsurf-forecast` is not.
     */
    commonWords: z.array(brand).optional(),
    /** Hosts with pages about them. */
    source: z.url({ protocol: /^https$/ }),
    noted: z.iso.date(),
  })
  .refine(
    ({ domains, brands, commonWords = [] }) => domains.length + brands.length + commonWords.length > 0,
    'has nothing to be known by',
  );

export const makersSchema = z.array(makerSchema);
export type Maker = z.infer<typeof makerSchema>;

/** Tests hold them against the schema, so that no start has to. */
export const makers: readonly Maker[] = entries;

/** What follows a brand in the name of a program: another word, or one of these without a gap. */
const endings =
  'bot|search|user|agent|crawl|spider|fetch|scrap|web|image|index|cli|code|ai|runtime|train|research|browser|mcp|link|reader|deep|sitemap';

const byDomain = new Map(makers.flatMap((maker) => maker.domains.map((domain) => [domain, maker] as const)));
const byBrand = new Map(
  makers.flatMap((maker) =>
    [...maker.brands, ...(maker.commonWords ?? [])].map((each) => [each, maker] as const),
  ),
);

/** What follows a brand that is a common word, with a gap or without one: a whole word, or how one begins. */
const tools =
  '(?:bot|search|agent|spider|cli|code|ai|mcp|browser|ide|sdk|assistant|research)(?![a-z])|crawl|fetch|scrap';

const common = new Set(makers.flatMap(({ commonWords = [] }) => commonWords));

/** In falling order: of two that begin alike, the longer one comes first. */
const brands = Array.from(byBrand.keys()).sort((a, b) => (a < b ? 1 : -1));
const brandPattern = new RegExp(
  `^(?:(?:${brands.filter((each) => !common.has(each)).join('|')})(?=$|[^a-z0-9]|(?:${endings}))|` +
    `(?:${brands.filter((each) => common.has(each)).join('|')})(?=$|[^a-z0-9]?(?:${tools})))`,
);

/** Hosts of pages and of mailboxes; `+fresh.example` is written, too. */
const hosts = /(?:\/\/|[@+])([a-z0-9.-]{3,120}[a-z])/g;

/**
 * The maker to whom an address in a user agent belongs.
 *
 * @param text in lower case
 */
export function findMakerByDomain(text: string): Maker | undefined {
  hosts.lastIndex = 0;
  for (let found = hosts.exec(text); found; found = hosts.exec(text)) {
    const maker = findOwner(found[1] as string);
    if (maker) return maker;
  }
  return undefined;
}

function findOwner(host: string): Maker | undefined {
  for (let rest = host; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
    const maker = byDomain.get(rest);
    if (maker) return maker;
  }
  return undefined;
}

/**
 * The maker whose brand a program's name begins with.
 *
 * @param product in lower case, as in `codex-mcp-client`
 */
export function findMakerByBrand(product: string): Maker | undefined {
  const found = brandPattern.exec(product);
  return found ? byBrand.get(found[0]) : undefined;
}
