import type { Dimension } from '../../../shared/reports/dimensions.ts';
import { memoize } from '../../memo.ts';
import { countedPath } from './personal-path.ts';

/** Dimensions of campaigns, each with the parameter of a page's address that tells it. */
const parameters = {
  utmSource: 'utm_source',
  utmMedium: 'utm_medium',
  utmCampaign: 'utm_campaign',
  ref: 'ref',
} as const satisfies Partial<Record<Dimension, string>>;

type Tag = keyof typeof parameters;
export type ByTag<Value> = Readonly<Record<Tag, Value>>;

const tags = Object.keys(parameters) as Tag[];

export function byTag<Value>(of: (tag: Tag) => Value): ByTag<Value> {
  return Object.fromEntries(tags.map((tag) => [tag, of(tag)])) as ByTag<Value>;
}

/** What the address of a page says of the campaign that led there. */
export type Campaign = ByTag<string | null>;

export const noCampaign: Campaign = byTag(() => null);

const maxLength = 100;

/** The first value of each parameter. */
export function readCampaign({ search, searchParams }: URL): Campaign {
  if (!/utm_|ref=/.test(search)) return noCampaign;
  return byTag((tag) => searchParams.get(parameters[tag]));
}

/** As it is counted: without white space around it and what points to one person, and of a length that a table shows. */
export function countedCampaign(
  campaign: Campaign,
  settings: { readonly personalPaths: 'mask' | 'keep' },
): Campaign {
  if (campaign === noCampaign) return campaign;
  const counted = (text: string | null) =>
    text === null ? null : trim(countedPath(text.slice(0, 10 * maxLength), settings)) || null;
  return byTag((tag) => counted(campaign[tag]));
}

const trim = memoize(
  (text) => Array.from(text.trim()).slice(0, maxLength).join('').trim().toWellFormed(),
  10_000,
);
