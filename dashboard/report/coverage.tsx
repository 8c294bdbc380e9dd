import { formatHits } from '../formats/number.ts';
import { missesAi, type Ways } from './ways.ts';

const names = {
  script: 'the script',
  image: 'the image',
  report: 'your server',
  log: 'access logs',
};

const list = new Intl.ListFormat('en');

/** By which ways in the numbers came: what nobody told of is in none of them. */
export function Coverage({ ways }: { ways: Ways }) {
  if (ways.size === 0) return null;
  const parts = Array.from(ways, ([way, hits]) => `${names[way]} (${formatHits(hits)})`);
  return (
    <p class="coverage">
      Counted from {list.format(parts)}.{missesAi(ways) && ' AI that runs no script is not measured.'}
    </p>
  );
}
