import { isDeepStrictEqual } from 'node:util';
import type { ProjectSettings } from '../../shared/project/project.ts';

const maxText = 200;

/** Settings that differ: short ones with both values, lists by their names alone, as they hold commands and addresses. */
export function settingChanges(before: ProjectSettings, after: ProjectSettings): string[] {
  const names = Object.keys(after) as (keyof ProjectSettings)[];
  return names
    .filter((name) => name !== 'seenHosts' && !isDeepStrictEqual(before[name], after[name]))
    .map((name) => {
      const [from, to] = [before[name], after[name]].map(toText);
      return from === undefined || to === undefined ? name : `${name}: ${from} → ${to}`;
    });
}

function toText(value: unknown): string | undefined {
  if (value === null) return 'none';
  return typeof value === 'object' ? undefined : String(value).slice(0, maxText);
}
