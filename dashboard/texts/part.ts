import type { ComponentChildren } from 'preact';
import { byLanguage, currentLanguage, languages } from './language.ts';

let translation: Readonly<Record<string, object>> = {};

/** The parts of another language; none: English. */
export function setTranslation(parts: Readonly<Record<string, object>>): void {
  translation = parts;
}

/**
 * Texts of a part of the dashboard. A reader gets it in the language of that moment, so they are
 * read where they are shown, and never when a module is loaded.
 */
export function part<const Texts extends object>(name: string, english: Texts): Texts {
  return new Proxy(english, { get: (_english, key) => Reflect.get(translation[name] ?? english, key) });
}

/** The names in braces of a text. */
type PlaceholdersOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersOf<Rest>
  : never;

type Values<Text extends string, Value> = Readonly<Record<PlaceholdersOf<Text>, Value>>;

const placeholder = /\{(\w+)\}/;

const numbers = byLanguage((locale) => new Intl.NumberFormat(locale));

/** In a text that is read from right to left, what is filled in keeps a direction of its own. */
function write(value: string | number): string {
  const text = typeof value === 'number' ? numbers().format(value) : value;
  return languages[currentLanguage()].direction === 'rtl' ? `\u2068${text}\u2069` : text;
}

/** The text with values in the places of its placeholders. */
export function fill<Text extends string>(text: Text, values: Values<Text, string | number>): string {
  const given: Readonly<Record<string, string | number>> = values;
  return text
    .split(placeholder)
    .map((piece, index) => (index % 2 === 1 ? write(given[piece] ?? '') : piece))
    .join('');
}

/** The same where a value is more than a text, such as a link. */
export function mix<Text extends string>(
  text: Text,
  values: Values<Text, ComponentChildren>,
): ComponentChildren {
  const given: Readonly<Record<string, ComponentChildren>> = values;
  return text.split(placeholder).map((piece, index) => (index % 2 === 1 ? mixed(given[piece]) : piece));
}

const mixed = (value: ComponentChildren): ComponentChildren =>
  typeof value === 'string' || typeof value === 'number' ? write(value) : value;

/** All but the number. */
type Besides<Other extends string> = [PlaceholdersOf<Other>] extends ['count']
  ? []
  : [values: Readonly<Record<Exclude<PlaceholdersOf<Other>, 'count'>, string>>];

/** The form of a text that fits a number, which stands in it as `{count}`. */
export function plural<const Other extends string>(
  forms: Forms & { other: Other },
  number: number,
  ...[values]: Besides<Other>
): string {
  const form = new Intl.PluralRules(currentLanguage()).select(number);
  const given: Readonly<Record<string, string | number>> = { ...values, count: number };
  return fill<string>(forms[form] ?? forms.other, given);
}

/** A text by a key that only another version may know; undefined: there is none. */
export function lookUp(texts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

const conjunction = byLanguage(() => new Intl.ListFormat(currentLanguage()));

/** One, another and a third. */
export const list = (items: readonly string[]): string => conjunction().format(items);

const disjunction = byLanguage(() => new Intl.ListFormat(currentLanguage(), { type: 'disjunction' }));

/** One, another or a third. */
export const eitherOf = (items: readonly ComponentChildren[]): ComponentChildren =>
  disjunction()
    .formatToParts(items.map((_, index) => String(index)))
    .map(({ type, value }) => (type === 'element' ? items[Number(value)] : value));

/** A text that depends on a number, by the forms that Intl.PluralRules knows. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
