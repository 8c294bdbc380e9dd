/** A setting that cannot be used; the message names it and says what to give instead. */
export class ConfigError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The description of a setting. */
export interface Setting {
  /** Of the variable in the environment. */
  name: string;
  /** Read where the present one is not given. */
  formerName?: string;
  /** What holds where it is not given: a value as it would be written, or what is done then. */
  standard: string;
  meaning: string;
  /** What of its value is to be shown nowhere; without it, nothing is. */
  secretsIn?: (text: string) => string[];
}

export interface ValueSetting<T> extends Setting {
  read(env: Environment): T;
}

type Parse<T> = (text: string, name: string) => T;

interface Described<T> extends Setting {
  /** @throws ConfigError */
  parse: Parse<T>;
}

/** A setting that has a value where it is not given; an empty variable is as good as none. */
export function setting<T>({ parse, ...described }: Described<T>): ValueSetting<T> {
  const { name, standard } = described;
  return { ...described, read: (env) => parse(textOf(env, described) || standard, name) };
}

/** A setting that may have no value; `standard` says what is done without. */
export function optionalSetting<T>({ parse, ...described }: Described<T>): ValueSetting<T | undefined> {
  const { name } = described;
  return {
    ...described,
    read: (env) => {
      const text = textOf(env, described);
      return text === undefined || text === '' ? undefined : parse(text, name);
    },
  };
}

const textOf = (env: Environment, { name, formerName }: Setting): string | undefined =>
  env[name] || (formerName && env[formerName]);

/** All of it is to be shown nowhere. */
export const allSecret = (text: string): string[] => [text];

export const asText: Parse<string> = (text) => text;

/** @throws ConfigError */
export function asOneOf<T extends string>(choices: readonly T[]): Parse<T> {
  return (text, name) => {
    const found = choices.find((choice) => choice === text.toLowerCase());
    if (found !== undefined) return found;
    throw new ConfigError(`${name} must be ${choices.join(' or ')}, not "${text}".`);
  };
}

/** @throws ConfigError */
export const asSwitch: Parse<boolean> = (text, name) => {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new ConfigError(`${name} must be 1 or 0, not "${text}".`);
};

export function asWholeNumber({ min, max }: { min: number; max: number }): Parse<number> {
  return (text, name) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
    }
    return number;
  };
}

/** Words with commas between them. */
export function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Somebody's name and mail address. @throws ConfigError */
export function asMailbox(text: string, name: string): { name: string; email: string } {
  const [, who, email] = /^([^<>\p{C}]{1,100}?) *<([^<>\s\p{C}]{1,200})>$/u.exec(text) ?? [];
  if (who === undefined || email === undefined) {
    throw new ConfigError(`${name} must be like "Headcount <bot@example.com>", not "${text}".`);
  }
  return { name: who, email };
}
