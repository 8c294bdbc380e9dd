import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { byLanguage } from '../texts/language.ts';

type Named = Pick<ProjectReply, 'name'>;

/** As people order names: without regard to case, and "Site 9" before "Site 10". */
const collator = byLanguage((locale) => new Intl.Collator(locale, { numeric: true }));

export const byName = (a: Named, b: Named): number => collator().compare(a.name, b.name);

/** Those whose name contains the text, whatever the case; empty: all. */
export function findByName<Project extends Named>(projects: readonly Project[], text: string): Project[] {
  const wanted = text.trim().toLowerCase();
  return projects.filter(({ name }) => name.toLowerCase().includes(wanted));
}
