import { program } from '../process/program.ts';
import type { Environment } from './setting.ts';
import { settingGroups } from './settings.ts';

const prefix = 'HEADCOUNT';
/** Read before Headcount itself runs. */
const outside = ['HEADCOUNT_NODE'];
/** One wrong letter leaves a half of the prefix as it is; to compare every variable would be a good part of a start. */
const mayBeMeant = /^HEAD|COUNT/i;
/** More wrong letters make another word. */
const maxWrong = 3;

/** Variables of the environment that look like settings and are none, a sentence each. */
export function findUnknownSettings(env: Environment): string[] {
  const known = [...settingGroups.flatMap(({ settings }) => settings.map(({ name }) => name)), ...outside];
  const own = known.filter((name) => name.startsWith(prefix));
  return Object.keys(env)
    .filter((name) => mayBeMeant.test(name) && !known.includes(name))
    .map((name) => ({ name, nearest: nearestOf(name.toUpperCase(), own) }))
    .filter(({ name, nearest }) => name.toUpperCase().startsWith(prefix) || (nearest?.wrong ?? maxWrong) < 2)
    .map(({ name, nearest }) => describeUnknown(name, nearest?.name));
}

function describeUnknown(name: string, nearest: string | undefined): string {
  const advice =
    nearest === undefined ? `"${program} serve --help" lists them all` : `did you mean ${nearest}?`;
  return `The variable ${name} is not a setting of Headcount and does nothing: ${advice}${nearest === undefined ? '.' : ''}`;
}

function nearestOf(name: string, names: readonly string[]): { name: string; wrong: number } | undefined {
  const alike = names.filter((candidate) => Math.abs(candidate.length - name.length) <= maxWrong);
  const found = alike.map((candidate) => ({ name: candidate, wrong: distance(name, candidate) }));
  const [best] = found.sort((a, b) => a.wrong - b.wrong);
  return best && best.wrong <= maxWrong ? best : undefined;
}

/** Letters to add, drop, replace or swap: https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i++) {
    rows[i] = [];
    for (let j = 0; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const best = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      (rows[i] as number[])[j] = i + j === 0 ? 0 : best;
    }
  }
  return at(a.length, b.length);
}
