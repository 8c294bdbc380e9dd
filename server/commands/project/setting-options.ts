import { type ProjectSettings, projectSettings } from '../../../shared/project/project.ts';
import { program } from '../../process/program.ts';
import { objectToSettings } from '../../projects/rules.ts';
import { type Terminal, UsageError } from '../terminal/command.ts';
import { readList, type readOptions } from '../terminal/options.ts';
import { givenJobSettings, jobOptionOf, jobOptions } from './job-options.ts';
import { givenOutboxSettings, outboxOptionOf, outboxOptions } from './outbox-options.ts';

export const settingOptions = {
  name: { type: 'string' },
  host: { type: 'string', multiple: true },
  'site-host': { type: 'string' },
  'time-zone': { type: 'string' },
  'exclude-path': { type: 'string', multiple: true },
  'exclude-ip': { type: 'string', multiple: true },
  'keep-parameter': { type: 'string', multiple: true },
  goal: { type: 'string', multiple: true },
  funnel: { type: 'string', multiple: true },
  'count-twins-as': { type: 'string' },
  'personal-paths': { type: 'string' },
  'keep-details': { type: 'string' },
  'keep-counts': { type: 'string' },
  'keep-hours': { type: 'string' },
  'traffic-price': { type: 'string' },
  'embed-origin': { type: 'string', multiple: true },
  ...outboxOptions,
  ...jobOptions,
  json: { type: 'boolean' },
} as const;

type SettingValues = ReturnType<typeof readOptions<typeof settingOptions>>['values'];

export const optionOf: Record<Exclude<keyof ProjectSettings, 'seenHosts'>, string> = {
  name: '--name',
  hosts: '--host',
  siteHost: '--site-host',
  timeZone: '--time-zone',
  excludedPaths: '--exclude-path',
  excludedAddresses: '--exclude-ip',
  keptParameters: '--keep-parameter',
  goals: '--goal',
  funnels: '--funnel',
  countTwinsAs: '--count-twins-as',
  personalPaths: '--personal-paths',
  keepDetailsMonths: '--keep-details',
  keepCountsMonths: '--keep-counts',
  keepHoursDays: '--keep-hours',
  trafficPrice: '--traffic-price',
  embedOrigins: '--embed-origin',
  ...outboxOptionOf,
  ...jobOptionOf,
};

/** `all`: for good. */
function readMonths(text: string | undefined): number | null | undefined {
  return text === undefined ? undefined : text === 'all' ? null : Number(text);
}

/** `""`: none. */
function readNumber(text: string | undefined): number | null | undefined {
  return text === undefined ? undefined : text === '' ? null : Number(text);
}

/** Only what was given: `undefined` leaves a setting as it is. */
export function givenSettings(values: SettingValues): Partial<ProjectSettings> {
  const given = {
    name: values.name,
    hosts: readList(values.host),
    siteHost: values['site-host'] === '' ? null : values['site-host'],
    timeZone: values['time-zone'],
    excludedPaths: readList(values['exclude-path']),
    excludedAddresses: readList(values['exclude-ip']),
    keptParameters: readList(values['keep-parameter']),
    goals: readList(values.goal),
    funnels: readList(values.funnel),
    countTwinsAs: values['count-twins-as'],
    personalPaths: values['personal-paths'],
    keepDetailsMonths: readMonths(values['keep-details']),
    keepCountsMonths: readMonths(values['keep-counts']),
    keepHoursDays: readNumber(values['keep-hours']),
    trafficPrice: readNumber(values['traffic-price']),
    embedOrigins: readList(values['embed-origin']),
    ...givenOutboxSettings(values),
    ...givenJobSettings(values),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What nobody may set as the server is configured. @throws UsageError */
export function checkRules(
  given: Partial<ProjectSettings>,
  present: ProjectSettings,
  { config: { jobs } }: Terminal,
): void {
  const [objection] = objectToSettings(given, { by: 'operator', present, jobs });
  if (objection)
    throw new UsageError(`${optionOf[objection.field as keyof typeof optionOf]} ${objection.message}.`);
}

/** How a setting is given by hand, for a person to look at first. */
export function commandFor(projectId: string, name: keyof typeof optionOf, value: unknown): string {
  const option = optionOf[name];
  const text = name === 'agentCommand' ? JSON.stringify(value) : value;
  const given =
    value === true ? option : value === false ? option.replace('--', '--no-') : `${option} ${quote(text)}`;
  return `${program} project set ${projectId} ${given}`;
}

const maxShown = 2000;

/** For a POSIX shell. */
function quote(value: unknown): string {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string');
  const text = isWords ? value.join(',') : String(value);
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return /^[\w./:@,+][\w./:@,+-]*$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
}

/** @throws UsageError for the first that is not as it must be */
export function checkSettings(settings: unknown): ProjectSettings {
  const result = projectSettings.safeParse(settings);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const option = optionOf[issue?.path[0] as keyof typeof optionOf];
  throw new UsageError(`${option} ${issue?.message}.`);
}
