import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import arabic from '../../dashboard/texts/ar.json' with { type: 'json' };
import { t as automations } from '../../dashboard/texts/automations.ts';
import german from '../../dashboard/texts/de.json' with { type: 'json' };
import { languageTags } from '../../dashboard/texts/language.ts';
import { recipes } from '../../shared/jobs/recipes.ts';

const folder = join(import.meta.dirname, '..', '..', 'dashboard', 'texts');

/** Every part that there is; what else stands beside them has no texts. */
async function readEnglish(): Promise<Texts> {
  const files = globSync('*.ts', { cwd: folder });
  const modules = await Promise.all(
    files.map(async (file) => [file.replace('.ts', ''), (await import(join(folder, file))).t] as const),
  );
  return Object.fromEntries(modules.filter(([, texts]) => texts !== undefined));
}

const english = await readEnglish();
const translations = { de: german, ar: arabic };

type Texts = string | readonly string[] | { readonly [name: string]: Texts };

const isForms = (texts: Texts): texts is Record<string, string> =>
  typeof texts === 'object' && 'one' in texts && 'other' in texts;

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

test('recipes are called in English as the API calls them', () => {
  const titles = Object.entries(recipes).map(([name, { title }]) => [name, title]);
  expect(automations.recipes).toEqual(Object.fromEntries(titles));
});

test('every language but English is translated to', () => {
  expect(Object.keys(translations)).toEqual(languageTags.filter((tag) => tag !== 'en'));
});

describe.each(Object.entries(translations))('the texts in %s', (tag, translation) => {
  test('are those that there are in English, with the same placeholders and all forms of numbers', () => {
    const expected = outline(english, formsOf('en'));
    expect(expected.length).toBeGreaterThan(700);
    expect(outline(translation, formsOf(tag))).toEqual(expected);
  });

  test('are not empty', () => {
    const isEmpty = (texts: Texts): boolean =>
      typeof texts === 'string' ? texts.trim() === '' : Object.values(texts).some(isEmpty);
    expect(isEmpty(translation)).toBe(false);
  });
});
