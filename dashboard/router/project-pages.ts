import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { isAtLeast, type Role } from '../../shared/accounts/role.ts';
import { t } from '../texts/common.ts';

type PageName = keyof typeof t.projectPages;

/** What follows the project's address, the page, and the least role that it is for. */
const pages: readonly (readonly [end: string, name: PageName, role: Role])[] = [
  ['', 'overview', 'viewer'],
  ['/jobs', 'jobs', 'editor'],
  ['/rules', 'rules', 'viewer'],
  ['/install', 'install', 'editor'],
  ['/keys', 'keys', 'owner'],
  ['/settings', 'settings', 'editor'],
];

/** The pages of a project for somebody with this role in it. */
export function pagesFor(held: Role): { end: string; name: string }[] {
  return pages
    .filter(([, , role]) => isAtLeast(held, role))
    .map(([end, name]) => ({ end, name: t.projectPages[name] }));
}

/** Of whoever looks, in the project that is shown; null: they have the link to its shared page. */
export const ProjectRoleContext = createContext<Role | null>(null);

/** Whether a page of the project is for whoever looks. */
export function useMayOpen(end: string): boolean {
  const role = useContext(ProjectRoleContext);
  return role !== null && pagesFor(role).some((page) => page.end === end);
}
