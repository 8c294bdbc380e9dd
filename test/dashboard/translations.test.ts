import { describe, expect, test } from 'vitest';
import { arabic } from '../../dashboard/texts/arabic/arabic.ts';
import { t as common } from '../../dashboard/texts/common.ts';
import { t as declared } from '../../dashboard/texts/declared.ts';
import { t as frame } from '../../dashboard/texts/frame.ts';
import { german } from '../../dashboard/texts/german/german.ts';
import { t as goals } from '../../dashboard/texts/goals.ts';
import { t as installation } from '../../dashboard/texts/installation.ts';
import { t as jobs } from '../../dashboard/texts/jobs.ts';
import { languageTags } from '../../dashboard/texts/language.ts';
import { t as names } from '../../dashboard/texts/names.ts';
import { t as pages } from '../../dashboard/texts/pages.ts';
import { t as report } from '../../dashboard/texts/report.ts';
import { t as settings } from '../../dashboard/texts/settings.ts';

const english = {
  ...{ common, declared, frame, goals, installation, jobs, names, pages, report, settings },
};
const translations = { de: german, ar: arabic };

type Texts = string | { readonly [name: string]: Texts };

const isForms = (texts: Texts): texts is Record<string, string> =>
  typeof texts === 'object' && typeof texts.one === 'string' && typeof texts.other === 'string';

const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ');

/** Each text by its place with its placeholders. Of one that depends on a number, what is true of all forms but the number. */
function outline(texts: Texts, forms: string[], place = ''): string[] {
  if (typeof texts === 'string') return [`${place}: ${placeholdersOf(texts)}`];
  if (!isForms(texts)) {
    const inside = Object.entries(texts);
    return inside.flatMap(([name, text]) => outline(text, forms, `${place}.${name}`)).toSorted();
  }
  const given = Object.keys(texts).toSorted();
  if (given.join() !== forms.toSorted().join()) return [`${place} has the forms ${given}`];
  const others = Object.values(texts).map((text) => placeholdersOf(text.replace('{count}', '')));
  return [`${place}: ${placeholdersOf(texts.other ?? '')}, in each form ${[...new Set(others)]}`];
}

const formsOf = (tag: string) => new Intl.PluralRules(tag).resolvedOptions().pluralCategories;

test('every language but English is translated to', () => {
  expect(Object.keys(translations)).toEqual(languageTags.filter((tag) => tag !== 'en'));
});

describe.each(Object.entries(translations))('the texts in %s', (tag, translation) => {
  test('are those that there are in English, with the same placeholders and all forms of numbers', () => {
    const expected = outline(english as unknown as Texts, formsOf('en'));
    expect(expected.length).toBeGreaterThan(700);
    expect(outline(translation as unknown as Texts, formsOf(tag))).toEqual(expected);
  });

  test('are not empty', () => {
    const isEmpty = (texts: Texts): boolean =>
      typeof texts === 'string' ? texts.trim() === '' : Object.values(texts).some(isEmpty);
    expect(isEmpty(translation as unknown as Texts)).toBe(false);
  });
});
