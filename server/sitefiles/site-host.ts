import type { ProjectSettings } from '../../shared/project.ts';

/** As addresses spell it: in lower case, and other letters than ASCII's in Punycode; null: nothing is to be fetched. */
export function siteHostOf({ siteHost }: Pick<ProjectSettings, 'siteHost'>): string | null {
  return siteHost === null ? null : (URL.parse(`https://${siteHost}/`)?.hostname ?? null);
}
