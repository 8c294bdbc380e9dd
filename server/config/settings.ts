import { program } from '../process/program.ts';
import { nearestOf } from '../text/nearest.ts';
import { clientSettings } from './client-settings.ts';
import { jobSettings, modelSettings } from './job-settings.ts';
import { mailSettings } from './mail-settings.ts';
import { serverSettings } from './server-settings.ts';
import type { Environment, Setting } from './setting.ts';
import { signOnSettings } from './sign-on-settings.ts';

interface SettingGroup {
  title: string;
  settings: readonly Setting[];
}

/** Every variable of the environment that is a setting, in the order in which people see them. */
export const settingGroups: readonly SettingGroup[] = [
  { title: 'The server', settings: Object.values(serverSettings) },
  { title: 'AI clients', settings: Object.values(clientSettings) },
  { title: 'Single sign-on', settings: Object.values(signOnSettings) },
  { title: 'Mail', settings: Object.values(mailSettings) },
  { title: 'Agent jobs', settings: Object.values(jobSettings) },
  { title: 'Models that agents work with', settings: Object.values(modelSettings) },
];

/** What the settings hold that is to be shown nowhere. */
export function secretTextsOf(env: Environment): string[] {
  const settings = settingGroups.flatMap((group) => group.settings);
  const texts = settings.flatMap(({ name, secretsIn }) => secretsIn?.(env[name] ?? '') ?? []);
  // PostgreSQL's own variable, which its driver reads.
  return [...texts, env.PGPASSWORD ?? ''].filter((text) => text !== '');
}

const prefix = 'HEADCOUNT';
/** Read before Headcount itself runs. */
const outside = ['HEADCOUNT_NODE'];
/** One wrong letter leaves a half of the prefix as it is; to compare every variable would be a good part of a start. */
const mayBeMeant = /^HEAD|COUNT/i;
/** More wrong letters make another word. */
const maxWrong = 3;

/** Variables of the environment that look like settings and are none, or are called otherwise now, a sentence each. */
export function findUnknownSettings(env: Environment): string[] {
  const all = settingGroups.flatMap(({ settings }) => settings);
  const renamed = all.filter(({ formerName }) => formerName !== undefined && formerName in env);
  const former = renamed.map(({ formerName }) => String(formerName));
  const known = [...all.map(({ name }) => name), ...outside, ...former];
  const own = known.filter((name) => name.startsWith(prefix));
  const unknown = Object.keys(env)
    .filter((name) => mayBeMeant.test(name) && !known.includes(name))
    .map((name) => ({ name, nearest: nearestOf(name.toUpperCase(), own, maxWrong) }))
    .filter(({ name, nearest }) => name.toUpperCase().startsWith(prefix) || (nearest?.wrong ?? maxWrong) < 2)
    .map(({ name, nearest }) => describeUnknown(name, nearest?.name));
  return [
    ...unknown,
    ...renamed.map(
      ({ name, formerName }) => `The variable ${formerName} is called ${name} now; it still works.`,
    ),
  ];
}

function describeUnknown(name: string, nearest: string | undefined): string {
  const advice =
    nearest === undefined ? `"${program} serve --help" lists them all` : `did you mean ${nearest}?`;
  return `The variable ${name} is not a setting of Headcount and does nothing: ${advice}${nearest === undefined ? '.' : ''}`;
}
