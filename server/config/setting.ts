/** A setting that cannot be used; the message names it and says what to give instead. */
export class ConfigError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError */
export function readSwitch(name: string, text = ''): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(|0|false|no|off)$/i.test(text)) return false;
  throw new ConfigError(`${name} must be 1 or 0, and is "${text}".`);
}

/** A whole number; not given or empty: the usual one. @throws ConfigError */
export function readWholeNumber(
  env: Environment,
  name: string,
  { usual, min, max }: { usual: number; min: number; max: number },
): number {
  const text = env[name] || String(usual);
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, and is "${text}".`);
  }
  return number;
}

/** Words with commas between them. */
export function readWords(text = ''): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
