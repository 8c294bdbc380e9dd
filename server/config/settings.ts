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

/** Every variable of the environment that is a setting, in the order in which people are told of them. */
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
