import { z } from 'zod';

/** Who may change a setting, from the least: a role in the project, the operator on the command line, or the server alone. */
export type Changer = 'editor' | 'owner' | 'operator' | 'server';

/** How `project set` takes it. Lists, numbers and switches are read as such; `""` sets a nullable one to null. */
interface SettingOption {
  /** The option with the placeholder of its value, such as `host <host>`. */
  option: string;
  /** Its description in the help. */
  says: string;
  /** The value for null on the command line; left out: `""`. */
  none?: string;
  /** In the help it comes before this one. */
  before?: string;
}

export interface SettingRule {
  changedBy: Changer;
  /** The part of the value that an imported archive may set; undefined: the default. */
  imported(value: unknown): unknown;
  /** Null: it has none. */
  typed: SettingOption | null;
}

const rules = z.registry<SettingRule>();

export const ruleOf = (schema: z.ZodType) => rules.get(schema) as SettingRule;

const kept = (value: unknown) => value;
const leftOut = () => undefined;

const declaring =
  (changedBy: Changer, imported: SettingRule['imported']) =>
  <Schema extends z.ZodType>(schema: Schema, typed: SettingOption | null): Schema => {
    rules.add(schema, { changedBy, imported, typed });
    return schema;
  };

export const editor = declaring('editor', kept);
export const owner = declaring('owner', kept);
/** Noted by the server, and by nobody else. */
export const server = declaring('server', kept);
/** Sends, fetches, runs, grants or shows something to others: it does not come with an archive. */
export const editorHere = declaring('editor', leftOut);
export const ownerHere = declaring('owner', leftOut);
export const operatorHere = declaring('operator', leftOut);

/** An archive may only set values that allow less than the default. */
export const comingAs = (changedBy: Changer, quiet: unknown) =>
  declaring(changedBy, (value) => (value === quiet ? value : undefined));
