import { existsSync, readFileSync } from 'node:fs';

const folder = '/usr/share/chromium/extensions/ublock-origin/assets/thirdparties/easylist';
const files = ['easyprivacy.txt', 'easylist.txt'].map((file) => `${folder}/${file}`);

/** Debian has the lists in the package of a blocker. */
export const listsPackage = 'webext-ublock-origin-chromium';
export const hasLists = () => files.every((file) => existsSync(file));

export type RequestType = 'script' | 'xmlhttprequest' | 'image';

interface Rule {
  text: string;
  pattern: RegExp;
  types: string[];
}

/** Whether a Headcount is on the site's own host depends on who runs it, so both are looked at. */
const kinds = ['third-party', '~third-party', 'match-case', 'important'];

/** The rules that are about no host and no site, of lists in the form of Adblock Plus. */
export function genericRules(): Rule[] {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.flatMap((text) => {
    // Comments, exceptions, what hides elements, and rules for a host.
    if (/^(?:!|\[|@@|\|\||$)|#[@?$]*#/.test(text)) return [];
    const [, body = '', options = ''] = /^(.*?)(?:\$([\w~,=|.-]+))?$/.exec(text) ?? [];
    const types = options.split(',').filter((option) => option && !kinds.includes(option));
    if (types.some((option) => option.includes('='))) return [];
    return [{ text, pattern: patternOf(body), types }];
  });
}

function patternOf(body: string): RegExp {
  const [, written] = /^\/(.+)\/$/.exec(body) ?? [];
  if (written) return new RegExp(written, 'i');
  const [, start, middle = '', end] = /^(\|?)(.*?)(\|?)$/.exec(body) ?? [];
  const source = middle
    .replace(/[.+?${}()[\]\\/|]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('^', '(?:[^\\w.%-]|$)');
  return new RegExp((start && '^') + source + (end && '$'), 'i');
}

/** The rules that would block a request. */
export const blocking = (rules: readonly Rule[], url: string, type: RequestType): string[] =>
  rules
    .filter(({ pattern, types }) => {
      const excluded = types.filter((option) => option.startsWith('~'));
      if (excluded.includes(`~${type}`)) return false;
      return (types.length === excluded.length || types.includes(type)) && pattern.test(url);
    })
    .map(({ text }) => text);
