import type { t as automations } from './automations.ts';
import type { t as common } from './common.ts';
import type { t as declared } from './declared.ts';
import type { t as frame } from './frame.ts';
import type { t as goals } from './goals.ts';
import type { t as installation } from './installation.ts';
import type { t as jobs } from './jobs.ts';
import type { Language } from './language.ts';
import type { t as names } from './names.ts';
import type { t as pages } from './pages.ts';
import type { PlaceholdersOf } from './part.ts';
import type { t as report } from './report.ts';
import type { t as settings } from './settings.ts';

/** The forms of numbers that a language has. */
interface FormsOf extends Record<Language, Intl.LDMLPluralRule> {
  en: 'one' | 'other';
  de: 'one' | 'other';
  ar: 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
}

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Each) => void
  ? Each
  : never;

type With<Name extends string> = Name extends unknown ? `${string}{${Name}}${string}` : never;

/** Any text that has the placeholders of the English one. */
type Text<English extends string> = [PlaceholdersOf<English>] extends [never]
  ? string
  : All<With<PlaceholdersOf<English>>>;

/** In a form that is of a single number, the number may be a word. */
type Plural<Tag extends Language, Other extends string> = Readonly<
  Record<Exclude<FormsOf[Tag], 'other'>, string> & { other: Text<Other> }
>;

/** English texts in another language: all of them and no other, each with its placeholders. */
export type In<Tag extends Language, English> = English extends string
  ? Text<English>
  : English extends { one: string; other: infer Other extends string }
    ? Plural<Tag, Other>
    : { readonly [Name in keyof English]: In<Tag, English[Name]> };

interface English {
  automations: typeof automations;
  common: typeof common;
  declared: typeof declared;
  frame: typeof frame;
  goals: typeof goals;
  installation: typeof installation;
  jobs: typeof jobs;
  names: typeof names;
  pages: typeof pages;
  report: typeof report;
  settings: typeof settings;
}

/** All parts in another language. */
export type Translation<Tag extends Language> = { readonly [Part in keyof English]: In<Tag, English[Part]> };
