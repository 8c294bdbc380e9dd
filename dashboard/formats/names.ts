import { assistants } from '../../shared/identity/assistant.ts';
import { byLanguage } from '../texts/language.ts';
import { t } from '../texts/names.ts';
import { lookUp } from '../texts/part.ts';

const assistantNames = new Set(assistants.values());

/** Whether people were sent by an AI assistant; only these names are written with capital letters. */
export const isAssistant = (source: string): boolean => assistantNames.has(source);

/** How an AI client uses what it reads; null where it does not say. */
export const namePurpose = (purpose: string | null): string =>
  (purpose !== null && lookUp(t.purposes, purpose)) || t.unknown;

const regions = byLanguage((locale) => new Intl.DisplayNames(locale, { type: 'region' }));

const tongues = byLanguage(
  (locale) => new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' }),
);

export function nameCountry(code: string): string {
  try {
    return regions().of(code) ?? code;
  } catch {
    return nameTrait(code);
  }
}

/** A language by its tag: `de-AT` is German (Austria). */
export function nameLanguage(tag: string): string {
  try {
    return tongues().of(tag) ?? tag;
  } catch {
    return nameTrait(tag);
  }
}

export const nameDevice = (device: string): string => lookUp(t.devices, device) ?? nameTrait(device);

/** Names in brackets are the server's own. */
export function nameTrait(name: string): string {
  if (name === '(unknown)') return t.unknown;
  if (name === '(other)') return t.allOthers;
  return name;
}

/** Some clients are known by nothing but their name, and anybody can sign. */
export const nameOperator = (operator: string): string =>
  operator === 'unknown' || operator === '(not known)' ? t.unknown : operator;

export const nameSource = (source: string): string =>
  source === '(direct)' ? t.directOrUnknown : nameTrait(source);
