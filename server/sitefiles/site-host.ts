import type { ProjectSettings } from '../../shared/project/project.ts';
import { memoize } from '../memo.ts';

/** As addresses spell it: in lower case, and other letters than ASCII's in Punycode; null: nothing is to be fetched. */
export function siteHostOf({ siteHost }: Pick<ProjectSettings, 'siteHost'>): string | null {
  return siteHost === null ? null : spelled(siteHost) || null;
}

/** It is asked about with every view of an AI client. */
const spelled = memoize((host: string) => URL.parse(`https://${host}/`)?.hostname ?? '', 1_000);
