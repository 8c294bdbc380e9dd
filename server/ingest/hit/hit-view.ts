import { hasGoals } from '../../../shared/project/goals.ts';
import { countedEvent } from '../../counting/event.ts';
import { countedCampaign } from '../../counting/page/campaign.ts';
import { readPassage } from '../../counting/page/passage.ts';
import { countedPath } from '../../counting/page/personal-path.ts';
import { findSource } from '../../counting/page/source.ts';
import type { FindPlace } from '../../counting/places/place.ts';
import { sightingOf } from '../../counting/sighting.ts';
import type { TallyEntry } from '../../counting/tally.ts';
import type { View } from '../../counting/view.ts';
import { momentOf } from '../../counting/visit.ts';
import { parseTraits } from '../../counting/visitor/traits.ts';
import { visitorId } from '../../counting/visitor/visitor.ts';
import type { Salted } from '../sealing/salts.ts';
import type { JudgedHit } from './hit.ts';
import { talliesOfView } from './hit-tallies.ts';

/** What a hit counts as: from here on nothing tells its address or user agent. */
export function toView(judged: JudgedHit, salted: Salted, findPlace: FindPlace): View {
  const { event } = judged.hit;
  if (event === undefined) return toPageView(judged, salted, findPlace);
  const { tallies, bytes, ...view } = toPageView(judged, salted, findPlace);
  return { ...view, event: countedEvent(event, judged.project.settings) };
}

function toPageView(judged: JudgedHit, { day, salt, networks }: Salted, findPlace: FindPlace): View {
  const { hit, project, page, hour, kind, client } = judged;
  const { device, browser, system } = parseTraits(hit.userAgent);
  const { country, region, city } = findPlace(hit.address);
  const source = findSource(page, hit.referrer, project);
  const visitor = visitorId(salt, hit.address, hit.userAgent);
  const path = countedPath(page.path, project.settings);
  const { utmCampaign, utmSource, utmMedium, ref } = countedCampaign(page.campaign, project.settings);
  const tallies = talliesOfView(judged);
  const sighting = sightingOfPassage(judged, { visitor, source, path });
  return {
    projectId: project.id,
    day,
    visitor,
    network: networks.numberOf(hit.address),
    kind,
    path,
    hour,
    moment: momentOf(day, judged.at),
    source,
    country,
    region,
    city,
    language: hit.language,
    device,
    browser,
    system,
    screen: hit.screen ?? null,
    utmCampaign,
    utmSource,
    utmMedium,
    ref,
    client,
    tallies: sighting ? [...tallies, sighting] : tallies,
    bytes: hit.bytes ?? 0,
    hasGoals: hasGoals(project.settings),
  };
}

/** Who landed at a passage that a link was to. */
function sightingOfPassage(
  { hit, kind }: JudgedHit,
  { visitor, source, path }: Pick<View, 'visitor' | 'source' | 'path'>,
): TallyEntry | undefined {
  // A step inside the site has no source.
  if (hit.directive === undefined || source === null || kind !== 'human') return undefined;
  const passage = readPassage(hit.directive);
  return passage === null ? undefined : sightingOf(visitor, source, passage, path);
}
