import { countedCampaign } from '../../counting/page/campaign.ts';
import { countedPath } from '../../counting/page/personal-path.ts';
import { findSource } from '../../counting/page/source.ts';
import type { FindPlace } from '../../counting/places/place.ts';
import type { View } from '../../counting/view.ts';
import { parseTraits } from '../../counting/visitor/traits.ts';
import { visitorId } from '../../counting/visitor/visitor.ts';
import type { Salted } from '../sealing/salts.ts';
import type { JudgedHit } from './hit.ts';
import { talliesOfView } from './hit-tallies.ts';

/** What a hit counts as: from here on nothing tells its address or user agent. */
export function toView(judged: JudgedHit, { day, salt, networks }: Salted, findPlace: FindPlace): View {
  const { hit, project, page, hour, kind, client } = judged;
  const { device, browser, system } = parseTraits(hit.userAgent);
  const { country, region, city } = findPlace(hit.address);
  return {
    projectId: project.id,
    day,
    visitor: visitorId(salt, hit.address, hit.userAgent),
    network: networks.numberOf(hit.address),
    kind,
    path: countedPath(page.path, project.settings),
    hour,
    source: findSource(page, hit.referrer, project),
    country,
    region,
    city,
    language: hit.language,
    device,
    browser,
    system,
    screen: hit.screen ?? null,
    ...countedCampaign(page.campaign, project.settings),
    client,
    tallies: talliesOfView(judged),
    bytes: hit.bytes ?? 0,
  };
}
