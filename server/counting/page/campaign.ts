import { memoize } from '../../memo.ts';
import { countedPath } from './personal-path.ts';

/** What the address of a page says of the campaign that led there, by the names of its dimensions. */
export interface Campaign {
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly ref: string | null;
}

export const noCampaign: Campaign = { utmSource: null, utmMedium: null, utmCampaign: null, ref: null };

const maxLength = 100;

/** The first value of each parameter. */
export function readCampaign({ search, searchParams }: URL): Campaign {
  if (!/utm_|ref=/.test(search)) return noCampaign;
  return {
    utmSource: searchParams.get('utm_source'),
    utmMedium: searchParams.get('utm_medium'),
    utmCampaign: searchParams.get('utm_campaign'),
    ref: searchParams.get('ref'),
  };
}

/** As it is counted: without white space around it and what points to one person, and of a length that a table shows. */
export function countedCampaign(
  campaign: Campaign,
  settings: { readonly personalPaths: 'mask' | 'keep' },
): Campaign {
  if (campaign === noCampaign) return campaign;
  const counted = (text: string | null) =>
    text === null ? null : trim(countedPath(text.slice(0, 10 * maxLength), settings)) || null;
  return {
    utmSource: counted(campaign.utmSource),
    utmMedium: counted(campaign.utmMedium),
    utmCampaign: counted(campaign.utmCampaign),
    ref: counted(campaign.ref),
  };
}

const trim = memoize(
  (text) => Array.from(text.trim()).slice(0, maxLength).join('').trim().toWellFormed(),
  10_000,
);
