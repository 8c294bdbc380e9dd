import type { z } from 'zod';
import {
  type ProjectSettings,
  projectSettings,
  type SettingName,
  settingRules,
} from '../../shared/project/project.ts';
import { UsageError } from '../commands/terminal/command.ts';
import { readList } from '../commands/terminal/options.ts';
import { program } from '../process/program.ts';
import type { Option, Options } from './operation.ts';

/** The typed values, by the names of options. */
export type SettingValues = Readonly<Record<string, unknown>>;

/** A setting as commands take it (shared/project/setting.ts). */
interface TypedSetting {
  name: SettingName;
  option: string;
  value: string | undefined;
  says: string;
  none: string;
  before: string | undefined;
  type: z.core.$ZodTypeDef['type'];
  isNullable: boolean;
}

const typedSettings: readonly TypedSetting[] = Object.entries(projectSettings.shape)
  .flatMap(([name, schema]): TypedSetting[] => {
    const { typed } = settingRules[name as SettingName];
    if (!typed) return [];
    const { says, none = '', before } = typed;
    const [, option = '', value] = /^(\S+)(?: <(.+)>)?$/.exec(typed.option) ?? [];
    const inner = schema.def.type === 'default' ? schema.def.innerType : schema;
    const isNullable = inner.def.type === 'nullable';
    const { type } = 'innerType' in inner.def ? inner.def.innerType.def : inner.def;
    return [{ name: name as SettingName, option, value, says, none, before, type, isNullable }];
  })
  .reduce<TypedSetting[]>((sorted, one) => {
    const at = sorted.findIndex(({ name }) => name === one.before);
    return sorted.toSpliced(at < 0 ? sorted.length : at, 0, one);
  }, []);

/** @param titles by the setting that they precede in the help */
export function settingOptions(titles: Partial<Record<SettingName, string>>): Options {
  const options = typedSettings.flatMap(({ name, option, value, says, type }): [string, Option][] => {
    const title = titles[name];
    const described = { says, ...(title !== undefined && { before: title }) };
    if (type === 'boolean') {
      const off = { type, says: '' } as const;
      return [
        [option, { type, with: `no-${option}`, ...described }],
        [`no-${option}`, off],
      ];
    }
    const isList = listed({ type, name });
    return [
      [option, { type: 'string', ...(isList && { multiple: true }), ...(value && { value }), ...described }],
    ];
  });
  return Object.fromEntries(options);
}

/** The program of an agent is typed as JSON, as its arguments may have commas. */
const listed = ({ type, name }: Pick<TypedSetting, 'type' | 'name'>) =>
  type === 'array' && name !== 'agentCommand';

/** As messages name them. */
export const settingOption = (setting: string): string =>
  `--${typedSettings.find(({ name }) => name === setting)?.option}`;

export const allSettingOptions = () => typedSettings.map(({ option }) => `--${option}`).join(', ');

/** Only what was given. @throws UsageError */
export function readSettings(values: SettingValues): Partial<ProjectSettings> {
  const given = typedSettings.map((setting) => [setting.name, read(setting, values)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Undefined: it was not given. */
function read({ option, none, isNullable, ...setting }: TypedSetting, values: SettingValues): unknown {
  const value = values[option];
  if (setting.type === 'boolean') {
    const isOff = values[`no-${option}`];
    if (value && isOff) throw new UsageError(`Give either --${option} or --no-${option}.`);
    return value ? true : isOff ? false : undefined;
  }
  if (listed(setting)) return readList(value as string[] | undefined);
  if (value === undefined) return undefined;
  if (isNullable && value === none) return null;
  const text = String(value);
  // A text that is not a number is rejected by the schema.
  if (setting.type === 'number') return /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (setting.type !== 'array') return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${option} must be a JSON list such as '["claude", "-p"]'.`);
  }
}

const maxShown = 2000;

/** How a setting is given by hand, for a person to look at first. */
export function commandFor(projectId: string, name: SettingName, value: unknown): string {
  const option = settingOption(name);
  const text = name === 'agentCommand' ? JSON.stringify(value) : value;
  const given =
    value === true ? option : value === false ? option.replace('--', '--no-') : `${option} ${quote(text)}`;
  return `${program} project set ${projectId} ${given}`;
}

/** For a POSIX shell. */
function quote(value: unknown): string {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string');
  const text = isWords ? value.join(',') : String(value);
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return /^[\w./:@,+][\w./:@,+-]*$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
}
