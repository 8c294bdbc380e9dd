import { program } from '../process/program.ts';
import { nearestOf } from '../text/nearest.ts';
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
    .map((name) => ({ name, nearest: nearestOf(name.toUpperCase(), own, maxWrong) }))
    .filter(({ name, nearest }) => name.toUpperCase().startsWith(prefix) || (nearest?.wrong ?? maxWrong) < 2)
    .map(({ name, nearest }) => describeUnknown(name, nearest?.name));
}

function describeUnknown(name: string, nearest: string | undefined): string {
  const advice =
    nearest === undefined ? `"${program} serve --help" lists them all` : `did you mean ${nearest}?`;
  return `The variable ${name} is not a setting of Headcount and does nothing: ${advice}${nearest === undefined ? '.' : ''}`;
}
