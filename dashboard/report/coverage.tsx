import type { SeriesReply } from '../../shared/analytics.ts';
import type { WayIn } from '../../shared/tallies.ts';

const names: Record<WayIn, string> = {
  script: 'the script',
  image: 'the image',
  report: 'your server',
  log: 'access logs',
};

const list = new Intl.ListFormat('en');

/** By which ways in the numbers came: what nobody told of is in none of them. */
export function Coverage({ measured }: { measured: SeriesReply['measured'] }) {
  if (measured.ways.length === 0) return null;
  return (
    <p class="coverage">
      Counted from {list.format(measured.ways.map((way) => names[way]))}.
      {measured.ai === false && ' AI that runs no scripts is not measured.'}
      {measured.people === false && ' People are not measured.'}
    </p>
  );
}
