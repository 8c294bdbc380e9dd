import { z } from 'zod';
import { projectSettings, type SettingName, settingRules } from './project.ts';

/** The form field of a setting: its kind and its limits. */
export interface SettingField {
  /** `lines`: one text a line; `set`: some of the options. */
  kind: 'text' | 'number' | 'choice' | 'flag' | 'lines' | 'set';
  /** Empty means that nothing is set. */
  isNullable: boolean;
  /** Editors may not change it. */
  isForOwners: boolean;
  options?: string[] | undefined;
  maxLength?: number | undefined;
}

interface Described {
  type?: string;
  enum?: string[];
  items?: Described;
  maxLength?: number;
  anyOf?: Described[];
}

const kinds: Readonly<Record<string, SettingField['kind']>> = {
  ...{ array: 'lines', boolean: 'flag', integer: 'number', number: 'number' },
};

function fieldOf(name: SettingName, schema: Described): SettingField {
  const value = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const options = value.enum ?? value.items?.enum;
  const ofOptions = value.type === 'array' ? 'set' : 'choice';
  return {
    kind: options ? ofOptions : (kinds[value.type ?? ''] ?? 'text'),
    isNullable: value !== schema,
    isForOwners: settingRules[name].changedBy === 'owner',
    options,
    maxLength: value.maxLength,
  };
}

const { properties } = z.toJSONSchema(projectSettings, { io: 'input', unrepresentable: 'any' });

/** From the schema. The build of the dashboard inlines the result, so that no page loads the schemas. */
export const settingFields = Object.fromEntries(
  Object.entries(properties ?? {}).map(([name, schema]) => [
    name,
    fieldOf(name as SettingName, schema as Described),
  ]),
) as Record<SettingName, SettingField>;
