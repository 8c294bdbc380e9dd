import { type HitWay, hitWays } from '../../shared/reports/tallies.ts';
import { dateOf } from '../insights/days.ts';
import { baselineDays, findSilence, longestSilence } from '../insights/silence.ts';
import type { Alert, FindAlerts } from './alert.ts';
import { round, writeCount } from './letter.ts';

const ways: Readonly<Record<HitWay, { name: string; advice: string }>> = {
  script: { name: 'the script', advice: 'See whether its line is still in the pages.' },
  image: { name: 'the image', advice: 'See whether its line is still in the pages.' },
  report: {
    name: "reports of the site's server",
    advice: 'See whether it runs, and what it logs of its key.',
  },
  log: {
    name: 'access logs',
    advice: 'See whether they are still imported, and from where they are written.',
  },
};

/** Ways in by which something came regularly, and nothing any more: by the same rule as silent clients. */
export const silentWays: FindAlerts = async (store, { projectId, day }) => {
  const from = day + 1 - baselineDays - longestSilence;
  // What came after the day, which is not sealed, ends a silence.
  const rows = await store.readTallyDays({ projectId, from, to: day + 3, tally: 'ways-in' });
  return hitWays.flatMap((way): Alert[] => {
    const ofWay = rows.filter(({ group }) => group === way);
    if (ofWay.some((row) => row.day > day)) return [];
    const hits = Array.from({ length: day + 1 - from }, () => 0);
    for (const row of ofWay) hits[row.day - from] = (hits[row.day - from] ?? 0) + row.hits;
    const silence = findSilence(hits, day);
    if (!silence) return [];
    const { name, advice } = ways[way];
    const lastDay = dateOf(day - silence.silentDays);
    const usualHits = round(silence.usualViews);
    const says = `Nothing came in by ${name} since ${lastDay}, for ${writeCount(silence.silentDays, 'whole day')}. Before, it was ${usualHits} hits a day on average, and never nothing for more than ${writeCount(silence.longestGap, 'day')}.`;
    return [
      {
        kind: 'silent_way',
        key: `${way} ${lastDay}`,
        title: `nothing comes in by ${name} any more`,
        paragraphs: [says, advice],
        page: '/install',
        facts: { way, lastDay, silentDays: silence.silentDays, usualHits },
      },
    ];
  });
};
